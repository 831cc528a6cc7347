/** The library: the app to embed, the server, RPC, schemas, rubrics, the judge's port and the stores. */
export { type JudgeModel, type ModelAnswer, type ModelCall, ModelFailure } from '../judge/index.ts';
export { BUILTIN_RUBRICS, composite, type Rubric, rubricProblems, rubricVersion } from '../rubric/index.ts';
export * from '../store/index.ts';
export { type AppOptions, createApp } from './app.ts';
export { makeService, type Service, type ServiceOptions } from './context.ts';
export { exitOf, statusOf, WIRE_CODES, type WireCode, WireError } from './errors.ts';
export { dispatchRpc, type StartOptions, startServer } from './library.ts';
export { WIRE_LIMITS, type WireLimits } from './limits.ts';
export type { Method } from './method.ts';
export { METHODS } from './methods/index.ts';
export { openapiDocument, openapiText } from './openapi.ts';
export { callRpc, dispatchText, type RpcAnswer } from './rpc.ts';
export * from './schemas.ts';
export { type ClientPatience, type RunningServer, type ServerOptions, startHttp } from './server.ts';
export { PACKAGE_NAME, PACKAGE_VERSION, WIRE_VERSION } from './version.ts';
