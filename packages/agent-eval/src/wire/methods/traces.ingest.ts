/** traces.ingest: appends production trace events, each on its own. */

import { WireError } from '../errors.ts';
import { type EventReading, readEvents } from '../events.ts';
import type { Method } from '../method.ts';
import { inTurn, listProblems } from '../params.ts';
import { kept } from '../stored.ts';

export const tracesIngest: Method = {
  name: 'traces.ingest',
  verb: 'POST',
  path: '/v1/traces/ingest',
  summary: 'Batch-ingest production trace events',
  description:
    'Each event is checked on its own: a bad one lands in errors, the rest are accepted, which means on disk. Repeats ' +
    'are kept; de-duplicate by eventId when reading.',
  media: ['ndjson'],
  access: 'guarded',
  codes: ['service_unavailable'],
  request: 'TracesIngestRequestSchema',
  response: 'TracesIngestResponseSchema',
  example: { accepted: 1, rejected: 0, errors: [] },
  async call({ params, service }) {
    const reading: EventReading = await inTurn(params, service, () => readEvents(params, service.limits));
    const accepted = reading.batch.eventIds.length;
    if (accepted === 0) {
      throw listProblems(
        'no event of the batch is valid',
        reading.rejects.map(({ eventId, message }) => ({ path: eventId, message })),
      );
    }
    if (service.traces === null) {
      throw new WireError('service_unavailable', 'this server keeps no traces; start it with --store DIR');
    }
    await kept(service.traces.append(reading.batch));
    return { value: { accepted, rejected: reading.rejects.length, errors: reading.rejects } };
  },
};
