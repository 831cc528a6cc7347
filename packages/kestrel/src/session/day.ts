/**
 * What a frame shows of the tape itself, reckoned once a tape and shared by all sessions on it: candles, and where the
 * news stand. A session sees those that its clock has passed.
 */
import { Flag, Kind, type Tape } from '../market/index.ts';

/** One candle; `t` is when it ends, prices in E4, `z` in shares. */
export interface Candle {
  readonly t: number;
  readonly o: number;
  readonly h: number;
  readonly l: number;
  readonly c: number;
  readonly z: number;
}

export interface SymbolDay {
  readonly slot: number;
  readonly symbol: string;
  readonly candles: readonly Candle[];
  /** For each candle, the last tape row it is made of. */
  readonly lastRows: Int32Array;
  /** Shares, and price × shares in E4, up to the end of each candle. */
  readonly volumes: Float64Array;
  readonly notionals: Float64Array;
  /** The first n candles, made once, so that all frames of an instant share one list and its text. */
  readonly firsts: (readonly Candle[] | undefined)[];
}

export interface Day {
  /** Length of a candle, microseconds. */
  readonly candleUs: number;
  /** As the language writes it: `5m`. */
  readonly d: string;
  readonly symbols: readonly SymbolDay[];
  /** Rows of news, in order. */
  readonly newsRows: readonly number[];
}

const MINUTE_US = 60_000_000;
/** Candle lengths in minutes; the shortest that keeps a whole session within {@link CANDLES_MAX} is taken. */
const CANDLE_MINUTES = [5, 15, 30, 60, 240] as const;
/** Most candles of one symbol in a frame, so that a frame never has to drop any. */
export const CANDLES_MAX = 96;
/** Symbols that have candles in a frame, in the order of the tape. */
export const TAPE_SYMBOLS_MAX = 8;

const days = new WeakMap<Tape, Day>();

export function dayOf(tape: Tape): Day {
  let day = days.get(tape);
  if (day === undefined) {
    day = reckon(tape);
    days.set(tape, day);
  }
  return day;
}

/** Takes over what another thread has reckoned of the same tape. */
export function rememberDay(tape: Tape, day: Day): void {
  if (!days.has(tape)) days.set(tape, day);
}

interface Growing {
  o: number;
  h: number;
  l: number;
  c: number;
  z: number;
  notional: number;
  lastRow: number;
}

function reckon(tape: Tape): Day {
  const { open, close } = tape.session;
  const minutes =
    CANDLE_MINUTES.find((m) => (close - open) / (m * MINUTE_US) <= CANDLES_MAX) ??
    Math.ceil((close - open) / CANDLES_MAX / MINUTE_US);
  const candleUs = minutes * MINUTE_US;
  const shown = tape.instruments
    .map((x, slot) => ({ slot, symbol: x.kind === 'option' ? '' : x.symbol }))
    .filter(({ symbol }) => symbol !== '')
    .slice(0, TAPE_SYMBOLS_MAX);
  const places = new Map(shown.map(({ slot }, i) => [slot, i]));
  const kinds = shown.map(({ slot }) => shownKind(tape, slot));
  const grids: (Growing | undefined)[][] = shown.map(() => new Array(Math.ceil((close - open) / candleUs)));
  const newsRows: number[] = [];
  const { length, t, kind, inst, a, b, c, flags, bars } = tape.columns;
  for (let i = 0; i < length; i++) {
    if (kind[i] === Kind.news) newsRows.push(i);
    const at = t[i]!;
    const k = places.get(inst[i]!);
    if (k === undefined || kind[i] !== kinds[k] || at < open || at > close) continue;
    const grid = grids[k]!;
    const x = a[i]!;
    if (kind[i] === Kind.trade) {
      if ((flags[i]! & Flag.suspect) !== 0 || x <= 0) continue;
      put(grid, Math.floor((at - open) / candleUs), i, [x, x, x, x], Math.max(0, b[i]!));
    } else if (kind[i] === Kind.bar) {
      // A bar is stamped at its end, so one that ends with a candle is part of it.
      const place = Math.max(0, Math.ceil((at - open) / candleUs) - 1);
      put(grid, place, i, [bars.o[x]!, bars.h[x]!, bars.l[x]!, bars.c[x]!], Math.max(0, bars.z[x]!));
    } else if (x > 0 && c[i]! > x) {
      const mid = Math.floor((x + c[i]!) / 2);
      put(grid, Math.floor((at - open) / candleUs), i, [mid, mid, mid, mid], 0);
    }
  }
  const symbols = shown.map(({ slot, symbol }, k) => {
    const candles: Candle[] = [];
    const lastRows: number[] = [];
    const volumes: number[] = [];
    const notionals: number[] = [];
    grids[k]!.forEach((g, place) => {
      if (g === undefined) return;
      candles.push({ t: Math.min(open + (place + 1) * candleUs, close), o: g.o, h: g.h, l: g.l, c: g.c, z: g.z });
      lastRows.push(g.lastRow);
      volumes.push((volumes.at(-1) ?? 0) + g.z);
      notionals.push((notionals.at(-1) ?? 0) + g.notional);
    });
    return {
      slot,
      symbol,
      candles,
      lastRows: Int32Array.from(lastRows),
      volumes: Float64Array.from(volumes),
      notionals: Float64Array.from(notionals),
      firsts: [],
    };
  });
  return { candleUs, d: minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`, symbols, newsRows };
}

function put(
  grid: (Growing | undefined)[],
  place: number,
  row: number,
  [o, h, l, c]: readonly [number, number, number, number],
  z: number,
): void {
  if (place >= grid.length) return;
  const growing = grid[place];
  if (growing === undefined) {
    grid[place] = { o, h, l, c, z, notional: c * z, lastRow: row };
    return;
  }
  growing.h = Math.max(growing.h, h);
  growing.l = Math.min(growing.l, l);
  growing.c = c;
  growing.z += z;
  growing.notional += c * z;
  growing.lastRow = row;
}

/** Trades make candles, else bars, else the middle of the quotes. */
function shownKind({ columns }: Tape, slot: number): number {
  let bars = false;
  for (let i = 0; i < columns.length; i++) {
    if (columns.inst[i] !== slot) continue;
    if (columns.kind[i] === Kind.trade) return Kind.trade;
    bars ||= columns.kind[i] === Kind.bar;
  }
  return bars ? Kind.bar : Kind.quote;
}

/** Candles that are over at `now` and wholly made of rows before `row`. */
export function candlesUntil(day: SymbolDay, now: number, row: number): readonly Candle[] {
  let n = 0;
  while (n < day.candles.length && day.candles[n]!.t <= now && day.lastRows[n]! < row) n++;
  let first = day.firsts[n];
  if (first === undefined) {
    first = day.candles.slice(0, n);
    day.firsts[n] = first;
  }
  return first;
}
