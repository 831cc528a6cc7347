/** Names looked up by the bytes of a line, without making a text of them. */

/** Names of one hash beyond this many are left to the strict reader, so that made-up collisions cost nothing. */
const SAME_HASH_MAX = 4;

/** Names found by their bytes: the last one first, then by hash. Names beyond ASCII are left to the strict reader. */
export class NameTable<T> {
  private readonly bytes: Uint8Array;
  private readonly rows = new Map<number, { readonly name: Uint8Array; readonly value: T }[]>();
  private last: { readonly name: Uint8Array; readonly value: T } | undefined;

  constructor(bytes: Uint8Array, names: ReadonlyMap<string, T>) {
    this.bytes = bytes;
    for (const [text, value] of names) {
      const name = new TextEncoder().encode(text);
      const hash = hashOf(name, 0, name.length, 0, 0);
      const row = this.rows.get(hash) ?? [];
      if (row.length < SAME_HASH_MAX) row.push({ name, value });
      this.rows.set(hash, row);
    }
  }

  /** The value of the name whose bytes are two spans, a space between them if the second is not empty. */
  find(from: number, to: number, from2: number, to2: number): T | undefined {
    if (this.last !== undefined && this.is(this.last.name, from, to, from2, to2)) return this.last.value;
    for (const entry of this.rows.get(hashOf(this.bytes, from, to, from2, to2)) ?? []) {
      if (this.is(entry.name, from, to, from2, to2)) {
        this.last = entry;
        return entry.value;
      }
    }
    return undefined;
  }

  private is(name: Uint8Array, from: number, to: number, from2: number, to2: number): boolean {
    const { bytes } = this;
    const first = to - from;
    const second = to2 - from2;
    if (name.length !== first + (second > 0 ? second + 1 : 0)) return false;
    for (let i = 0; i < first; i++) if (name[i] !== bytes[from + i]) return false;
    if (second > 0) {
      if (name[first] !== 0x20) return false;
      for (let i = 0; i < second; i++) if (name[first + 1 + i] !== bytes[from2 + i]) return false;
    }
    return true;
  }
}

function hashOf(bytes: Uint8Array, from: number, to: number, from2: number, to2: number): number {
  let hash = 0;
  for (let i = from; i < to; i++) hash = (Math.imul(hash, 31) + bytes[i]!) | 0;
  if (to2 > from2) {
    hash = (Math.imul(hash, 31) + 0x20) | 0;
    for (let i = from2; i < to2; i++) hash = (Math.imul(hash, 31) + bytes[i]!) | 0;
  }
  return hash;
}
