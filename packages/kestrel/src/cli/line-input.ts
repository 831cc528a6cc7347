/** Lines of a descriptor, read as they come: a bound on each, strict UTF-8, LF or CRLF, a byte order mark at the start. */
import { readSync } from 'node:fs';

export type InputLine =
  | { readonly kind: 'text'; readonly text: string }
  /** More bytes than a line may have; what follows is not read. */
  | { readonly kind: 'too-long' }
  | { readonly kind: 'not-utf8' };

const READ_BYTES = 1 << 18;
const LF = 10;
const CR = 13;
/** Wait between two looks at a descriptor that does not block. */
const LOOK_MS = 1;

export class LineInput {
  readonly #fd: number;
  readonly #bytesMax: number;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #chunk: Uint8Array = new Uint8Array(0);
  #at = 0;
  /** Pieces of a line whose end has not come. */
  #pieces: Uint8Array[] = [];
  #pieceBytes = 0;
  #ended = false;
  #first = true;

  constructor(fd: number, bytesMax: number) {
    this.#fd = fd;
    this.#bytesMax = bytesMax;
  }

  /** Whether a whole line is here already, so that reading it waits for nobody. */
  get ready(): boolean {
    return this.#chunk.indexOf(LF, this.#at) >= 0;
  }

  /** The next line without its end; undefined at the end of the input. */
  next(): InputLine | undefined {
    for (;;) {
      const end = this.#chunk.indexOf(LF, this.#at);
      if (end >= 0) {
        const piece = this.#chunk.subarray(this.#at, end);
        this.#at = end + 1;
        return this.#line(piece);
      }
      const rest = this.#chunk.subarray(this.#at);
      if (rest.length > 0) {
        this.#pieces.push(rest);
        this.#pieceBytes += rest.length;
      }
      if (this.#pieceBytes > this.#bytesMax) return { kind: 'too-long' };
      this.#chunk = this.#ended ? new Uint8Array(0) : this.#read();
      this.#at = 0;
      if (this.#chunk.length > 0) continue;
      this.#ended = true;
      return this.#pieceBytes === 0 ? undefined : this.#line(new Uint8Array(0));
    }
  }

  #line(last: Uint8Array): InputLine {
    let bytes = last;
    if (this.#pieces.length > 0) {
      bytes = Buffer.concat([...this.#pieces, last]);
      this.#pieces = [];
      this.#pieceBytes = 0;
    }
    if (bytes.at(-1) === CR) bytes = bytes.subarray(0, -1);
    if (bytes.length > this.#bytesMax) return { kind: 'too-long' };
    try {
      let text = this.#decoder.decode(bytes);
      if (this.#first && text.startsWith('\ufeff')) text = text.slice(1);
      this.#first = false;
      return { kind: 'text', text };
    } catch {
      return { kind: 'not-utf8' };
    }
  }

  #read(): Uint8Array {
    const chunk = Buffer.allocUnsafe(READ_BYTES);
    for (;;) {
      try {
        return chunk.subarray(0, readSync(this.#fd, chunk, 0, chunk.length, null));
      } catch (error) {
        const { code } = error as { code?: unknown };
        if (code === 'EAGAIN') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
        else if (code === 'EOF') return chunk.subarray(0, 0);
        else throw error;
      }
    }
  }
}
