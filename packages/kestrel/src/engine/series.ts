/** A series of a symbol, resolved against a tape: what it reads, when it moves, its value now (NaN: UNKNOWN). */
import type { SeriesArg } from '../lang/model.ts';
import type { Tape } from '../market/columns.ts';
import { durationUs } from './clock.ts';
import type { MarketState } from './market-state.ts';
import { Moved, ReferenceVolume, type Windows } from './windows.ts';

/** What a literal compared with the series counts: price units are E4, the rest plain doubles. */
export type Unit = 'price' | 'bps' | 'count' | 'ratio' | 'percent' | 'index' | 'R';

export interface Series {
  readonly name: string;
  readonly key: string;
  readonly slot: number;
  readonly unit: Unit;
  /** Bits of {@link Moved} at which it may change. */
  readonly moves: number;
  /** Its known values are integers, so that sums and differences of them are exact. */
  readonly exact: boolean;
  readonly value: () => number;
}

/** Why a series cannot be had on this tape. */
export type Unavailable = 'series-unavailable' | 'not-supported';

/** What a series is resolved against. */
export interface SeriesSource {
  readonly tape: Tape;
  readonly market: MarketState;
  /** The windows of a slot, brought up to the present event. */
  readonly windows: (slot: number) => Windows;
}

export function resolveSeries(
  source: SeriesSource,
  series: { readonly name: string; readonly args: readonly SeriesArg[]; readonly slot: number },
): Series | Unavailable {
  const { slot } = series;
  const m = source.market;
  const live = (unit: Unit, moves: number, exact: boolean, value: () => number): Series => ({
    name: series.name,
    key: `${series.name}(${series.args.map(argKey).join()})[${slot}]`,
    slot,
    unit,
    moves: moves | Moved.known,
    exact,
    value: () => (m.seen[slot] === 0 || m.halted[slot] === 1 ? Number.NaN : value()),
  });
  const book = (value: () => number) => live('price', Moved.book, true, () => (m.good(slot) ? value() : Number.NaN));
  const d = (i: number): number => {
    const arg = series.args[i];
    return arg?.kind === 'duration' ? durationUs(arg.duration) : 0;
  };
  const reference = source.tape.reference[m.symbols[slot]!];
  const window = (unit: Unit, moves: number, of: { readonly value: number }) =>
    live(unit, moves, false, () => of.value);

  switch (series.name) {
    case 'spot':
      return live('price', Moved.spot, true, () => m.spot[slot]!);
    case 'last':
      return live('price', Moved.spot, true, () => m.last(slot));
    case 'bid':
      return book(() => m.bid(slot));
    case 'ask':
      return book(() => m.ask(slot));
    case 'mid':
      return book(() => m.mid(slot));
    case 'spread':
      return book(() => m.ask(slot) - m.bid(slot));
    case 'open':
      return live('price', Moved.spot, true, () => m.open[slot]!);
    case 'prior.close': {
      const close = reference?.priorCloseE4;
      return close === undefined ? 'series-unavailable' : live('price', Moved.known, true, () => close);
    }
    case 'gap': {
      const close = reference?.priorCloseE4;
      if (close === undefined) return 'series-unavailable';
      return live('bps', Moved.spot, false, () => (m.open[slot]! / close - 1) * 1e4);
    }
    case 'HOD':
      return live('price', Moved.extremes, true, () => m.hod[slot]!);
    case 'LOD':
      return live('price', Moved.extremes, true, () => m.lod[slot]!);
    case 'ORH':
      return window('price', Moved.window, source.windows(slot).openingRange('high', d(0)));
    case 'ORL':
      return window('price', Moved.window, source.windows(slot).openingRange('low', d(0)));
    case 'VWAP':
      return live('price', Moved.volume, false, () => m.notional[slot]! / m.volume[slot]!);
    case 'volume':
      return live('count', Moved.volume, true, () => m.volume[slot]!);
    case 'rvol': {
      const volume = ReferenceVolume.of(reference?.volume);
      if (volume === undefined) return 'series-unavailable';
      return window('ratio', Moved.window, source.windows(slot).relativeVolume(volume, d(0)));
    }
    case 'velocity':
      return window('bps', Moved.window, source.windows(slot).velocity(d(0)));
    case 'range':
      return window('bps', Moved.window, source.windows(slot).range(d(0)));
    case 'ema':
    case 'sma':
    case 'rsi':
    case 'atr': {
      const n = series.args[0]?.kind === 'int' ? series.args[0].n : 0;
      const of = source.windows(slot).indicator(series.name, n, d(1));
      return window(series.name === 'rsi' ? 'index' : 'price', Moved.bars, of);
    }
    case 'rv': {
      const windows = source.windows(slot);
      windows.minutes();
      return live('percent', Moved.bars, false, () => windows.realisedVolatility(d(0)));
    }
    case 'iv':
      return 'not-supported';
    default:
      return 'series-unavailable';
  }
}

function argKey(arg: SeriesArg): string {
  switch (arg.kind) {
    case 'int':
      return String(arg.n);
    case 'duration':
      return `${durationUs(arg.duration)}us`;
    case 'word':
      return arg.word;
  }
}

/** The header's name of a series with its arguments, as keys of `distributions`: `velocity(5m)`. */
export function distributionKey(name: string, args: readonly SeriesArg[]): string {
  if (args.length === 0) return name;
  return `${name}(${args.map((a) => (a.kind === 'int' ? a.n : a.kind === 'word' ? a.word : a.duration.n + a.duration.unit)).join(',')})`;
}
