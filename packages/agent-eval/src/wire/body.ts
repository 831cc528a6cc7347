/**
 * Bodies as they arrive: each in one buffer out of a pool. Memory that is asked for anew with every request lies about
 * until a full collection, which comes late for bytes outside the heap, and then there is far more of it than is in use.
 */

/** Smaller buffers are not kept. */
const POOLED_BYTES_MIN = 64 * 1024;
/** Free buffers that are kept for later, in all. */
const FREE_BYTES_MAX = 32 * 1024 * 1024;
/** Room that is made for a body before it has come: its length is a promise that costs its sender nothing. */
const AHEAD_BYTES = 128 * 1024;

export interface Body {
  readonly bytes: Buffer;
  /** Nobody looks at the bytes any more; another body may take their place. */
  done(): void;
}

export class BodyPool {
  /** By length. */
  readonly #free = new Map<number, Buffer[]>();
  #freeBytes = 0;

  /** @returns at least so many bytes, whose content is what was left there */
  take(bytes: number): Buffer {
    if (bytes < POOLED_BYTES_MIN) return Buffer.allocUnsafeSlow(bytes);
    const length = sizeFor(bytes);
    const found = this.#free.get(length)?.pop();
    if (found === undefined) return Buffer.allocUnsafeSlow(length);
    this.#freeBytes -= length;
    return found;
  }

  give(buffer: Buffer): void {
    const { length } = buffer;
    if (length < POOLED_BYTES_MIN || this.#freeBytes + length > FREE_BYTES_MAX) return;
    this.#freeBytes += length;
    const free = this.#free.get(length);
    if (free === undefined) this.#free.set(length, [buffer]);
    else free.push(buffer);
  }
}

/** The next quarter of a power of two, so that there are few sizes and at most a fifth of each is spare. */
function sizeFor(bytes: number): number {
  let quarter = POOLED_BYTES_MIN / 4;
  while (quarter * 8 < bytes) quarter *= 2;
  return Math.ceil(bytes / quarter) * quarter;
}

export class ArrivingBody implements Body {
  readonly #declaredBytes: number;
  readonly #pool: BodyPool;
  #room: Buffer | null = null;
  #isPooled = false;
  length = 0;

  /** @param declaredBytes 0 where the sender did not say */
  constructor(declaredBytes: number, pool: BodyPool) {
    this.#declaredBytes = declaredBytes;
    this.#pool = pool;
  }

  add(piece: Buffer): void {
    const length = this.length + piece.length;
    if (this.#room === null && piece.length >= this.#declaredBytes) this.#room = piece;
    else {
      if (this.#room === null || length > this.#room.length) this.#grow(length);
      piece.copy(this.#room!, this.length);
    }
    this.length = length;
  }

  get bytes(): Buffer {
    return this.#room === null ? Buffer.alloc(0) : this.#room.subarray(0, this.length);
  }

  done(): void {
    if (this.#isPooled) this.#pool.give(this.#room!);
    this.#room = null;
    this.#isPooled = false;
    this.length = 0;
  }

  #grow(length: number): void {
    const declared = this.#declaredBytes;
    const ahead = declared === 0 ? 2 * length : Math.min(declared, Math.max(4 * length, AHEAD_BYTES));
    const room = this.#pool.take(Math.max(length, ahead));
    this.#room?.copy(room, 0, 0, this.length);
    if (this.#isPooled) this.#pool.give(this.#room!);
    this.#room = room;
    this.#isPooled = true;
  }
}
