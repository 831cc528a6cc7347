/** The levels of a frame: prices that traders look at, each with how it is known and as of when. */
import type { Engine } from '../engine/index.ts';
import { type Candle, candlesUntil, type Day } from './day.ts';

export interface FrameLevel {
  readonly name: string;
  readonly symbol: string;
  readonly valueE4: number;
  readonly source: 'observed' | 'calculated' | 'detected' | 'modelled';
  /** When it was seen, or could first be known. */
  readonly asOf: number;
}

const HALF_HOUR_US = 1_800_000_000;
/** Candles on each side that a turning point must stand out from; those after it are what detects it. */
const SWING_CANDLES = 2;

export function levelsOf(
  engine: Engine,
  day: Day,
  given: { readonly now: number; readonly asOf: readonly (number | null)[] },
): FrameLevel[] {
  const { tape, market } = engine;
  const { open } = tape.session;
  const { now } = given;
  const levels: FrameLevel[] = [];
  for (const shown of day.symbols) {
    const { slot: s, symbol, volumes, notionals } = shown;
    const at = given.asOf[s];
    const add = (name: string, value: number, source: FrameLevel['source'], asOf: number): void => {
      if (Number.isFinite(value)) levels.push({ name, symbol, valueE4: value, source, asOf });
    };
    const prior = tape.reference[symbol]?.priorCloseE4;
    if (prior !== undefined) add('prior.close', prior, 'observed', open);
    if (at === undefined || at === null) continue;
    add('open', market.open[s]!, 'observed', at);
    add('HOD', market.high[s]!, 'observed', at);
    add('LOD', market.low[s]!, 'observed', at);
    const over = candlesUntil(shown, now, engine.row);
    if (over.length > 0 && volumes[over.length - 1]! > 0) {
      const vwap = Math.round(notionals[over.length - 1]! / volumes[over.length - 1]!);
      add('VWAP', vwap, 'calculated', over.at(-1)!.t);
    }
    const first = over.filter((c) => c.t <= open + HALF_HOUR_US);
    if (first.length > 0 && now >= open + HALF_HOUR_US) {
      add('ORH(30m)', Math.max(...first.map((c) => c.h)), 'calculated', open + HALF_HOUR_US);
      add('ORL(30m)', Math.min(...first.map((c) => c.l)), 'calculated', open + HALF_HOUR_US);
    }
    const high = lastSwing(over, ({ h }) => h);
    if (high !== undefined) add('swing.high', high.e4, 'detected', high.asOf);
    const low = lastSwing(over, ({ l }) => -l);
    if (low !== undefined) add('swing.low', -low.e4, 'detected', low.asOf);
    if (market.good(s)) {
      const [bid, ask] = [market.bid(s), market.ask(s)];
      const [bz, az] = [market.bidSize(s), market.askSize(s)];
      add('fair', Math.floor((bid * az + ask * bz) / (bz + az)), 'modelled', at);
    }
  }
  return levels;
}

/** The latest candle that stands above its neighbours on both sides, and the end of the candle that showed it to. */
function lastSwing(
  candles: readonly Candle[],
  height: (candle: Candle) => number,
): { readonly e4: number; readonly asOf: number } | undefined {
  for (let i = candles.length - 1 - SWING_CANDLES; i >= SWING_CANDLES; i--) {
    const top = height(candles[i]!);
    let stands = true;
    for (let k = 1; k <= SWING_CANDLES; k++) {
      stands &&= height(candles[i - k]!) < top && height(candles[i + k]!) < top;
    }
    if (stands) return { e4: top, asOf: candles[i + SWING_CANDLES]!.t };
  }
  return undefined;
}
