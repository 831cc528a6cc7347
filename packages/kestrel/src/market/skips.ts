/** What lenient reading left out: told line by line, and in the tape's own record. */
import { jcs } from 'ground/jcs';
import type { TapeHead } from './header.ts';
import { type TapeCode, TapeRefusal } from './refusal.ts';

/** Most lines that lenient reading leaves out: what has more is not this kind of file. */
export const SKIPS_MAX = 100_000;
/** Most skipped lines that are told one by one; the counts by code go on. */
export const SKIPS_TOLD_MAX = 1_000;
/** Most line numbers a code gets in the header's record. */
export const SKIP_LINES_MAX = 20;

export interface Skip {
  /** The file, where an import has several. */
  readonly source?: string;
  /** Line of the source, from 1. */
  readonly line: number;
  readonly code: TapeCode;
  readonly message: string;
}

/** `skipped` of a header: how many lines, and why. It counts in the tape's identity. */
export class SkipLog {
  count = 0;
  readonly told: Skip[] = [];
  private readonly byReason = new Map<string, Reason>();

  /** @throws TapeRefusal `skips-many` */
  add(refusal: TapeRefusal, source?: string): void {
    if (this.count >= SKIPS_MAX) {
      const at = source === undefined ? {} : { source };
      const got = `more; the last: ${refusal.message}`;
      throw new TapeRefusal('skips-many', {
        ...at,
        line: refusal.line,
        expected: `at most ${SKIPS_MAX} bad lines`,
        got,
      });
    }
    const { line, code, message } = refusal;
    // Where files lie on one machine is no part of a tape.
    const from = source === undefined ? {} : { source: source.replace(/^.*[\\/]/, '') };
    this.count++;
    if (this.told.length < SKIPS_TOLD_MAX) this.told.push({ ...from, line, code, message });
    const key = `${code} ${from.source ?? ''}`;
    const reason = this.byReason.get(key) ?? { ...from, code, count: 0, lines: [] };
    reason.count++;
    if (reason.lines.length < SKIP_LINES_MAX) reason.lines.push(line);
    this.byReason.set(key, reason);
  }

  /** The head whose header says what was skipped; a record that was there before is kept inside the new one. */
  recordedIn(head: TapeHead): TapeHead {
    if (this.count === 0) return head;
    const why = [...this.byReason.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, reason]) => reason);
    const before = head.header.skipped === undefined ? {} : { before: head.header.skipped };
    const header: Record<string, unknown> = Object.assign(Object.create(null), head.header);
    header.skipped = { count: this.count, why, ...before };
    return { ...head, header, canonical: jcs(header) };
  }
}

interface Reason {
  readonly source?: string;
  readonly code: TapeCode;
  count: number;
  readonly lines: number[];
}
