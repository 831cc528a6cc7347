/** feedback.ingest: keeps a review under its id; the last one to arrive stands. */
import { WireError } from '../errors.ts';
import type { Method } from '../method.ts';
import { bytesOfParams, inTurn, lazily, listProblems, valueOfParams } from '../params.ts';
import { kept } from '../stored.ts';

const schemas = lazily(() => import('../schemas.ts'));

export const feedbackIngest: Method = {
  name: 'feedback.ingest',
  verb: 'POST',
  path: '/v1/feedback',
  summary: 'Ingest a review or feedback trajectory',
  description:
    'Idempotent on id: the same id replaces the record, whole. The answer carries its version in ETag; send that in ' +
    'If-Match and a record that someone else has changed meanwhile is not overwritten.',
  media: [],
  access: 'guarded',
  codes: ['precondition_failed', 'service_unavailable'],
  request: 'FeedbackTrajectorySchema',
  response: 'FeedbackResponseSchema',
  headers: {
    request: {
      'If-Match': {
        text: 'Version that must stand, as ETag gave it, or * for any.',
        pattern: /^(\*|(W\/)?"[!#-~]*"( *, *(W\/)?"[!#-~]*")*)$/,
      },
      'If-None-Match': { text: '* to write only where nothing stands.' },
    },
    response: { ETag: { text: 'Version of the record, in double quotes.' } },
  },
  example: { id: 'traj_1', persisted: true },
  async call({ params, service, precondition }) {
    const value = await inTurn(params, service, () => valueOfParams(params, service.limits));
    const { FeedbackTrajectorySchema } = await schemas();
    const parsed = FeedbackTrajectorySchema.safeParse(value);
    if (!parsed.success) {
      const problems = parsed.error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
      throw listProblems('the record does not fit its schema', problems);
    }
    const { id } = parsed.data;
    if (!id.isWellFormed()) {
      throw listProblems('the record does not fit its schema', [
        { path: 'id', message: 'an id has no lone surrogates' },
      ]);
    }
    if (service.feedback === null) {
      throw new WireError('service_unavailable', 'this server keeps no feedback; start it with --store DIR');
    }
    const bytes = bytesOfParams(params, value);
    const outcome = await kept(service.feedback.put({ id, bytes, precondition }));
    if (outcome.kind === 'precondition-failed') {
      const stands = outcome.version === null ? 'no record stands' : `version ${outcome.version} stands`;
      throw new WireError('precondition_failed', `${stands} under this id, which is not what the request expects`, {
        details: { version: outcome.version },
        headers: outcome.version === null ? {} : { etag: `"${outcome.version}"` },
      });
    }
    return { value: { id, persisted: true }, headers: { etag: `"${outcome.version}"` } };
  },
};
