/** `grade` over references: sessions are found, replayed and graded; what does not replay is refused with its leaf. */
import { hashOf } from 'ground/digest';
import { type GradeOutcome, gradeProofs, type Sliced, verifyProof } from '../session/index.ts';
import type { Host, Offer } from './host.ts';
import { AgentRefusal } from './refusal.ts';
import type { Log } from './sessions.ts';
import { tapeIn, termsIn } from './sessions.ts';

/** Blotters of one grade. */
export const BLOTTERS_MAX = 10_000;

export type Gated =
  | { readonly gated: false; readonly value: GradeOutcome }
  | { readonly gated: true; readonly payment: Offer };

/** @throws AgentRefusal `bad-arg`, `unknown-ref` */
export function* gradeBlotters(host: Host, blotters: readonly string[]): Sliced<Gated> {
  if (blotters.length === 0 || blotters.length > BLOTTERS_MAX) {
    throw new AgentRefusal('bad-arg', 'grade: blotters holds session ids or blotter references', {
      path: 'blotters',
      expected: `1 to ${BLOTTERS_MAX} references`,
      got: String(blotters.length),
    });
  }
  const found = new Map<string, { readonly log: Log; readonly ref: string }>();
  blotters.forEach((ref, i) => {
    const log = logOf(host, ref);
    if (log === undefined) {
      throw new AgentRefusal('unknown-ref', `blotters[${i}]: there is no finished session of that reference`, {
        path: `blotters[${i}]`,
        expected: 'the id of a finalized session, or blotter:sha256',
        got: ref,
      });
    }
    if (!found.has(log.id)) found.set(log.id, { log, ref: `blotters[${i}]` });
  });
  const payment = host.gate('grades');
  if (payment !== undefined) return { gated: true, payment };
  const subjects = [];
  for (const { log, ref } of found.values()) {
    const proof = host.sessions.proof(log)!;
    yield* host.ready(tapeIn(log));
    const terms = termsIn(log, () => host.store());
    const verdict = yield* verifyProof(proof, terms);
    if (verdict.kind === 'differs') {
      throw new AgentRefusal('unknown-ref', `${ref} does not replay: the first leaf that differs is ${verdict.leaf}`, {
        path: ref,
        expected: verdict.expected,
        got: verdict.got,
      });
    }
    subjects.push({ proof, terms, blotter: `blotter:${hashOf(proof.blotter)}` });
  }
  const value = yield* gradeProofs(subjects);
  const answer = { gated: false, value } as const;
  host.store().keep(`grade:${hashOf(value)}`, value);
  host.store().note('grade', hashOf({ blotters }), answer);
  return answer;
}

/** A finalized session by its id or its blotter. */
function logOf(host: Host, ref: string): Log | undefined {
  const log = ref.startsWith('blotter:') ? host.store().sessionWith(ref) : host.sessions.log(ref);
  if (log?.find('finalize') === undefined) return undefined;
  return log;
}
