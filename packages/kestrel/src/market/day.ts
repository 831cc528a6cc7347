/** The day as it is read: the rules that look beyond one line, the columns, and the identity over them. */
import { jcs } from 'ground/jcs';
import { ColumnsBuilder, EVENTS_MAX } from './build.ts';
import { IdentityWriter, identityOf, piecesOf } from './canon.ts';
import { ABSENT, Flag, Kind, type Tape } from './columns.ts';
import type { StrictReader } from './event.ts';
import { bitOf, Slot } from './fields.ts';
import type { TapeHead } from './header.ts';
import { type ExactObject, plainObject } from './json.ts';
import { TapeRefusal } from './refusal.ts';
import type { Skip, SkipLog } from './skips.ts';
import { tapeOf } from './tape.ts';

export interface ParsedTape {
  readonly tape: Tape;
  /** The first lines skipped, SKIPS_TOLD_MAX of them. */
  readonly skipped: readonly Skip[];
}

/** What both readers hold of an event. */
export interface Fields {
  readonly slots: Float64Array;
  readonly mask: number;
  readonly kind: number;
  readonly inst: number;
  readonly flags: number;
}

type DayFault = 'time-back' | 'close-early' | 'price-negative' | 'bar-shape' | 'bar-length' | 'events-many';

/** The day so far: the rules that look beyond one line, and the columns. */
export class Day {
  private readonly head: TapeHead;
  private readonly rows: ColumnsBuilder;
  private readonly barLengthUs = new Map<number, number>();
  private readonly identity: IdentityWriter;
  private readonly bytes: Uint8Array;
  private lastT = 0;
  private runFrom = 0;
  private runTo = 0;
  private readonly barAt = (i: number) => this.rows.bars[i]!;

  constructor(head: TapeHead, bytes: Uint8Array, capacity: number) {
    this.head = head;
    this.bytes = bytes;
    this.rows = new ColumnsBuilder({ capacity, instruments: head.instruments.length });
    this.identity = new IdentityWriter(piecesOf(head.instruments));
    this.identity.line(head.canonical);
  }

  fault(event: Fields): DayFault | undefined {
    const { slots, kind } = event;
    if (slots[Slot.t]! < this.lastT) return 'time-back';
    if (this.rows.rows >= EVENTS_MAX) return 'events-many';
    switch (kind) {
      case Kind.trade:
      case Kind.otrade:
        return slots[Slot.p]! < 0 ? 'price-negative' : undefined;
      case Kind.close:
        if (slots[Slot.t]! < this.head.session.close) return 'close-early';
        return slots[Slot.p]! < 0 ? 'price-negative' : undefined;
      case Kind.bar:
        return this.barFault(event);
      default:
        return undefined;
    }
  }

  private barFault(event: Fields): DayFault | undefined {
    const { slots } = event;
    const low = slots[Slot.l]!;
    const high = slots[Slot.h]!;
    const open = slots[Slot.o]!;
    const close = slots[Slot.c]!;
    if (low < 0) return 'price-negative';
    if (low > open || low > close || high < open || high < close) return 'bar-shape';
    const length = this.barLengthUs.get(event.inst);
    return length !== undefined && length !== slots[Slot.d] ? 'bar-length' : undefined;
  }

  refusalOf(code: DayFault, event: Fields, line: number): TapeRefusal {
    const { slots } = event;
    const said = (expected: string, got: string | number, next?: string) =>
      new TapeRefusal(code, { line, expected, got: String(got), ...(next === undefined ? {} : { next }) });
    switch (code) {
      case 'time-back':
        return said(`"t" at or after ${this.lastT}, the line before`, slots[Slot.t]!, 'sort the events by time');
      case 'events-many':
        return said(`at most ${EVENTS_MAX} events`, 'more');
      case 'close-early':
        return said(`a close at or after the session's, ${this.head.session.close}`, slots[Slot.t]!);
      case 'price-negative':
        return said('a print at 0 or above', 'a negative price');
      case 'bar-shape':
        return said('"l" at or below "o" and "c", "h" at or above them', 'another order');
      case 'bar-length':
        return said('one length "d" for all bars of a symbol', 'another');
      default:
        return never(code);
    }
  }

