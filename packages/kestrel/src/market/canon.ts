/**
 * Canonical text of events (RFC 8785, names in order, one line each), written straight from columns, and the
 * tape's identity over it.
 */
import { createHash, type Hash } from 'node:crypto';
import type { Sha256 } from 'ground/digest';
import { ABSENT, type Columns, Flag, Kind, type TapeInstrument } from './columns.ts';
import { textOfE4 } from './decimal.ts';
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

const ascii = new TextEncoder();
const bytesOf = (text: string): Uint8Array => ascii.encode(text);

const A = bytesOf('"a":');
const AZ = bytesOf('"az":');
const B = bytesOf('"b":');
const BZ = bytesOf('"bz":');
const P = bytesOf(',"p":');
const Z = bytesOf(',"z":');
const SUSPECT = bytesOf(',"suspect":true');
const T = bytesOf(',"t":');
const NEWS = bytesOf('{"k":"news","t":');
const HALT_ON = bytesOf('{"k":"halt","on":true');
const HALT_OFF = bytesOf('{"k":"halt","on":false');
const CLOSE_P = bytesOf('{"k":"close","p":');
const TRADE_P = bytesOf('{"k":"trade","p":');

/** The pieces of an instrument's events that never change. */
export interface Pieces {
  /** `"k":"quote","s":"SPY"`, or the same of an option with its right. */
  readonly quoteTail: Uint8Array;
  /** `{` or `{"K":168,` */
  readonly head: Uint8Array;
  /** `"k":"otrade"` of an option, with its comma. */
  readonly otrade: Uint8Array;
  /** `,"r":"C"` and `,"s":"SPY"` */
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
    this.flush();
    this.emit(bytesOf(text + '\n'));
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
  protected known(rows: Rows, i: number, barAt: BarAt): void {
    const kind = rows.kind[i]!;
    const inst = rows.inst[i]!;
    switch (kind) {
      case Kind.quote:
      case Kind.oquote: {
        const pieces = this.pieces[inst]!;
        this.put(pieces.head);
        const askE4 = rows.c[i]!;
        const askSize = rows.d[i]!;
        const bidE4 = rows.a[i]!;
        const bidSize = rows.b[i]!;
        if (askE4 !== ABSENT) this.price(A, askE4);
        if (askSize !== ABSENT) this.size(AZ, askSize);
        if (bidE4 !== ABSENT) this.price(B, bidE4);
        if (bidSize !== ABSENT) this.size(BZ, bidSize);
        this.put(pieces.quoteTail);
        this.end(rows, i, pieces.expiry);
        return;
      }
      case Kind.trade: {
        this.put(TRADE_P);
        this.e4(rows.a[i]!);
        this.put(this.pieces[inst]!.symbol);
        if ((rows.flags[i]! & Flag.suspect) !== 0) this.put(SUSPECT);
        this.put(T);
        this.integer(rows.t[i]!);
        this.put(Z);
        this.integer(rows.b[i]!);
        this.finish();
        return;
      }
      case Kind.otrade: {
        const pieces = this.pieces[inst]!;
        this.put(pieces.otrade);
        this.put(P);
        this.e4(rows.a[i]!);
        this.put(pieces.symbol);
        if ((rows.flags[i]! & Flag.suspect) !== 0) this.put(SUSPECT);
        this.put(T);
        this.integer(rows.t[i]!);
        this.put(pieces.expiry);
        this.put(Z);
        this.integer(rows.b[i]!);
        this.finish();
        return;
      }
      case Kind.bar: {
        const bar = barAt(rows.a[i]!);
        const { c, d, h, l, o, z } = bar;
        this.text(
          `{"c":${textOfE4(c)},"d":"${textOfLength(d)}","h":${textOfE4(h)},"k":"bar","l":${textOfE4(l)},"o":${textOfE4(o)}`,
        );
        this.put(this.pieces[inst]!.symbol);
        this.put(T);
        this.integer(rows.t[i]!);
        this.put(Z);
        this.integer(z);
        this.finish();
        return;
      }
      case Kind.halt: {
        this.put((rows.flags[i]! & Flag.on) !== 0 ? HALT_ON : HALT_OFF);
        this.put(this.pieces[inst]!.symbol);
        this.put(T);
        this.integer(rows.t[i]!);
        this.finish();
        return;
      }
      case Kind.close: {
        this.put(CLOSE_P);
        this.e4(rows.a[i]!);
        this.put(this.pieces[inst]!.symbol);
        this.put(T);
        this.integer(rows.t[i]!);
        this.finish();
        return;
      }
      case Kind.news: {
        this.put(NEWS);
        this.integer(rows.t[i]!);
        const text = bytesOf(`,"text":${JSON.stringify(rows.texts[rows.a[i]!]!)}}\n`);
        this.flush();
        this.emit(text);
        return;
      }
      case Kind.other:
        this.line(rows.texts[rows.a[i]!]!);
        return;
      default:
        throw new RangeError(`row ${i} has no kind ${kind}`);
    }
  }

  private end(rows: Rows, i: number, expiry: Uint8Array): void {
    if ((rows.flags[i]! & Flag.suspect) !== 0) this.put(SUSPECT);
    this.put(T);
    this.integer(rows.t[i]!);
    this.put(expiry);
    this.finish();
  }

