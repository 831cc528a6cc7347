/** `openSession`: pins a subject, or takes up a session that was opened before. */
import { z } from 'zod';
import { EngineRefusal } from '../../engine/index.ts';
import { op } from '../op.ts';
import { AgentRefusal } from '../refusal.ts';
import { Opened, SessionRef } from '../shapes.ts';
import { catalogTerms, datasetTerms, identityBehind, unknown } from '../subjects.ts';

export const openSession = op({
  name: 'openSession',
  session: false,
  about: 'opens a session of a subject; everything about it is pinned here',
  args: z.strictObject({ subject: SessionRef, document: z.string().optional() }),
  emits: Opened,
  *run({ host, stream }, { subject, document }) {
    if (stream.open) {
      throw new AgentRefusal(
        'session-open',
        `the session ${stream.sessionId} of this stream is open; finalize it first`,
        {
          expected: 'finalize',
          ...(stream.sessionId === null ? {} : { got: stream.sessionId }),
        },
      );
    }
    const take = (sessionId: string): { gated: false; sessionId: string } => {
      stream.sessionId = sessionId;
      stream.open = true;
      stream.shown = null;
      return { gated: false, sessionId };
    };
    if (subject.kind === 'session') {
      if (document !== undefined) throw noDocument('an opened session has its document');
      if (host.sessions.log(subject.id) === undefined) {
        throw new AgentRefusal('unknown-subject', unknown('session', subject.id, host.sessions.ids()), {
          path: 'subject.id',
          expected: 'the id of a session of this store',
          got: subject.id,
        });
      }
      return take(subject.id);
    }
    if (subject.kind === 'dataset' && document !== undefined) {
      throw noDocument('the document of a dataset subject is its source');
    }
    if (subject.kind === 'catalog' && host.mode === 'managed' && document === undefined) {
      throw new AgentRefusal('document-required', 'on this server a catalog subject needs a strategy of your own', {
        path: 'document',
        expected: 'document: string, the text of a plan',
        got: 'nothing',
      });
    }
    yield* host.ready(identityBehind(subject, () => host.store()));
    const terms =
      subject.kind === 'catalog'
        ? catalogTerms(subject.id, () => host.store(), host.mode === 'managed' ? document : undefined)
        : datasetTerms(subject.dataset, subject.source, () => host.store());
    const payment = host.gate('sessions');
    if (payment !== undefined) return { gated: true as const, payment };
    try {
      return take(host.sessions.open(terms));
    } catch (error) {
      // What only the engine knows to refuse in a document is still a fault of the document.
      if (!(error instanceof EngineRefusal)) throw error;
      const path = subject.kind === 'dataset' ? 'subject.source' : 'document';
      throw new AgentRefusal('bad-arg', `${path}: ${error.message}`, {
        path,
        expected: error.expected ?? 'a document that this engine can run',
        got: error.got ?? error.code,
      });
    }
  },
});

function noDocument(why: string): AgentRefusal {
  return new AgentRefusal('bad-arg', `document: ${why}`, { path: 'document', expected: 'nothing', got: 'a document' });
}
