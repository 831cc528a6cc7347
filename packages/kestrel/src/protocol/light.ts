/** What a door needs before it needs the ops: lines, refusals, streams, and the answer of `describe`. No schema loads. */
export { DESCRIBED } from './generated/describe.ts';
export { AgentRefusal, REFUSALS, type RefusalCode, refusalLine } from './refusal.ts';
export { refusalOf } from './refusing.ts';
export { Remote, type RemoteOptions } from './remote.ts';
export { readRequest } from './request-line.ts';
export { newStream, type StreamState, streamOf, streamText } from './stream.ts';
export { LINE_BYTES_MAX, PROTOCOL, responseLine } from './wire.ts';
