/**
 * Canonical text of events (RFC 8785, names in order, one line each), written straight from columns, and the
 * tape's identity over it.
 */
import { createHash, type Hash } from 'node:crypto';
import type { Sha256 } from 'ground/digest';
import { ABSENT, type Columns, Flag, Kind, type TapeInstrument } from './columns.ts';
import { textOfE4 } from './decimal.ts';
import { putBytes, putE4, putInteger } from './digits.ts';
import { textOfLength } from './duration.ts';

/** What the writer reads of a row; both growing and finished columns have it. */
export interface Rows {
  readonly t: ArrayLike<number>;
  readonly kind: ArrayLike<number>;
  readonly flags: ArrayLike<number>;
  readonly inst: ArrayLike<number>;
  readonly a: ArrayLike<number>;
  readonly b: ArrayLike<number>;
  readonly c: ArrayLike<number>;
  readonly d: ArrayLike<number>;
  readonly texts: readonly string[];
  readonly extras: ReadonlyMap<number, string>;
}

/** A bar as the writer wants it. */
export type BarAt = (index: number) => {
  readonly o: number;
  readonly h: number;
  readonly l: number;
  readonly c: number;
  readonly z: number;
  readonly d: number;
};

const CHUNK_BYTES = 1 << 17;
/** No event written from columns alone is longer: numbers are bounded, and so are symbols. */
const EVENT_BYTES_MAX = 1024;

const utf8 = new TextEncoder();
const bytesOf = (text: string): Uint8Array => utf8.encode(text);

const A = bytesOf('"a":');
const AZ = bytesOf('"az":');
const B = bytesOf('"b":');
const BZ = bytesOf('"bz":');
const Z = bytesOf(',"z":');
const SUSPECT_T = bytesOf(',"suspect":true,"t":');
const T = bytesOf(',"t":');
const NEWS = bytesOf('{"k":"news","t":');
const HALT_ON = bytesOf('{"k":"halt","on":true');
const HALT_OFF = bytesOf('{"k":"halt","on":false');
const CLOSE_P = bytesOf('{"k":"close","p":');
const COMMA = 0x2c;
const LF = 0x0a;
const END = bytesOf('}\n');

/** The pieces of an instrument's events that never change. */
export interface Pieces {
  /** `{` of shares, `{"K":168,` of an option. */
  readonly quote: Uint8Array;
  /** `"k":"quote"` and the symbol, up to the time or the mark of a suspect. */
  readonly quoteSymbol: Uint8Array;
  /** `{"k":"trade","p":`, of an option with its strike. */
  readonly trade: Uint8Array;
  /** `,"s":"SPY"`, of an option with its right. */
  readonly symbol: Uint8Array;
  /** `,"x":"2013-10-11"`, empty for shares. */
  readonly expiry: Uint8Array;
}

export class EventWriter {
  private readonly pieces: readonly Pieces[];
  private readonly buffer: Uint8Array;
  private at = 0;
  private readonly emit: (chunk: Uint8Array) => void;

  /** @param emit is given each full chunk; the bytes are overwritten after it returns */
  constructor(pieces: readonly Pieces[], emit: (chunk: Uint8Array) => void, chunkBytes = CHUNK_BYTES) {
    this.pieces = pieces;
    this.emit = emit;
    this.buffer = new Uint8Array(chunkBytes);
  }

  /** A whole line as given, such as the header. */
  line(text: string): void {
    // A UTF-16 unit is at most three bytes.
    const most = text.length * 3 + 1;
    if (most > this.buffer.length - this.at) this.flush();
    if (most > this.buffer.length) {
      this.emit(bytesOf(`${text}\n`));
      return;
    }
    this.at += utf8.encodeInto(text, this.buffer.subarray(this.at)).written;
    this.buffer[this.at++] = LF;
  }

  /** The canonical line of a row. */
  row(rows: Rows, i: number, barAt: BarAt): void {
    if (rows.extras.size > 0) {
      const extra = rows.extras.get(i);
      if (extra !== undefined) {
        this.line(extra);
        return;
      }
    }
    if (this.at > this.buffer.length - EVENT_BYTES_MAX) this.flush();
    this.known(rows, i, barAt);
  }

  flush(): void {
    if (this.at === 0) return;
    this.emit(this.buffer.subarray(0, this.at));
    this.at = 0;
  }

  /** The line that the columns alone would give. */
  private known(rows: Rows, i: number, barAt: BarAt): void {
    const kind = rows.kind[i]!;
    switch (kind) {
      case Kind.quote:
      case Kind.oquote:
        this.at = this.quote(rows, i, this.at);
        return;
      case Kind.trade:
      case Kind.otrade:
        this.at = this.trade(rows, i, this.at);
        return;
      case Kind.bar:
        this.at = this.bar(rows, i, barAt(rows.a[i]!));
        return;
      case Kind.halt: {
        const at = putBytes(this.buffer, this.at, (rows.flags[i]! & Flag.on) !== 0 ? HALT_ON : HALT_OFF);
        this.at = this.symbolAndTime(rows, i, at);
        return;
      }
      case Kind.close: {
        const at = putE4(this.buffer, putBytes(this.buffer, this.at, CLOSE_P), rows.a[i]!);
        this.at = this.symbolAndTime(rows, i, at);
        return;
      }
      case Kind.news: {
        this.at = putInteger(this.buffer, putBytes(this.buffer, this.at, NEWS), rows.t[i]!);
        this.line(`,"text":${JSON.stringify(rows.texts[rows.a[i]!]!)}}`);
        return;
      }
      case Kind.other:
        this.line(rows.texts[rows.a[i]!]!);
        return;
      default:
        throw new RangeError(`row ${i} has no kind ${kind}`);
    }
  }

