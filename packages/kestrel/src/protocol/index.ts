/** The public list of the protocol. */
export * from './agent.ts';
export * from './artifacts.ts';
export * from './describing.ts';
export * from './generated/describe.ts';
export * from './host.ts';
export * from './light.ts';
export * from './op.ts';
export * from './op-list.ts';
export * from './refusal.ts';
export * from './refusing.ts';
export * from './remote.ts';
export * from './request-line.ts';
export * from './sessions.ts';
export * from './stream.ts';
export * from './subjects.ts';
export * from './transcript.ts';
export * from './wire.ts';
