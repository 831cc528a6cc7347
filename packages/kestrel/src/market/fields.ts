/** The fields of events: their names, which kinds have them, and the slots a reader fills. One table for both readers. */
import { Kind } from './columns.ts';

/** Slots of numbers: prices in E4, sizes and times as they are. Each is also a bit of a mask. */
export const Slot = { t: 0, a: 1, az: 2, b: 3, bz: 4, p: 5, z: 6, K: 7, o: 8, h: 9, l: 10, c: 11, d: 12 } as const;
export type SlotName = keyof typeof Slot;
export const SLOTS = 13;

/** Bits beyond the numbers. */
export const Bit = {
  s: 1 << 13,
  x: 1 << 14,
  r: 1 << 15,
  on: 1 << 16,
  text: 1 << 17,
  k: 1 << 18,
  suspect: 1 << 19,
} as const;

export type EventName = 'quote' | 'trade' | 'oquote' | 'otrade' | 'bar' | 'halt' | 'news' | 'close' | 'oi';
export type FieldName = SlotName | keyof typeof Bit;

export interface EventShape {
  readonly kind: number;
  readonly required: readonly FieldName[];
  readonly optional: readonly FieldName[];
}

/** What each kind must and may have. Any further field is kept as it came. */
export const EVENTS: ReadonlyMap<string, EventShape> = new Map<EventName, EventShape>([
  ['quote', { kind: Kind.quote, required: ['t', 's'], optional: ['b', 'bz', 'a', 'az', 'suspect'] }],
  ['trade', { kind: Kind.trade, required: ['t', 's', 'p', 'z'], optional: ['suspect'] }],
  ['oquote', { kind: Kind.oquote, required: ['t', 's', 'x', 'r', 'K'], optional: ['b', 'bz', 'a', 'az', 'suspect'] }],
  ['otrade', { kind: Kind.otrade, required: ['t', 's', 'x', 'r', 'K', 'p', 'z'], optional: ['suspect'] }],
  ['bar', { kind: Kind.bar, required: ['t', 's', 'd', 'o', 'h', 'l', 'c', 'z'], optional: [] }],
  ['halt', { kind: Kind.halt, required: ['t', 's', 'on'], optional: [] }],
  ['news', { kind: Kind.news, required: ['t', 'text'], optional: [] }],
  ['close', { kind: Kind.close, required: ['t', 's', 'p'], optional: [] }],
  ['oi', { kind: Kind.other, required: ['t', 's', 'x', 'r', 'K', 'z'], optional: [] }],
]);

const BITS: ReadonlyMap<string, number> = new Map<string, number>([
  ...Object.entries(Slot).map(([name, slot]) => [name, 1 << slot] as const),
  ...Object.entries(Bit),
]);

export function bitOf(field: FieldName): number {
  return BITS.get(field)!;
}

function maskOf(fields: readonly FieldName[]): number {
  return fields.reduce((mask, field) => mask | bitOf(field), Bit.k);
}

/** Masks by `Kind`, of the kinds that the fast reader takes; 0 for the others, which no line of theirs can meet. */
export const REQUIRED = new Int32Array(16);
export const ALLOWED = new Int32Array(16);
for (const shape of EVENTS.values()) {
  if (shape.kind === Kind.news || shape.kind === Kind.other) continue;
  REQUIRED[shape.kind] = maskOf(shape.required);
  ALLOWED[shape.kind] = maskOf([...shape.required, ...shape.optional]);
}
