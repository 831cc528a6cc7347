/** Leaves a tape behind: on stdout as JSON Lines, or in a file, gzipped where its name ends in `.gz`. */
import { createWriteStream, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { makeFolder } from 'ground/folder';
import { jcs } from 'ground/jcs';
import { type Tape, tapeChunks } from '../market/index.ts';
import { counted } from './figures.ts';
import { forget, unwritable } from './files.ts';
import { type Streams, systemCode } from './streams.ts';

export interface TapeOut {
  /** Absent: stdout. */
  readonly path?: string;
  readonly form: 'text' | 'json';
}

/** @throws Failure `unavailable` where the file cannot be written; it is there whole or not at all */
export async function leaveTape(tape: Tape, { path, form }: TapeOut, streams: Streams): Promise<void> {
  if (path === undefined) {
    for (const chunk of tapeChunks(tape)) streams.write(chunk);
    return;
  }
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}.draft`);
  try {
    makeFolder(dirname(path));
    const file = createWriteStream(draft, { flush: true });
    const source = Readable.from(tapeChunks(tape));
    if (path.endsWith('.gz')) await pipeline(source, createGzip(), file);
    else await pipeline(source, file);
    renameSync(draft, path);
  } catch (error) {
    forget(draft);
    throw unwritable([path], systemCode(error));
  }
  const { id, identity, columns } = tape;
  if (form === 'json') streams.write(`${jcs({ id, identity, events: columns.length, path })}\n`);
  else streams.write(`${path}: ${counted(columns.length, 'event')}, identity ${identity}\n`);
}
