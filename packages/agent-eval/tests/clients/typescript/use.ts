/** A program over the generated client: it must type-check, and what it does must be so. */
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { components, paths } from './generated.js';

const client = createClient<paths>({ baseUrl: process.argv[2]! });
let passed = 0;

async function check(name: string, work: () => Promise<void>): Promise<void> {
  await work();
  passed++;
  console.log(`ok ${name}`);
}

await check('version', async () => {
  const { data } = await client.GET('/v1/version');
  assert.equal(data?.wireVersion, '1.0.0');
});

await check('listRubrics', async () => {
  const { data } = await client.GET('/v1/rubrics');
  const names: string[] = data!.rubrics.map(({ name }) => name);
  assert.deepEqual(names, ['anti-slop', 'plan-discipline', 'thesis-honesty']);
});

await check('judge', async () => {
  const body: components['schemas']['JudgeRequest'] = {
    rubricName: 'anti-slop',
    content: 'x',
    context: { platform: 'x' },
  };
  const { data, error } = await client.POST('/v1/judge', { body });
  assert.equal(error, undefined);
  const composite: number = data!.composite;
  assert.equal(composite, 0);
});

await check('judge: an error has the one shape', async () => {
  const { data, error, response } = await client.POST('/v1/judge', { body: { rubricName: 'nope', content: 'x' } });
  assert.equal(data, undefined);
  assert.equal(response.status, 404);
  const code: string = error!.error.code;
  assert.equal(code, 'rubric_not_found');
});

await check('judge: an inline rubric', async () => {
  const rubric: components['schemas']['Rubric'] = {
    name: 'r',
    description: 'd',
    systemPrompt: 's',
    dimensions: [{ id: 'd1', description: 'x', weight: 1, min: 1, max: 5 }],
    failureModes: [],
    wins: [],
  };
  const { data } = await client.POST('/v1/judge', { body: { rubric, content: 'x' } });
  assert.deepEqual(data?.dimensions, { d1: 1 });
});

await check('traces.ingest', async () => {
  const event: components['schemas']['TraceEvent'] = {
    eventId: 'e',
    runId: 'r',
    kind: 'log',
    timestamp: 1,
    payload: {},
    more: true,
  };
  const { data } = await client.POST('/v1/traces/ingest', { body: { events: [event] } });
  assert.deepEqual(data, { accepted: 1, rejected: 0, errors: [] });
});

await check('feedback.ingest with its version', async () => {
  const body: components['schemas']['FeedbackTrajectory'] = {
    id: 't',
    task: { intent: 'x' },
    attempts: [],
    labels: [{ source: 'user', kind: 'approve', value: true, createdAt: '2026-08-01T00:00:00Z' }],
    createdAt: '2026-08-01T00:00:00Z',
  };
  const { data, response } = await client.POST('/v1/feedback', { body });
  assert.deepEqual(data, { id: 't', persisted: true });
  const again = await client.POST('/v1/feedback', { body, headers: { 'If-Match': response.headers.get('etag')! } });
  assert.equal(again.response.status, 200);
  const late = await client.POST('/v1/feedback', { body, headers: { 'If-Match': response.headers.get('etag')! } });
  assert.equal(late.error?.error.code, 'precondition_failed');
});

console.log(`${passed} passed, 0 failed`);
