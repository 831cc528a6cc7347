/**
 * Masks a day before its identity is taken: another symbol, another date, prices scaled by a factor that no output
 * names, headlines withheld. What is left is the shape of the day, its clock and its sizes.
 */
import { type Columns, Kind, sessionOf, type Tape, tapeFrom, textOfE4 } from '../market/index.ts';

export interface Mask {
  /** The name that the day goes by. */
  readonly id: string;
  /** Price factor in thousandths, above 1,000, so that prices that differ go on differing. */
  readonly factorPermille: number;
}

const SYMBOLS = ['AAA', 'BBB', 'CCC', 'DDD', 'EEE', 'FFF', 'GGG', 'HHH'] as const;
/** Every masked day is this one; a shorter session keeps its length. */
const MASKED_DATE = '2000-01-03';
const WITHHELD = '[headline withheld]';

/** @throws Error on a day with options or more symbols than masks: the recipe is ours */
export function masked(tape: Tape, mask: Mask): Tape {
  if (mask.factorPermille <= 1_000) throw new Error('a mask scales prices up');
  if (tape.instruments.length > SYMBOLS.length || tape.instruments.some((x) => x.kind === 'option')) {
    throw new Error('a masked day has a few shares or indices');
  }
  const { open } = sessionOf('XNYS', MASKED_DATE)!;
  const shift = open - tape.session.open;
  const ticks = tape.instruments.map((x) => x.tickE4);
  const scale = (e4: number, slot: number): number => {
    if (e4 <= 0) return e4;
    const tick = ticks[slot] ?? 1;
    return Math.round((e4 * mask.factorPermille) / 1_000 / tick) * tick;
  };
  const reference: Record<string, unknown> = {};
  const instruments = tape.instruments.map((x, slot) => {
    const symbol = SYMBOLS[slot]!;
    if (x.kind !== 'option') reference[symbol] = referenceOf(tape, { symbol: x.symbol, slot }, scale);
    return { symbol, kind: x.kind, tick: Number(textOfE4(x.tickE4)) };
  });
  const header = {
    v: 'kestrel.tape/v1',
    id: mask.id,
    calendar: 'XNYS',
    date: MASKED_DATE,
    session: { open, close: tape.session.close + shift },
    instruments,
    reference,
    source: 'a masked day',
    licence: 'none needed',
  };
  return tapeFrom(header, maskedColumns(tape.columns, shift, scale));
}

function referenceOf(
  tape: Tape,
  of: { readonly symbol: string; readonly slot: number },
  scale: (e4: number, slot: number) => number,
): Record<string, unknown> {
  const given = tape.reference[of.symbol];
  if (given === undefined) return {};
  const plain = JSON.parse(JSON.stringify((tape.header.reference as Record<string, unknown>)[of.symbol])) as Record<
    string,
    unknown
  >;
  const distributions = Object.entries((plain.distributions ?? {}) as Record<string, unknown>).filter(([name]) =>
    /^(velocity|range|rv|rvol|rsi|gap)\b/.test(name),
  );
  return {
    ...(given.priorCloseE4 === undefined ? {} : { priorClose: Number(textOfE4(scale(given.priorCloseE4, of.slot))) }),
    distributions: Object.fromEntries(distributions),
    ...(plain.volume === undefined ? {} : { volume: plain.volume }),
  };
}

function maskedColumns(columns: Columns, shift: number, scale: (e4: number, slot: number) => number): Columns {
  const { length, kind, inst, bars } = columns;
  const wide = (from: ArrayLike<number>): Float64Array => Float64Array.from(from);
  const t = columns.t.map((at) => at + shift);
  const a = wide(columns.a);
  const c = wide(columns.c);
  const bar = { o: wide(bars.o), h: wide(bars.h), l: wide(bars.l), c: wide(bars.c), z: bars.z, d: bars.d };
  for (let i = 0; i < length; i++) {
    const s = inst[i]!;
    switch (kind[i]) {
      case Kind.quote:
        a[i] = scale(a[i]!, s);
        c[i] = scale(c[i]!, s);
        break;
      case Kind.trade:
      case Kind.close:
        a[i] = scale(a[i]!, s);
        break;
      case Kind.bar:
        for (const side of [bar.o, bar.h, bar.l, bar.c]) side[a[i]!] = scale(side[a[i]!]!, s);
        break;
    }
  }
  return {
    length,
    t,
    kind,
    flags: columns.flags,
    inst,
    a: narrow(a),
    b: columns.b,
    c: narrow(c),
    d: columns.d,
    bars: bar,
    texts: columns.texts.map(() => WITHHELD),
    extras: new Map(),
  };
}

/** Columns as the reader of the same tape would make them: 32 bits wherever they suffice. */
function narrow(column: Float64Array): Int32Array | Float64Array {
  return column.every((x) => x >= -2_147_483_648 && x <= 2_147_483_647) ? Int32Array.from(column) : column;
}
