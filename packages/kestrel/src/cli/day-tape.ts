/**
 * A day as a vertical text tape: a candle a row, drawn sideways against the prior close, its volume beside it, and
 * what the plans did between the rows, each in its place.
 */
import type { Blotter } from '../engine/index.ts';
import { Flag, Kind, type Tape, utcToLocal } from '../market/index.ts';
import { oneLine } from './failure.ts';
import { clockText, decimal, grouped, minuteText } from './figures.ts';
import type { Paint } from './terminal.ts';

/** Length of a row where it keeps the day within {@link ROWS_MAX}; longer days take longer rows. */
const ROW_MINUTES = 5;
const ROWS_MAX = 96;
/** Rows between two anchors, which say where the price stands in absolute terms. */
const ANCHOR_ROWS = 12;
const CHART_COLUMNS = 41;
const MINUTE_US = 60_000_000;
const VOLUME_GLYPHS = ' ▁▂▃▄▅▆▇█';

interface Candle {
  /** When it ends, and with that is known. */
  readonly end: number;
  o: number;
  h: number;
  l: number;
  c: number;
  z: number;
}

/** Something a plan did, as one line under its time. */
interface Happening {
  readonly t: number;
  readonly text: string;
}

/** @returns the lines, in the order of the tape */
export function* dayTape(tape: Tape, blotter: Blotter, paint: Paint): Generator<string> {
  const inst = tape.instruments.findIndex((row) => row.kind !== 'option');
  const instrument = tape.instruments[inst];
  if (instrument === undefined || instrument.kind === 'option') return;
  const candles = candlesOf(tape, inst);
  const first = candles.find((candle) => candle !== undefined);
  const happenings = happeningsOf(blotter, paint);
  const local = (t: number): string => clockText(utcToLocal(tape.zone, t));
  let told = 0;
  const tellUntil = function* (t: number): Generator<string> {
    for (; told < happenings.length && happenings[told]!.t <= t; told++) {
      yield `  ${local(happenings[told]!.t)}  ${happenings[told]!.text}`;
    }
  };
  if (first === undefined) {
    yield `  ${oneLine(instrument.symbol)} shows no price in the session`;
    yield* tellUntil(Number.POSITIVE_INFINITY);
    return;
  }
  const prior = tape.reference[instrument.symbol]?.priorCloseE4;
  const anchor = prior ?? first.o;
  const bps = (e4: number): number => Math.round((e4 / anchor - 1) * 10_000);
  const shown = candles.filter((candle) => candle !== undefined);
  const scale = scaleOf(shown.map((candle) => [bps(candle.l), bps(candle.h)]));
  const volumeMax = shown.reduce((most, candle) => Math.max(most, candle.z), 0);
  yield `  ${oneLine(instrument.symbol)} against ${prior === undefined ? 'its first price' : 'the prior close'} ${decimal(anchor)}, in basis points; volume at the right`;
  yield `  ${' '.repeat(24)}${ruler(scale)}`;
  let row = 0;
  for (const candle of candles) {
    if (candle === undefined) continue;
    yield* tellUntil(candle.end - 1);
    if (row++ % ANCHOR_ROWS === 0)
      yield paint.dim(`  ${minute(tape, candle.end)}  at ${decimal(candle.o)} (${sign(bps(candle.o))} bps)`);
    const body = `${sign(bps(candle.o)).padStart(5)} → ${sign(bps(candle.c)).padStart(5)}`;
    const [glyph, tint] =
      candle.c > candle.o ? ['▲', paint.gain] : candle.c < candle.o ? ['▼', paint.loss] : ['·', paint.dim];
    const volume = VOLUME_GLYPHS[volumeMax === 0 ? 0 : Math.ceil((candle.z / volumeMax) * 8)]!;
    yield `  ${minute(tape, candle.end)}  ${tint(glyph)}${body}  ${tint(drawn(candle, bps, scale))}  ${volume}`;
  }
  yield* tellUntil(Number.POSITIVE_INFINITY);
}

const minute = (tape: Tape, t: number): string => minuteText(utcToLocal(tape.zone, t));
const sign = (n: number): string => (n > 0 ? `+${n}` : String(n));

