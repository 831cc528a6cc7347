/** The wire floor: methods, both transports, the app to embed and the server. */
export { type AppOptions, createApp } from './app.ts';
export { makeService, type Service, type ServiceOptions } from './context.ts';
export { WIRE_CODES, type WireCode, WireError } from './errors.ts';
export { WIRE_LIMITS, type WireLimits } from './limits.ts';
export { METHODS } from './methods/index.ts';
export { openapiDocument, openapiText } from './openapi.ts';
export { callRpc, dispatchText, type RpcAnswer } from './rpc.ts';
export * from './schemas.ts';
export { type RunningServer, type ServerOptions, startHttp } from './server.ts';
export { PACKAGE_NAME, PACKAGE_VERSION, WIRE_VERSION } from './version.ts';
