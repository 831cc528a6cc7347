/** The strict reader: one line of JSON to the same slots as the fast reader, with a refusal for everything else. */
import { END_US, FIRST_US } from './calendar-date.ts';
import { ABSENT, Flag, Kind } from './columns.ts';
import { PRICE_UNITS_MAX, priceE4, scaledInteger } from './decimal.ts';
import { lengthUs, textOfLength } from './duration.ts';
import { bitOf, EVENTS, type FieldName, SLOTS, Slot, type SlotName } from './fields.ts';
import { chainKey, contractKey, type TapeHead } from './header.ts';
import { ExactNumber, type ExactObject, type ExactValue, shapeOf } from './json.ts';
import { type TapeCode, TapeRefusal } from './refusal.ts';

/** Slots that hold prices. */
const PRICES: ReadonlySet<FieldName> = new Set(['a', 'b', 'p', 'K', 'o', 'h', 'l', 'c']);

export class StrictReader {
  readonly slots = new Float64Array(SLOTS);
  mask = 0;
  kind = 0;
  inst = -1;
  flags = 0;
  /** The text of news. */
  text = '';
  /** Whether the columns say all of the event: no field beyond the known, none spelled in a way they do not hold. */
  isPlain = false;
  private readonly head: TapeHead;
  private line = 0;

  constructor(head: TapeHead) {
    this.head = head;
  }

  /** @throws TapeRefusal naming the line */
  read(event: ExactValue, line: number): void {
    this.line = line;
    if (!(event instanceof Map)) throw this.refusal('field-type', 'an event object {"t":…,"k":…}', shapeOf(event));
    const object: ExactObject = event;
    const k = object.get('k');
    const shape = typeof k === 'string' ? EVENTS.get(k) : undefined;
    if (shape === undefined) {
      const code = k === undefined ? 'field-missing' : 'kind-unknown';
      throw this.refusal(code, `"k" one of ${[...EVENTS.keys()].join(', ')}`, shapeOf(k));
    }
    this.kind = shape.kind;
    this.mask = bitOf('k');
    this.flags = 0;
    this.inst = -1;
    this.isPlain = true;
    let known = 1;
    for (const field of shape.required) {
      const value = object.get(field);
      if (value === undefined) throw this.refusal('field-missing', `"${field}" in a ${k}`, 'an event without it');
      this.field(field, value);
      known++;
    }
    for (const field of shape.optional) {
      const value = object.get(field);
      if (value === undefined) continue;
      this.field(field, value);
      known++;
    }
    if (known !== object.size) this.isPlain = false;
    if (object.has('s') && (this.mask & bitOf('s')) !== 0) this.inst = this.instrument(object);
  }

  private field(field: FieldName, value: ExactValue): void {
    this.mask |= bitOf(field);
    switch (field) {
      case 't': {
        const t = value instanceof ExactNumber ? scaledInteger(value.text, 0) : 'shape';
        if (typeof t !== 'number') {
          throw this.refusal('time-bad', '"t", whole microseconds since 1970 UTC', shapeOf(value));
        }
        if (t < FIRST_US || t >= END_US) {
          const got = value instanceof ExactNumber ? value.text : shapeOf(value);
          throw this.refusal('time-bad', `"t" from ${FIRST_US} on and below ${END_US}, the years 1990 to 2030`, got);
        }
        this.slots[Slot.t] = t;
        return;
      }
      case 'd': {
        const us = typeof value === 'string' ? lengthUs(value) : undefined;
        if (us === undefined) throw this.refusal('bar-length', '"d", a length such as "1m"', shapeOf(value));
        this.slots[Slot.d] = us;
        if (textOfLength(us) !== value) this.isPlain = false;
        return;
      }
      case 's':
      case 'x':
      case 'text':
        if (typeof value !== 'string') throw this.refusal('field-type', `"${field}", a text`, shapeOf(value));
        if (field === 'text') this.text = value;
        return;
      case 'r':
        if (value !== 'C' && value !== 'P') throw this.refusal('field-type', '"r", "C" or "P"', shapeOf(value));
        return;
      case 'on':
      case 'suspect':
        if (typeof value !== 'boolean') throw this.refusal('field-type', `"${field}", true or false`, shapeOf(value));
        if (value) this.flags |= field === 'on' ? Flag.on : Flag.suspect;
        else if (field === 'suspect') this.isPlain = false;
        return;
      case 'k':
        return;
      default:
        this.slots[Slot[field]] = PRICES.has(field) ? this.price(field, value) : this.size(field, value);
    }
  }

  private price(field: SlotName, value: ExactValue): number {
    if (!(value instanceof ExactNumber)) {
      const next = value === null ? 'leave an absent side out' : undefined;
      throw this.refusal('field-type', `"${field}", a price as a number`, shapeOf(value), next);
    }
    const e4 = priceE4(value.text);
    if (typeof e4 === 'number') {
      if (e4 === ABSENT) this.isPlain = false;
      return e4;
    }
    if (e4 === 'precise') {
      const next = 'prices are never rounded: scale or correct the source';
      throw this.refusal('number-precise', `"${field}" with at most 4 decimals`, value.text, next);
    }
    throw this.refusal('price-range', `"${field}" of at most ${PRICE_UNITS_MAX} either way`, value.text);
  }

  private size(field: SlotName, value: ExactValue): number {
    if (!(value instanceof ExactNumber)) {
      const next = value === null ? 'leave an absent size out' : undefined;
      throw this.refusal('field-type', `"${field}", a size as a number`, shapeOf(value), next);
    }
    const size = scaledInteger(value.text, 0);
    if (typeof size === 'number' && size >= 0) return size;
    throw this.refusal('size-bad', `"${field}", a whole number not below 0`, value.text);
  }

  private instrument(event: ExactObject): number {
    const s = event.get('s') as string;
    if (this.kind === Kind.oquote || this.kind === Kind.otrade || this.kind === Kind.other) {
      const x = event.get('x') as string;
      const r = event.get('r') as 'C' | 'P';
      const contracts = this.head.chains.get(chainKey(s, x))?.contracts;
      const inst = contracts?.get(contractKey(this.slots[Slot.K]!, r));
      if (inst !== undefined) return inst;
      const got = `${s} ${x} ${shapeOf(event.get('K'))} ${r}`;
      throw this.refusal('contract-unknown', 'a contract that the header lists', got);
    }
    const inst = this.head.symbols.get(s);
    if (inst !== undefined) return inst;
    const known = [...this.head.symbols.keys()].slice(0, 8).join(', ');
    throw this.refusal('instrument-unknown', `an equity or index of the header (${known})`, JSON.stringify(s));
  }

  private refusal(code: TapeCode, expected: string, got: string, next?: string): TapeRefusal {
    return new TapeRefusal(code, { line: this.line, expected, got, ...(next === undefined ? {} : { next }) });
  }
}