/** Candles by row; a row without a price is a hole. Trades make them, else bars, else the middle of the quotes. */
function candlesOf(tape: Tape, inst: number): (Candle | undefined)[] {
  const { open, close } = tape.session;
  const minutes = Math.max(ROW_MINUTES, Math.ceil((close - open) / MINUTE_US / ROWS_MAX / ROW_MINUTES) * ROW_MINUTES);
  const length = minutes * MINUTE_US;
  const candles: (Candle | undefined)[] = new Array(Math.ceil((close - open) / length));
  const put = (t: number, [o, h, l, c]: readonly [number, number, number, number], z: number): void => {
    // What ends exactly with a row belongs to it; the open itself belongs to the first.
    const at = Math.max(0, Math.ceil((t - open) / length) - 1);
    const candle = candles[at];
    if (candle === undefined) candles[at] = { end: Math.min(open + (at + 1) * length, close), o, h, l, c, z };
    else {
      candle.h = Math.max(candle.h, h);
      candle.l = Math.min(candle.l, l);
      candle.c = c;
      candle.z += z;
    }
  };
  const { columns } = tape;
  const kind = kindShown(tape, inst);
  for (let i = 0; i < columns.length; i++) {
    const t = columns.t[i]!;
    if (t < open || t > close || columns.inst[i] !== inst || columns.kind[i] !== kind) continue;
    const a = columns.a[i]!;
    if (kind === Kind.trade) {
      if ((columns.flags[i]! & Flag.suspect) === 0 && a > 0) put(t, [a, a, a, a], Math.max(0, columns.b[i]!));
    } else if (kind === Kind.bar) {
      const { o, h, l, c, z } = columns.bars;
      put(t, [o[a]!, h[a]!, l[a]!, c[a]!], Math.max(0, z[a]!));
    } else if (a > 0 && columns.c[i]! > a) {
      const mid = Math.floor((a + columns.c[i]!) / 2);
      put(t, [mid, mid, mid, mid], 0);
    }
  }
  return candles;
}

function kindShown({ columns }: Tape, inst: number): number {
  let bars = false;
  for (let i = 0; i < columns.length; i++) {
    if (columns.inst[i] !== inst) continue;
    if (columns.kind[i] === Kind.trade) return Kind.trade;
    bars ||= columns.kind[i] === Kind.bar;
  }
  return bars ? Kind.bar : Kind.quote;
}

interface Scale {
  readonly low: number;
  readonly high: number;
}

function scaleOf(spans: readonly (readonly [number, number])[]): Scale {
  let low = 0;
  let high = 0;
  for (const [l, h] of spans) {
    low = Math.min(low, l);
    high = Math.max(high, h);
  }
  return { low, high: high === low ? low + 1 : high };
}

const columnOf = (bps: number, { low, high }: Scale): number =>
  Math.round(((bps - low) / (high - low)) * (CHART_COLUMNS - 1));

function ruler(scale: Scale): string {
  const low = sign(scale.low);
  const high = sign(scale.high);
  const zero = columnOf(0, scale);
  const cells = [...low.padEnd(CHART_COLUMNS - high.length), ...high];
  if (zero > low.length && zero < CHART_COLUMNS - high.length - 1) cells[zero] = '0';
  return cells.join('');
}

function drawn(candle: Candle, bps: (e4: number) => number, scale: Scale): string {
  const cells = new Array<string>(CHART_COLUMNS).fill(' ');
  cells[columnOf(0, scale)] = '·';
  const [from, to] = [columnOf(bps(candle.l), scale), columnOf(bps(candle.h), scale)];
  for (let i = from; i <= to; i++) cells[i] = '─';
  const [o, c] = [columnOf(bps(candle.o), scale), columnOf(bps(candle.c), scale)];
  for (let i = Math.min(o, c); i <= Math.max(o, c); i++) cells[i] = '█';
  return cells.join('');
}

function happeningsOf(blotter: Blotter, paint: Paint): Happening[] {
  const all: Happening[] = [];
  for (const plan of blotter.plans) {
    for (const { t, kind, detail } of plan.events) {
      const more = detail === undefined ? '' : ` (${oneLine(detail)})`;
      all.push({ t, text: `${kind === 'fired' ? paint.bold('◆') : '◇'} ${plan.name} ${kind}${more}` });
    }
    for (const fill of plan.fills) {
      const verb = fill.side === 'buy' ? paint.buy('+ bought') : paint.sell('- sold');
      all.push({
        t: fill.t,
        text: `${verb} ${grouped(fill.qty)} @ ${decimal(fill.priceE4)} for ${plan.name} (${fill.cause})`,
      });
    }
  }
  for (const { t, plan, clause, code } of blotter.refusals) {
    all.push({ t, text: `${paint.loss('✗')} ${plan} ${oneLine(clause)} refused: ${oneLine(code)}` });
  }
  // Array.prototype.sort is stable: what a plan did at one instant keeps the blotter's order.
  return all.sort((a, b) => a.t - b.t);
}