  private quote(rows: Rows, i: number, from: number): number {
    const { buffer } = this;
    const pieces = this.pieces[rows.inst[i]!]!;
    const askE4 = rows.c[i]!;
    const askSize = rows.d[i]!;
    const bidE4 = rows.a[i]!;
    const bidSize = rows.b[i]!;
    let at = putBytes(buffer, from, pieces.quote);
    if (askE4 !== ABSENT) {
      at = putE4(buffer, putBytes(buffer, at, A), askE4);
      buffer[at++] = COMMA;
    }
    if (askSize !== ABSENT) {
      at = putInteger(buffer, putBytes(buffer, at, AZ), askSize);
      buffer[at++] = COMMA;
    }
    if (bidE4 !== ABSENT) {
      at = putE4(buffer, putBytes(buffer, at, B), bidE4);
      buffer[at++] = COMMA;
    }
    if (bidSize !== ABSENT) {
      at = putInteger(buffer, putBytes(buffer, at, BZ), bidSize);
      buffer[at++] = COMMA;
    }
    at = putBytes(buffer, at, pieces.quoteSymbol);
    at = putBytes(buffer, at, (rows.flags[i]! & Flag.suspect) === 0 ? T : SUSPECT_T);
    at = putInteger(buffer, at, rows.t[i]!);
    return putBytes(buffer, putBytes(buffer, at, pieces.expiry), END);
  }

  private trade(rows: Rows, i: number, from: number): number {
    const { buffer } = this;
    const pieces = this.pieces[rows.inst[i]!]!;
    let at = putE4(buffer, putBytes(buffer, from, pieces.trade), rows.a[i]!);
    at = putBytes(buffer, at, pieces.symbol);
    at = putBytes(buffer, at, (rows.flags[i]! & Flag.suspect) === 0 ? T : SUSPECT_T);
    at = putInteger(buffer, at, rows.t[i]!);
    at = putBytes(buffer, putBytes(buffer, at, pieces.expiry), Z);
    return putBytes(buffer, putInteger(buffer, at, rows.b[i]!), END);
  }

  private bar(rows: Rows, i: number, bar: ReturnType<BarAt>): number {
    const { buffer } = this;
    const { c, d, h, l, o, z } = bar;
    const high = `"d":"${textOfLength(d)}","h":${textOfE4(h)}`;
    const text = `{"c":${textOfE4(c)},${high},"k":"bar","l":${textOfE4(l)},"o":${textOfE4(o)}`;
    let at = putBytes(buffer, this.at, bytesOf(text));
    at = putBytes(buffer, at, this.pieces[rows.inst[i]!]!.symbol);
    at = putInteger(buffer, putBytes(buffer, at, T), rows.t[i]!);
    at = putInteger(buffer, putBytes(buffer, at, Z), z);
    return putBytes(buffer, at, END);
  }

  private symbolAndTime(rows: Rows, i: number, from: number): number {
    const { buffer } = this;
    const at = putBytes(buffer, putBytes(buffer, from, this.pieces[rows.inst[i]!]!.symbol), T);
    return putBytes(buffer, putInteger(buffer, at, rows.t[i]!), END);
  }
}

/** Feeds the canonical lines of a tape to SHA-256 as they come. */
export class IdentityWriter extends EventWriter {
  private readonly hash: Hash;

  constructor(pieces: readonly Pieces[]) {
    const hash = createHash('sha256');
    super(pieces, (chunk) => hash.update(chunk));
    this.hash = hash;
  }

  /** Bytes that are canonical already, whole lines each ended by LF. */
  bytes(lines: Uint8Array): void {
    this.flush();
    this.hash.update(lines);
  }

  identity(): Sha256 {
    this.flush();
    return this.hash.digest('hex') as Sha256;
  }
}

export function barsOf(columns: Columns): BarAt {
  const { bars } = columns;
  return (i) => ({ o: bars.o[i]!, h: bars.h[i]!, l: bars.l[i]!, c: bars.c[i]!, z: bars.z[i]!, d: bars.d[i]! });
}

/** SHA-256 of the header's line and each event's, each ended by LF: of the very bytes that `tape cat` prints. */
export function identityOf(tape: {
  readonly headerText: string;
  readonly instruments: readonly TapeInstrument[];
  readonly columns: Columns;
}): Sha256 {
  const writer = new IdentityWriter(piecesOf(tape.instruments));
  writer.line(tape.headerText);
  const barAt = barsOf(tape.columns);
  for (let i = 0; i < tape.columns.length; i++) writer.row(tape.columns, i, barAt);
  return writer.identity();
}

export function piecesOf(instruments: readonly TapeInstrument[]): readonly Pieces[] {
  return instruments.map(piecesOfOne);
}

function piecesOfOne(instrument: TapeInstrument): Pieces {
  if (instrument.kind === 'option') {
    const { root, right, expiry, strikeE4 } = instrument;
    const strike = `{"K":${textOfE4(strikeE4)},`;
    const symbol = `,"r":"${right}","s":${JSON.stringify(root)}`;
    return {
      quote: bytesOf(strike),
      quoteSymbol: bytesOf(`"k":"oquote"${symbol}`),
      trade: bytesOf(`${strike}"k":"otrade","p":`),
      symbol: bytesOf(symbol),
      expiry: bytesOf(`,"x":"${expiry}"`),
    };
  }
  const symbol = `,"s":${JSON.stringify(instrument.symbol)}`;
  return {
    quote: bytesOf('{'),
    quoteSymbol: bytesOf(`"k":"quote"${symbol}`),
    trade: bytesOf('{"k":"trade","p":'),
    symbol: bytesOf(symbol),
    expiry: bytesOf(''),
  };
}