  private finish(): void {
    this.buffer[this.at++] = 0x7d;
    this.buffer[this.at++] = 0x0a;
  }

  private price(name: Uint8Array, e4: number): void {
    this.put(name);
    this.e4(e4);
    this.buffer[this.at++] = 0x2c;
  }

  private size(name: Uint8Array, value: number): void {
    this.put(name);
    this.integer(value);
    this.buffer[this.at++] = 0x2c;
  }

  private text(text: string): void {
    this.put(bytesOf(text));
  }

  private put(bytes: Uint8Array): void {
    const { buffer } = this;
    let at = this.at;
    for (let i = 0; i < bytes.length; i++) buffer[at++] = bytes[i]!;
    this.at = at;
  }

  private e4(value: number): void {
    let magnitude = value;
    if (magnitude < 0) {
      this.buffer[this.at++] = 0x2d;
      magnitude = -magnitude;
    }
    const whole = Math.floor(magnitude / 10_000);
    const rest = (magnitude - whole * 10_000) | 0;
    this.integer(whole);
    if (rest === 0) return;
    const { buffer } = this;
    let at = this.at;
    const high = (rest / 100) | 0;
    const low = (rest - high * 100) | 0;
    buffer[at] = 0x2e;
    buffer[at + 1] = PAIRS[high * 2]!;
    buffer[at + 2] = PAIRS[high * 2 + 1]!;
    buffer[at + 3] = PAIRS[low * 2]!;
    buffer[at + 4] = PAIRS[low * 2 + 1]!;
    at += 5;
    while (buffer[at - 1] === 0x30) at--;
    this.at = at;
  }

  private integer(value: number): void {
    if (value < 1_000_000_000) {
      this.at = writeDigits(this.buffer, this.at, value | 0);
      return;
    }
    const high = Math.floor(value / 100_000_000);
    this.integer(high);
    this.at = writeEight(this.buffer, this.at, (value - high * 100_000_000) | 0);
  }
}

/** `00` to `99` as bytes. */
const PAIRS = Uint8Array.from({ length: 200 }, (_, i) => 0x30 + (i % 2 === 0 ? Math.floor(i / 20) : (i >> 1) % 10));

function writeDigits(buffer: Uint8Array, at: number, value: number): number {
  let end = at + digitsOf(value);
  const after = end;
  let left = value;
  while (left >= 100) {
    const high = (left / 100) | 0;
    const pair = ((left - high * 100) | 0) * 2;
    buffer[end - 1] = PAIRS[pair + 1]!;
    buffer[end - 2] = PAIRS[pair]!;
    end -= 2;
    left = high;
  }
  if (left >= 10) {
    buffer[end - 1] = PAIRS[left * 2 + 1]!;
    buffer[end - 2] = PAIRS[left * 2]!;
  } else buffer[end - 1] = 0x30 + left;
  return after;
}

/** Exactly eight digits, zeros in front. */
function writeEight(buffer: Uint8Array, at: number, value: number): number {
  let left = value;
  for (let end = at + 8; end > at; end -= 2) {
    const high = (left / 100) | 0;
    const pair = ((left - high * 100) | 0) * 2;
    buffer[end - 1] = PAIRS[pair + 1]!;
    buffer[end - 2] = PAIRS[pair]!;
    left = high;
  }
  return at + 8;
}

function digitsOf(value: number): number {
  if (value < 10_000) return value < 100 ? (value < 10 ? 1 : 2) : value < 1_000 ? 3 : 4;
  if (value < 1_000_000) return value < 100_000 ? 5 : 6;
  return value < 10_000_000 ? 7 : value < 100_000_000 ? 8 : 9;
}

/** Single lines as text, of the columns alone: what differs from it is kept beside the columns. */
export class LineWriter extends EventWriter {
  private readonly chunks: Buffer[];

  constructor(pieces: readonly Pieces[]) {
    const chunks: Buffer[] = [];
    super(pieces, (chunk) => chunks.push(Buffer.from(chunk)), EVENT_BYTES_MAX);
    this.chunks = chunks;
  }

  textOf(rows: Rows, i: number, barAt: BarAt): string {
    this.known(rows, i, barAt);
    this.flush();
    const text = Buffer.concat(this.chunks).toString('utf8', 0);
    this.chunks.length = 0;
    return text.slice(0, -1);
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
    const symbol = `,"r":"${right}","s":${JSON.stringify(root)}`;
    return {
      head: bytesOf(`{"K":${textOfE4(strikeE4)},`),
      quoteTail: bytesOf(`"k":"oquote"${symbol}`),
      otrade: bytesOf(`{"K":${textOfE4(strikeE4)},"k":"otrade"`),
      symbol: bytesOf(symbol),
      expiry: bytesOf(`,"x":"${expiry}"`),
    };
  }
  const symbol = `,"s":${JSON.stringify(instrument.symbol)}`;
  return {
    head: bytesOf('{'),
    quoteTail: bytesOf(`"k":"quote"${symbol}`),
    otrade: bytesOf(''),
    symbol: bytesOf(symbol),
    expiry: bytesOf(''),
  };
}
