/**
 * The fast reader: one pass over the bytes of an event of a common shape, into slots of numbers, without an object.
 * It never refuses: on anything it is not sure of it answers -1, and the strict reader has the line. What it takes,
 * the strict reader would take with the same result (a property test holds them to it).
 */
import { END_US, FIRST_US } from './calendar-date.ts';
import { Flag, Kind } from './columns.ts';
import { PRICE_E4_MAX } from './decimal.ts';
import { lengthUs, textOfLength } from './duration.ts';
import { ALLOWED, Bit, REQUIRED, SLOTS, Slot } from './fields.ts';
import type { Chain, TapeHead } from './header.ts';
import { NameTable } from './names.ts';

/** Longest line, in bytes. */
export const LINE_BYTES_MAX = 1 << 20;

const QUOTE = 0x22;
const LF = 0x0a;

const TENS = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000] as const;

export class FastScanner {
  /** What the last accepted event held. */
  readonly slots = new Float64Array(SLOTS);
  mask = 0;
  kind = 0;
  inst = 0;
  flags = 0;
  private readonly bytes: Uint8Array;
  private readonly names: NameTable<number>;
  private readonly chains: NameTable<Chain>;
  /** Whether the last accepted line is its own canonical text, byte for byte. */
  canonical = false;
  /** Every line that starts before this offset ends in a LF, where all loops of the scan stop. */
  private readonly limit: number;
  private at = 0;
  private length = '';
  private lengthUs = 0;

  constructor(bytes: Uint8Array, head: TapeHead) {
    this.bytes = bytes;
    this.limit = bytes.lastIndexOf(LF);
    this.names = new NameTable(bytes, head.symbols);
    this.chains = new NameTable(bytes, head.chains);
  }

