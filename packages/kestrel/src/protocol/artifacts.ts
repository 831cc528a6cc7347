/** Artifacts by reference, `kind:sha256`: read back from the session's log that names them, and checked on the way. */
import { hashOf } from 'ground/digest';
import type { Host } from './host.ts';
import { AgentRefusal } from './refusal.ts';
import { eventsOf, type Log, transcriptOf } from './sessions.ts';

export const ARTIFACT_KINDS = ['blotter', 'transcript', 'frame', 'proof', 'grade', 'document'] as const;
export type ArtifactKind = (typeof ARTIFACT_KINDS)[number];

export interface Artifact {
  readonly ref: string;
  readonly kind: string;
  readonly value: unknown;
}

/** @throws AgentRefusal `unknown-ref` */
export function artifactOf(host: Host, ref: string): Artifact {
  const colon = ref.indexOf(':');
  const kind = ARTIFACT_KINDS.find((name) => name === ref.slice(0, colon));
  const value =
    kind === undefined || !/^[0-9a-f]{64}$/.test(ref.slice(colon + 1)) ? undefined : valueBehind(host, kind, ref);
  if (kind === undefined || value === undefined) {
    throw new AgentRefusal('unknown-ref', 'there is no artifact of that reference', {
      path: 'ref',
      expected: `a reference that an answer gave: ${ARTIFACT_KINDS.map((name) => `${name}:sha256`).join(' | ')}`,
      got: ref,
    });
  }
  if (`${kind}:${hashOf(value)}` !== ref) throw new Error(`${ref} no longer is what it was`);
  return { ref, kind, value };
}

function valueBehind(host: Host, kind: ArtifactKind, ref: string): unknown {
  if (kind === 'grade') return host.store().kept(ref);
  const log = host.store().sessionWith(ref);
  return log === undefined ? undefined : inLog(log, kind, ref);
}

function inLog(log: Log, kind: Exclude<ArtifactKind, 'grade'>, ref: string): unknown {
  switch (kind) {
    case 'blotter':
    case 'proof':
      return log.find('finalize')?.kept?.[ref];
    case 'transcript':
      return transcriptOf(
        log.id,
        eventsOf(log).filter((event) => event.kind !== 'session/finalized'),
        'ended',
      );
    case 'frame':
      for (const event of eventsOf(log)) {
        if (event.kind === 'session/frame' && `frame:${event.value.slot.frameRoot}` === ref) return event.value.frame;
      }
      return undefined;
    case 'document':
      for (const event of eventsOf(log)) {
        if (event.kind !== 'session/turn' || event.value.body.kind !== 'authored') continue;
        if (`document:${hashOf(event.value.body.document)}` === ref) return event.value.body.document;
      }
      return undefined;
    default:
      return kind satisfies never;
  }
}
