/**
 * What stands around a saturated service, in a process of its own: a model's provider that takes its time, and a probe of
 * /healthz. Prints its address; is sent the service's address by its parent, and answers `stop` with what the probe saw.
 */
import { createServer } from 'node:http';

const ANSWER_MS = 300;
const PROBE_EVERY_MS = 500;
const PROBE_MS_MAX = 5_000;

const verdict = '{"dimensions":{"buyer_quality":1,"voice":0,"signal":0.5},"rationale":"x"}';
const answer = JSON.stringify({
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'slow',
  choices: [{ index: 0, message: { role: 'assistant', content: verdict }, finish_reason: 'stop' }],
});
const server = createServer((request, response) => {
  request.resume();
  setTimeout(() => response.setHeader('content-type', 'application/json').end(answer), ANSWER_MS);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));

const tookMs = [];
let missed = 0;
process.on('message', (message) => {
  if (message === 'stop') {
    process.send({ tookMs, missed });
    process.disconnect();
    process.exit();
  }
  setInterval(() => {
    const startedMs = performance.now();
    fetch(`${message}/healthz`, { signal: AbortSignal.timeout(PROBE_MS_MAX) }).then(
      ({ status }) => {
        if (status === 200) tookMs.push(performance.now() - startedMs);
        else missed++;
      },
      () => {
        missed++;
      },
    );
  }, PROBE_EVERY_MS);
});