  /** @returns the offset after the line, or -1 where the strict reader must look */
  scan(start: number): number {
    const { bytes, slots } = this;
    let at = start;
    if (at > this.limit || bytes[at] !== 0x7b) return -1;
    at++;
    let canonical = true;
    let lastKey = 0;
    let mask = 0;
    let kind = -1;
    let flags = 0;
    let nameFrom = 0;
    let nameTo = 0;
    let expiryFrom = 0;
    let put = 0;
    for (;;) {
      if (bytes[at] === 0x20) {
        canonical = false;
        while (bytes[at] === 0x20) at++;
      }
      if (bytes[at] !== QUOTE) return -1;
      const key = bytes[at + 1]!;
      let second = 0;
      at += 2;
      if (bytes[at] !== QUOTE) {
        second = bytes[at]!;
        // Zero stands for a name of one letter below.
        if (second === 0) return -1;
        at++;
        if (bytes[at] !== QUOTE) {
          // The one longer name of a common shape.
          if (!(key === 0x73 && second === 0x75 && this.reads('spect"', at))) return -1;
          second = 0x100;
          at += 5;
        }
      }
      at++;
      if (bytes[at] !== 0x3a) {
        canonical = false;
        while (bytes[at] === 0x20) at++;
        if (bytes[at] !== 0x3a) return -1;
      }
      at++;
      if (bytes[at] === 0x20) {
        canonical = false;
        while (bytes[at] === 0x20) at++;
      }
      // Names in order, the shorter of a pair first: `a` before `az`, `s` before `suspect`.
      const order = key * 512 + second;
      if (order <= lastKey) canonical = false;
      lastKey = order;
      let bit = 0;
      let slot = -1;
      let scale = 4;
      switch (key) {
        case 0x74: // t
          if (second !== 0) return -1;
          slot = Slot.t;
          scale = 0;
          break;
        case 0x61: // a, az
          if (second === 0) slot = Slot.a;
          else if (second === 0x7a) {
            slot = Slot.az;
            scale = 0;
          } else return -1;
          break;
        case 0x62: // b, bz
          if (second === 0) slot = Slot.b;
          else if (second === 0x7a) {
            slot = Slot.bz;
            scale = 0;
          } else return -1;
          break;
        case 0x7a: // z
          if (second !== 0) return -1;
          slot = Slot.z;
          scale = 0;
          break;
        case 0x70: // p
          if (second !== 0) return -1;
          slot = Slot.p;
          break;
        case 0x4b: // K
          if (second !== 0) return -1;
          slot = Slot.K;
          break;
        case 0x68: // h
          if (second !== 0) return -1;
          slot = Slot.h;
          break;
        case 0x6c: // l
          if (second !== 0) return -1;
          slot = Slot.l;
          break;
        case 0x63: // c
          if (second !== 0) return -1;
          slot = Slot.c;
          break;
        case 0x6f: // o, on
          if (second === 0) {
            slot = Slot.o;
            break;
          }
          if (second !== 0x6e) return -1;
          bit = Bit.on;
          if (this.reads('true', at)) {
            flags |= Flag.on;
            at += 4;
          } else if (this.reads('false', at)) at += 5;
          else return -1;
          break;
        case 0x73: // s, suspect
          if (second === 0x100) {
            bit = Bit.suspect;
            if (!this.reads('true', at)) return -1;
            flags |= Flag.suspect;
            at += 4;
            break;
          }
          if (second !== 0 || bytes[at] !== QUOTE) return -1;
          bit = Bit.s;
          nameFrom = ++at;
          for (;;) {
            const c = bytes[at]!;
            if (c === QUOTE) break;
            // Escapes, control characters and text beyond ASCII are the strict reader's.
            if (!(c > 0x20 && c < 0x7f && c !== 0x5c)) return -1;
            at++;
          }
          nameTo = at++;
          break;
        case 0x6b: // k
          if (second !== 0 || bytes[at] !== QUOTE) return -1;
          bit = Bit.k;
          at++;
          switch (bytes[at]) {
            case 0x71:
              if (!this.reads('quote"', at)) return -1;
              kind = Kind.quote;
              at += 6;
              break;
            case 0x74:
              if (!this.reads('trade"', at)) return -1;
              kind = Kind.trade;
              at += 6;
              break;
            case 0x6f:
              if (this.reads('oquote"', at)) kind = Kind.oquote;
              else if (this.reads('otrade"', at)) kind = Kind.otrade;
              else return -1;
              at += 7;
              break;
            case 0x62:
              if (!this.reads('bar"', at)) return -1;
              kind = Kind.bar;
              at += 4;
              break;
            case 0x68:
              if (!this.reads('halt"', at)) return -1;
              kind = Kind.halt;
              at += 5;
              break;
            case 0x63:
              if (!this.reads('close"', at)) return -1;
              kind = Kind.close;
              at += 6;
              break;
            default:
              return -1;
          }
          break;
        case 0x78: // x
          if (second !== 0 || bytes[at] !== QUOTE || bytes[at + 11] !== QUOTE) return -1;
          bit = Bit.x;
          expiryFrom = at + 1;
          at += 12;
          break;
        case 0x72: // r
          if (second !== 0 || bytes[at] !== QUOTE || bytes[at + 2] !== QUOTE) return -1;
          bit = Bit.r;
          if (bytes[at + 1] === 0x50) put = 1;
          else if (bytes[at + 1] !== 0x43) return -1;
          at += 3;
          break;
        case 0x64: {
          // d
          if (second !== 0 || bytes[at] !== QUOTE) return -1;
          bit = 1 << Slot.d;
          const us = this.readLength(at + 1);
          if (us === 0) return -1;
          slots[Slot.d] = us;
          at = this.at;
          break;
        }
        default:
          return -1;
      }
      if (slot >= 0) {
        bit = 1 << slot;
        let negative = false;
        let c = bytes[at]!;
        if (c === 0x2d) {
          negative = true;
          c = bytes[++at]!;
        }
        const first = at;
        let value = 0;
        // Nine digits fit 32 bits, where arithmetic is cheapest; the rest follows as a second part.
        let part = 0;
        while (c >= 0x30 && c <= 0x39 && at - first < 9) {
          part = (part * 10 + (c - 0x30)) | 0;
          c = bytes[++at]!;
        }
        value = part;
        if (c >= 0x30 && c <= 0x39) {
          const from = at;
          part = 0;
          while (c >= 0x30 && c <= 0x39 && at - from < 8) {
            part = (part * 10 + (c - 0x30)) | 0;
            c = bytes[++at]!;
          }
          value = value * TENS[at - from]! + part;
        }
        const digits = at - first;
        // No digits, a leading zero before others, or more than a double holds.
        if (digits === 0 || digits > 16 || (digits > 1 && bytes[first] === 0x30)) return -1;
        if (scale === 4) {
          let decimals = 0;
          if (c === 0x2e) {
            if (digits > 11) return -1;
            const from = ++at;
            c = bytes[at]!;
            part = 0;
            while (c >= 0x30 && c <= 0x39 && at - from < 5) {
              part = part * 10 + (c - 0x30);
              c = bytes[++at]!;
            }
            decimals = at - from;
            if (decimals === 0 || decimals > 4) return -1;
            if (bytes[at - 1] === 0x30) canonical = false;
            value = value * 10_000 + part * TENS[4 - decimals]!;
          } else value *= 10_000;
          if (value > PRICE_E4_MAX) return -1;
        } else if (value > Number.MAX_SAFE_INTEGER || negative) return -1;
        else if (slot === Slot.t && (value < FIRST_US || value >= END_US)) return -1;
        // A letter here is an exponent, or worse.
        if (c !== 0x2c && c !== 0x7d && c !== 0x20) return -1;
        // A price of one unit below zero is the mark of an absent one: the strict reader keeps it apart.
        if (negative) {
          if (value <= 1) return -1;
          value = -value;
        }
        slots[slot] = value;
      }
      if ((mask & bit) !== 0) return -1;
      mask |= bit;
      if (bytes[at] === 0x20) {
        canonical = false;
        while (bytes[at] === 0x20) at++;
      }
      const mark = bytes[at];
      if (mark === 0x2c) {
        at++;
        continue;
      }
      if (mark !== 0x7d) return -1;
      at++;
      break;
    }
    if (bytes[at] !== LF) {
      canonical = false;
      while (bytes[at] === 0x20 || bytes[at] === 0x0d) at++;
      if (bytes[at] !== LF) return -1;
    }
    if (at - start > LINE_BYTES_MAX) return -1;
    if (kind < 0 || (mask & REQUIRED[kind]!) !== REQUIRED[kind]! || (mask & ~ALLOWED[kind]!) !== 0) return -1;
    let inst: number | undefined;
    if (kind === Kind.oquote || kind === Kind.otrade) {
      const chain = this.chains.find(nameFrom, nameTo, expiryFrom, expiryFrom + 10);
      inst = chain?.contracts.get(slots[Slot.K]! * 2 + put);
    } else {
      inst = this.names.find(nameFrom, nameTo, 0, 0);
    }
    if (inst === undefined) return -1;
    this.mask = mask;
    this.kind = kind;
    this.flags = flags;
    this.inst = inst;
    this.canonical = canonical;
    return at + 1;
  }

  private reads(word: string, at: number): boolean {
    const { bytes } = this;
    for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word.charCodeAt(i)) return false;
    return true;
  }

  /** Microseconds of the length text at an offset, 0 where it is none; `at` is then past its closing quote. */
  private readLength(from: number): number {
    const { bytes } = this;
    let at = from;
    while (at - from < 12 && bytes[at] !== QUOTE) at++;
    if (bytes[at] !== QUOTE || at === from) return 0;
    this.at = at + 1;
    if (this.length.length === at - from && this.reads(this.length, from)) return this.lengthUs;
    const text = String.fromCharCode(...bytes.subarray(from, at));
    const us = lengthUs(text);
    // `60s` is kept as it was written, beside the columns that say `1m`.
    if (us === undefined || textOfLength(us) !== text) return 0;
    this.length = text;
    this.lengthUs = us;
    return us;
  }
}
