/** Tapes for tests: a header, events as plain objects, other spellings of the same line, and arbitrary days. */
import fc from 'fast-check';
import { type ParseOptions, parseTape, type Tape, writeTape } from '../../src/market/index.ts';

export type Plain = Readonly<Record<string, unknown>>;

export const OPEN = 1_381_152_600_000_000;
export const CLOSE = 1_381_176_000_000_000;

export const HEADER: Plain = {
  v: 'kestrel.tape/v1',
  id: 'day',
  calendar: 'XNYS',
  date: '2013-10-07',
  instruments: [
    { symbol: 'SPY', kind: 'equity', tick: 0.01 },
    { symbol: 'BRK.B', kind: 'equity', tick: 0.01 },
    { symbol: 'VIX', kind: 'index', tick: 0.01 },
    {
      root: 'SPY',
      kind: 'option',
      expiry: '2013-10-11',
      strikes: [167, 168, 168.5],
      multiplier: 100,
      style: 'american',
      settles: 'close',
      tick: 0.01,
    },
  ],
};

export function tapeFromLines(lines: readonly string[], options: ParseOptions = {}): Tape {
  return parseTape(`${lines.join('\n')}\n`, options).tape;
}

export function tapeOfEvents(events: readonly Plain[], header: Plain = HEADER): Tape {
  return tapeFromLines([header, ...events].map((each) => JSON.stringify(each)));
}

export function textOf(tape: Tape): string {
  return new TextDecoder().decode(writeTape(tape));
}

/** Prices up to the bound, most of them ordinary, as a number with at most 4 decimals. */
const priceNumber = fc
  .oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 3_000_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 10_000_000_000_000 }) },
  )
  .map((e4) => e4 / 10_000);

const quotePrice = fc.oneof(
  { weight: 9, arbitrary: priceNumber },
  { weight: 1, arbitrary: fc.integer({ min: -30_000, max: 3 }).map((e4) => e4 / 10_000) },
);

const size = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 100_000 }) },
  { weight: 1, arbitrary: fc.maxSafeNat() },
);

const share = fc.constantFrom('SPY', 'BRK.B', 'VIX');
const contract = fc.record({
  s: fc.constant('SPY'),
  x: fc.constant('2013-10-11'),
  r: fc.constantFrom('C', 'P'),
  K: fc.constantFrom(167, 168, 168.5),
});
const sides = fc.record({ b: quotePrice, bz: size, a: quotePrice, az: size }, { requiredKeys: [] });
const suspect = fc.record({ suspect: fc.boolean() }, { requiredKeys: [] });
const bar = fc.tuple(fc.array(priceNumber, { minLength: 4, maxLength: 4 }), size).map(([prices, z]) => {
  const sorted = [...prices].sort((x, y) => x - y);
  return { o: sorted[1]!, h: sorted[3]!, l: sorted[0]!, c: sorted[2]!, z };
});

const merged = (...parts: fc.Arbitrary<Plain>[]): fc.Arbitrary<Plain> =>
  fc.tuple(...parts).map((each) => Object.assign({}, ...each) as Plain);
const k = (kind: string) => fc.constant({ k: kind } as Plain);

/** One event without its time. */
const event: fc.Arbitrary<Plain> = fc.oneof(
  { weight: 8, arbitrary: merged(k('quote'), fc.record({ s: share }), sides, suspect) },
  { weight: 4, arbitrary: merged(k('trade'), fc.record({ s: share, p: priceNumber, z: size }), suspect) },
  { weight: 3, arbitrary: merged(k('oquote'), contract, sides, suspect) },
  { weight: 2, arbitrary: merged(k('otrade'), contract, fc.record({ p: priceNumber, z: size })) },
  { weight: 2, arbitrary: merged(k('bar'), fc.record({ s: share }), fc.constant({ d: '1m' }), bar) },
  { weight: 1, arbitrary: merged(k('halt'), fc.record({ s: share, on: fc.boolean() })) },
  { weight: 1, arbitrary: merged(k('oi'), contract, fc.record({ z: size })) },
  { weight: 1, arbitrary: merged(k('news'), fc.record({ text: fc.string({ unit: 'grapheme', maxLength: 20 }) })) },
);

/** Fields that this version does not know, nested ones among them. */
const extra = fc.dictionary(
  fc.constantFrom('q', 'exchange', 'Ω', 'note', '__proto__', 'constructor', 'zz', 'A'),
  fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 3 }),
  ),
  { maxKeys: 2, noNullPrototype: true },
);

/** A day's events in time order; one in `plainness` has fields of its own. */
export function eventList(plainness: number): fc.Arbitrary<Plain[]> {
  return fc
    .array(fc.tuple(event, fc.integer({ min: 0, max: 2_000_000 }), fc.integer({ min: 1, max: plainness }), extra), {
      maxLength: 30,
    })
    .map((list) => {
      let t = OPEN;
      return list.map(([each, gap, luck, more]) => {
        t += gap;
        return { t, ...each, ...(luck === 1 ? more : {}) };
      });
    });
}

/** How a line may be spelled without a change of its meaning. */
export interface Spelling {
  readonly seed: number;
}

/** The same object with names in another order, blanks between the marks, and numbers written otherwise. */
export function respelled(value: unknown, dice: () => number): string {
  const blank = () => ['', '', ' ', '  ', '\t', '\r'][dice() % 6]!;
  if (typeof value === 'number') return respelledNumber(value, dice);
  if (typeof value === 'string') return respelledText(value, dice);
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value))
    return `[${blank()}${value.map((each) => respelled(each, dice)).join(`${blank()},${blank()}`)}${blank()}]`;
  const entries = Object.entries(value as Plain).sort(() => (dice() % 2 === 0 ? 1 : -1));
  const members = entries.map(
    ([name, each]) => `${respelledText(name, dice)}${blank()}:${blank()}${respelled(each, dice)}`,
  );
  return `{${blank()}${members.join(`${blank()},${blank()}`)}${blank()}}${blank()}`;
}

function respelledNumber(value: number, dice: () => number): string {
  const text = JSON.stringify(value);
  switch (dice() % 5) {
    case 0:
      return text.includes('e') ? text : text.includes('.') ? `${text}0` : `${text}.0`;
    case 1:
      return text.includes('e') ? text : `${text}e0`;
    case 2:
      return text.includes('e') || text.includes('.') || text === '0' ? text : `${text}0E-1`;
    default:
      return text;
  }
}

function respelledText(text: string, dice: () => number): string {
  if (dice() % 4 !== 0) return JSON.stringify(text);
  const units = Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`);
  return `"${units.join('')}"`;
}

/** Whole numbers that look random and are the same for a seed. */
export function diceOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % 1_000_003;
  };
}
