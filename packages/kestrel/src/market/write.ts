/** A tape back to canonical JSON Lines: the bytes its identity is taken over. */
import { jcs } from 'ground/jcs';
import { barsOf, EventWriter, piecesOf } from './canon.ts';
import type { Tape } from './columns.ts';

/** The header's line and each event's, each ended by LF, in chunks; a chunk may be kept. */
export function* tapeChunks(tape: Tape): Generator<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const writer = new EventWriter(piecesOf(tape.instruments), (chunk) => chunks.push(chunk.slice()));
  writer.line(jcs(tape.header));
  const barAt = barsOf(tape.columns);
  for (let i = 0; i < tape.columns.length; i++) {
    writer.row(tape.columns, i, barAt);
    if (chunks.length > 0) yield* chunks.splice(0);
  }
  writer.flush();
  yield* chunks;
}

/** The whole of {@link tapeChunks} at once. */
export function writeTape(tape: Tape): Uint8Array {
  return Buffer.concat([...tapeChunks(tape)]);
}