  /** @param canonicalFrom where the line begins, if its bytes up to `to` are its canonical text; else -1 */
  append(event: Fields, canonicalFrom: number, to: number): void {
    this.appendRow(event);
    if (canonicalFrom < 0) {
      this.write(this.rows.rows - 1);
      return;
    }
    if (canonicalFrom !== this.runTo) {
      this.closeRun();
      this.runFrom = canonicalFrom;
    }
    this.runTo = to;
  }

  private write(row: number): void {
    this.closeRun();
    this.identity.row(this.rows, row, this.barAt);
  }

  /** Lines in a row that are canonical as they stand are hashed as they stand. */
  private closeRun(): void {
    if (this.runTo > this.runFrom) this.identity.bytes(this.bytes.subarray(this.runFrom, this.runTo));
    this.runFrom = 0;
    this.runTo = 0;
  }

  private appendRow(event: Fields): void {
    const { slots, kind, inst, flags, mask } = event;
    const t = slots[Slot.t]!;
    const { rows } = this;
    switch (kind) {
      case Kind.quote:
      case Kind.oquote:
        rows.append(
          t,
          kind,
          inst,
          flags,
          (mask & BIT_B) !== 0 ? slots[Slot.b]! : ABSENT,
          (mask & BIT_BZ) !== 0 ? slots[Slot.bz]! : ABSENT,
          (mask & BIT_A) !== 0 ? slots[Slot.a]! : ABSENT,
          (mask & BIT_AZ) !== 0 ? slots[Slot.az]! : ABSENT,
        );
        break;
      case Kind.trade:
      case Kind.otrade:
        rows.append(t, kind, inst, flags, slots[Slot.p]!, slots[Slot.z]!, 0, 0);
        break;
      case Kind.bar:
        this.barLengthUs.set(inst, slots[Slot.d]!);
        rows.bar(
          { t, inst },
          {
            o: slots[Slot.o]!,
            h: slots[Slot.h]!,
            l: slots[Slot.l]!,
            c: slots[Slot.c]!,
            z: slots[Slot.z]!,
            d: slots[Slot.d]!,
          },
        );
        break;
      case Kind.halt:
        rows.halt({ t, inst }, (flags & Flag.on) !== 0 ? 'on' : 'off');
        break;
      case Kind.close:
        rows.close({ t, inst }, { priceE4: slots[Slot.p]! });
        break;
      default:
        throw new RangeError(`no row of numbers for kind ${kind}`);
    }
    this.lastT = t;
  }

  /** Appends what the strict reader took; where the columns do not say it all, its canonical text is kept beside. */
  appendExact(event: StrictReader, source: ExactObject): void {
    const { rows } = this;
    const t = event.slots[Slot.t]!;
    switch (event.kind) {
      case Kind.other:
        rows.text({ t, kind: Kind.other }, jcs(plainObject(source)));
        break;
      case Kind.news:
        rows.text({ t, kind: Kind.news }, event.text);
        if (!event.isPlain) rows.extras.set(rows.rows - 1, jcs(plainObject(source)));
        break;
      default:
        this.appendRow(event);
        if (!event.isPlain) rows.extras.set(rows.rows - 1, jcs(plainObject(source)));
    }
    this.lastT = t;
    this.write(rows.rows - 1);
  }

  finish(skips: SkipLog): ParsedTape {
    this.closeRun();
    const columns = this.rows.columns();
    if (skips.count === 0) return { tape: tapeOf(this.head, columns, this.identity.identity()), skipped: [] };
    const head = skips.recordedIn(this.head);
    const identity = identityOf({ headerText: head.canonical, instruments: head.instruments, columns });
    return { tape: tapeOf(head, columns, identity), skipped: skips.told };
  }
}

const BIT_A = bitOf('a');
const BIT_AZ = bitOf('az');
const BIT_B = bitOf('b');
const BIT_BZ = bitOf('bz');

function never(value: never): never {
  throw new RangeError(`unreachable: ${String(value)}`);
}
