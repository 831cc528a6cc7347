/** The service with a model that answers at once, in this process: what is left is the service itself. */
import { startServer } from '../packages/agent-eval/dist/index.js';

const text = '{"dimensions":{"buyer_quality":1,"voice":0,"signal":0.5},"failureModes":[],"wins":[],"rationale":"x"}';
const model = { defaultModel: 'instant', answer: async () => ({ text, finish: 'stop' }) };
const server = await startServer({ port: 0, model });
console.log(server.url);
