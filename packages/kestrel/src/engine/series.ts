/** A series of a symbol, resolved against a tape: what it reads, when it moves, its value now (NaN: UNKNOWN). */
import type { SeriesArg } from '../lang/model.ts';
import type { Tape } from '../market/columns.ts';
import type { Chains } from './chains.ts';
import { durationUs } from './clock.ts';
import type { MarketState } from './market-state.ts';
import { Moved, ReferenceVolume, type Windows } from './windows.ts';

/** What a literal compared with the series counts: price units are E4, the rest plain doubles. */
export type Unit = 'price' | 'bps' | 'count' | 'ratio' | 'percent' | 'index' | 'R';

/** Where a series gets its value: one method with a switch, so that the hot path calls one function it knows. */
const From = {
  spot: 0,
  last: 1,
  bid: 2,
  ask: 3,
  mid: 4,
  spread: 5,
  open: 6,
  hod: 7,
  lod: 8,
  vwap: 9,
  volume: 10,
  /** A figure kept by the symbol's windows. */
  cell: 11,
  fixed: 12,
  gap: 13,
  computed: 14,
} as const;
type From = (typeof From)[keyof typeof From];

export class Series {
  readonly name: string;
  readonly key: string;
  readonly slot: number;
  readonly unit: Unit;
  /** Bits of {@link Moved} at which it may change. */
  readonly moves: number;
  /** Its known values are integers, so that sums and differences of them are exact. */
  readonly exact: boolean;
  readonly #from: From;
  readonly #market: MarketState;
  /** Figure of its symbol's windows that it shows. */
  readonly cell: { readonly value: number };
  readonly #fixed: number;

  constructor(spec: {
    readonly name: string;
    readonly key: string;
    readonly slot: number;
    readonly unit: Unit;
    readonly moves: number;
    readonly exact: boolean;
    readonly from: From;
    readonly market: MarketState;
    readonly cell: { readonly value: number };
    readonly fixed: number;
  }) {
    this.name = spec.name;
    this.key = spec.key;
    this.slot = spec.slot;
    this.unit = spec.unit;
    this.moves = spec.moves;
    this.exact = spec.exact;
    this.#from = spec.from;
    this.#market = spec.market;
    this.cell = spec.cell;
    this.#fixed = spec.fixed;
  }

  /** Now; NaN while it is UNKNOWN. */
  value(): number {
    const m = this.#market;
    const s = this.slot;
    if (m.seen[s] === 0 || m.halted[s] === 1) return Number.NaN;
    switch (this.#from) {
      case From.spot:
        return m.spot[s]!;
      case From.last:
        return m.last(s);
      case From.bid:
        return m.good(s) ? m.bid(s) : Number.NaN;
      case From.ask:
        return m.good(s) ? m.ask(s) : Number.NaN;
      case From.mid:
        return m.good(s) ? m.mid(s) : Number.NaN;
      case From.spread:
        return m.good(s) ? m.ask(s) - m.bid(s) : Number.NaN;
      case From.open:
        return m.open[s]!;
      case From.hod:
        return m.hod[s]!;
      case From.lod:
        return m.lod[s]!;
      case From.vwap:
        return m.notional[s]! / m.volume[s]!;
      case From.volume:
        return m.volume[s]!;
      case From.fixed:
        return this.#fixed;
      case From.gap:
        return this.#fixed > 0 ? (m.open[s]! / this.#fixed - 1) * 1e4 : Number.NaN;
      case From.cell:
      case From.computed:
        return this.cell.value;
    }
  }
}

const NO_CELL = { value: Number.NaN };

/** Why a series cannot be had on this tape. */
export type Unavailable = 'series-unavailable' | 'not-supported';

/** What a series is resolved against. */
export interface SeriesSource {
  readonly tape: Tape;
  readonly market: MarketState;
  /** The windows of a slot, brought up to the present event. */
  readonly windows: (slot: number) => Windows;
  readonly chains: Chains;
  /** The present instant, microseconds. */
  readonly now: () => number;
}

export function resolveSeries(
  source: SeriesSource,
  series: { readonly name: string; readonly args: readonly SeriesArg[]; readonly slot: number },
): Series | Unavailable {
  const { slot } = series;
  const m = source.market;
  const make = (
    unit: Unit,
    moves: number,
    from: From,
    more: { readonly exact?: true; readonly cell?: { readonly value: number }; readonly fixed?: number } = {},
  ): Series =>
    new Series({
      name: series.name,
      key: `${series.name}(${series.args.map(argKey).join()})[${slot}]`,
      slot,
      unit,
      moves: moves | Moved.known,
      exact: more.exact ?? false,
      from,
      market: m,
      cell: more.cell ?? NO_CELL,
      fixed: more.fixed ?? Number.NaN,
    });
  const exact = { exact: true } as const;
  const d = (i: number): number => {
    const arg = series.args[i];
    return arg?.kind === 'duration' ? durationUs(arg.duration) : 0;
  };
  const reference = source.tape.reference[m.symbols[slot]!];
  const window = (unit: Unit, moves: number, cell: { readonly value: number }) =>
    make(unit, moves, From.cell, { cell });

  switch (series.name) {
    case 'spot':
      return make('price', Moved.spot, From.spot, exact);
    case 'last':
      return make('price', Moved.spot, From.last, exact);
    case 'bid':
      return make('price', Moved.book, From.bid, exact);
    case 'ask':
      return make('price', Moved.book, From.ask, exact);
    case 'mid':
      return make('price', Moved.book, From.mid, exact);
    case 'spread':
      return make('price', Moved.book, From.spread, exact);
    case 'open':
      return make('price', Moved.spot, From.open, exact);
    case 'prior.close': {
      const fixed = reference?.priorCloseE4;
      return fixed === undefined ? 'series-unavailable' : make('price', 0, From.fixed, { exact: true, fixed });
    }
    case 'gap': {
      const fixed = reference?.priorCloseE4;
      return fixed === undefined ? 'series-unavailable' : make('bps', Moved.spot, From.gap, { fixed });
    }
    case 'HOD':
      return make('price', Moved.extremes, From.hod, exact);
    case 'LOD':
      return make('price', Moved.extremes, From.lod, exact);
    case 'ORH':
      return window('price', Moved.window, source.windows(slot).openingRange('high', d(0)));
    case 'ORL':
      return window('price', Moved.window, source.windows(slot).openingRange('low', d(0)));
    case 'VWAP':
      return make('price', Moved.volume, From.vwap);
    case 'volume':
      return make('count', Moved.volume, From.volume, exact);
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
      const cell = source.windows(slot).indicator(series.name, n, d(1));
      return window(series.name === 'rsi' ? 'index' : 'price', Moved.bars, cell);
    }
    case 'rv': {
      const windows = source.windows(slot);
      windows.minutes();
      const span = d(0);
      const cell = {
        get value(): number {
          return windows.realisedVolatility(span);
        },
      };
      return make('percent', Moved.bars, From.computed, { cell });
    }
    case 'iv': {
      const chains = source.chains.of(m.symbols[slot]!);
      if (chains.length === 0) return 'series-unavailable';
      const cell = {
        get value(): number {
          const t = source.now();
          for (const { settlesAt, fairValue } of chains) if (settlesAt > t) return fairValue.atmVol * 100;
          return Number.NaN;
        },
      };
      return make('percent', Moved.event, From.computed, { cell });
    }
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
