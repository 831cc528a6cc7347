/** One golden day: a plan text on a tape, and the bytes of its blotter. Runs in the test and in a process of its own. */
import { jcs } from 'ground/jcs';
import { type Blotter, runDay } from '../../src/engine/index.ts';
import { parse } from '../../src/lang/index.ts';
import type { Tape } from '../../src/market/index.ts';

export const MODELS = ['strict-cross-v1', 'maker-v1'] as const;

export function playDay(tape: Tape, plan: string, fill: string): Blotter {
  const { document, diagnostics } = parse(plan);
  const first = diagnostics.find((x) => x.severity === 'error');
  if (first !== undefined) throw new Error(first.message);
  return runDay({ tape, documents: [document], fill, fees: 'us-equity-v1', rUsd: '10000' });
}

/** What a report is, byte for byte. */
export function bytesOf(blotter: Blotter): string {
  return jcs(blotter);
}
