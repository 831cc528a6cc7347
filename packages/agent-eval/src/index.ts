/** The library: the app to embed, the server, RPC, schemas, rubrics, the judge's port and the stores. */
export { type JudgeModel, type ModelAnswer, type ModelCall, ModelFailure } from './judge/index.ts';
export { dispatchRpc, type StartOptions, startServer } from './library.ts';
export { BUILTIN_RUBRICS, composite, type Rubric, rubricProblems, rubricVersion } from './rubric/index.ts';
export * from './store/index.ts';
export {
  type AppOptions,
  createApp,
  METHODS,
  openapiDocument,
  PACKAGE_NAME,
  PACKAGE_VERSION,
  type RpcAnswer,
  type RunningServer,
  type ServiceOptions,
  WIRE_CODES,
  WIRE_LIMITS,
  WIRE_VERSION,
  type WireCode,
  WireError,
  type WireLimits,
} from './wire/index.ts';
export * from './wire/schemas.ts';
