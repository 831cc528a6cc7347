/**
 * The vertical text tape: a candle a row, in the order of time, so that the rows of one frame are the first rows of the
 * next. Bodies and wicks are basis points against the anchor; the anchor itself is stamped again every few rows.
 */
import { bpsOf, type Frame, type FrameTape } from './frame.ts';
import { priceText, shownText } from './frame-text.ts';

/** Rows between two stamps of the absolute price. */
const STAMP_ROWS = 12;
const GLYPHS = '▁▂▃▄▅▆▇█';
/** Volume against the mean of the rows before, where each glyph after the first begins. */
const STEPS = [0.25, 0.5, 0.75, 1, 1.5, 2, 3] as const;
const MINUTE_US = 60_000_000;

interface Row {
  readonly t: number;
  readonly symbol: string;
  readonly o: number;
  readonly h: number;
  readonly l: number;
  readonly c: number;
  readonly z: number;
}

export interface TapeRows {
  /** How the rows are to be read; the same in every frame of a session. */
  readonly head: string;
  readonly rows: readonly string[];
}

/**
 * @param minutes length of a row; the candles of the frame must divide it
 * @returns undefined where the frame's candles do not
 */
export function tapeRows(frame: Frame, minutes: number): TapeRows | undefined {
  const clocks = clockOf(frame);
  const rows: Row[] = [];
  for (const tape of frame.tape) {
    const candle = minutesOf(tape.d);
    if (candle === undefined || candle === 0 || minutes % candle !== 0) return undefined;
    rows.push(...grouped(tape, frame, minutes * MINUTE_US));
  }
  rows.sort((a, b) => a.t - b.t || (a.symbol < b.symbol ? -1 : a.symbol > b.symbol ? 1 : 0));
  const anchors = new Map(frame.tape.map(({ symbol, anchorE4 }) => [symbol, anchorE4]));
  const many = frame.tape.length > 1;
  const out: string[] = [];
  const sums = new Map<string, { n: number; z: number }>();
  rows.forEach((row, i) => {
    const anchor = anchors.get(row.symbol);
    if (anchor === undefined || anchor === null) return;
    const name = many ? `${shownText(row.symbol)} ` : '';
    if (i % STAMP_ROWS === 0) out.push(`# ${clocks(row.t)} ${name}${priceText(row.o)}`);
    const sum = sums.get(row.symbol) ?? { n: 0, z: 0 };
    const way = row.c > row.o ? '+' : row.c < row.o ? '-' : '=';
    const [o, h, l, c] = [row.o, row.h, row.l, row.c].map((e4) => bpsOf(e4, anchor));
    out.push(`${clocks(row.t)} ${name}${way} ${o}>${c} ${l}..${h} ${glyph(row.z, sum)}`);
    sums.set(row.symbol, { n: sum.n + 1, z: sum.z + row.z });
  });
  const names = frame.tape.map(({ symbol, anchorE4 }) => `${shownText(symbol)} ${priceText(anchorE4)}`);
  return {
    head: `tape ${minutes}m, observed: end way open>close low..high volume, bps of ${names.join(', ')}`,
    rows: out,
  };
}

function glyph(z: number, before: { readonly n: number; readonly z: number }): string {
  if (before.n === 0 || before.z === 0) return GLYPHS[3]!;
  const ratio = (z * before.n) / before.z;
  return GLYPHS[STEPS.filter((step) => ratio >= step).length]!;
}

/** Whole rows only: a row that is not over yet would have to be taken back. */
function grouped(tape: FrameTape, frame: Frame, us: number): Row[] {
  const open = frame.t - (sessionMinutes(frame) * MINUTE_US + secondsOver(frame));
  const rows: Row[] = [];
  for (const { t, o, h, l, c, z } of tape.candles) {
    const end = open + Math.ceil((t - open) / us) * us;
    if (end > frame.t) continue;
    const last = rows.at(-1);
    if (last?.t !== end) rows.push({ t: end, symbol: tape.symbol, o, h, l, c, z });
    else {
      rows[rows.length - 1] = { ...last, h: Math.max(last.h, h), l: Math.min(last.l, l), c, z: last.z + z };
    }
  }
  return rows;
}

/** Rows are counted from midnight of the exchange: sessions open on whole and half hours. */
function sessionMinutes(frame: Frame): number {
  const [h = 0, m = 0] = frame.clock.split(':').map(Number);
  return h * 60 + m;
}

function secondsOver(frame: Frame): number {
  const s = Number(frame.clock.slice(6, 8));
  return s * 1_000_000 + (frame.t % 1_000_000);
}

/** Exchange-local `HH:MM` of an instant of the frame's day, reckoned from the frame's own clock. */
export function clockOf(frame: Frame): (t: number) => string {
  const clock = secondsClockOf(frame);
  return (t) => clock(t).slice(0, 5);
}

/** The same to the second, `HH:MM:SS`. */
export function secondsClockOf(frame: Frame): (t: number) => string {
  const [h = 0, m = 0, s = 0] = frame.clock.split(':').map(Number);
  const now = (h * 60 + m) * 60 + s;
  const second = Math.floor(frame.t / 1_000_000);
  return (t) => {
    const at = (((now + Math.floor(t / 1_000_000) - second) % 86_400) + 86_400) % 86_400;
    return [Math.floor(at / 3_600), Math.floor(at / 60) % 60, at % 60]
      .map((part) => String(part).padStart(2, '0'))
      .join(':');
  };
}

export function minutesOf(d: string): number | undefined {
  const parts = /^([0-9]+)([mh])$/.exec(d);
  if (parts === null) return undefined;
  return Number(parts[1]) * (parts[2] === 'h' ? 60 : 1);
}
