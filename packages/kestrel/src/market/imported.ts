/** What importers take and give, and the last step of all of them. */
import type { ColumnsBuilder } from './build.ts';
import { identityOf } from './canon.ts';
import type { Tape } from './columns.ts';
import type { TapeHead } from './header.ts';
import type { Skip, SkipLog } from './skips.ts';
import { readWhole } from './source.ts';
import { tapeOf } from './tape.ts';

export interface NamedBytes {
  /** A path or a name; only read for what it tells, and shown in refusals. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface Imported {
  readonly tape: Tape;
  /** The first rows skipped, where bad rows are. */
  readonly skipped: readonly Skip[];
}

/** Files as importers take them; `-` is standard input. @throws TapeRefusal `file-unreadable`, `bytes-many` */
export function readNamed(paths: readonly string[]): NamedBytes[] {
  return paths.map((path) => ({ name: path, bytes: readWhole(path === '-' ? '/dev/stdin' : path).bytes }));
}

export function finishImport(head: TapeHead, rows: ColumnsBuilder, skips: SkipLog): Imported {
  const columns = rows.columns();
  const recorded = skips.recordedIn(head);
  const identity = identityOf({ headerText: recorded.canonical, instruments: head.instruments, columns });
  return { tape: tapeOf(recorded, columns, identity), skipped: skips.told };
}
