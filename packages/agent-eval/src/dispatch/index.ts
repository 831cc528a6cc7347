/** The dispatch adapter: runs scenarios on workers over HTTP. Outside /v1, and of no interest to the wire's clients. */
export {
  DispatchFailure,
  type DispatchFailureKind,
  type HttpDispatchOptions,
  httpDispatch,
  RETRIES_MAX,
} from './driver.ts';
export {
  DISPATCH_BYTES_MAX,
  type Dispatch,
  type DispatchAuth,
  type DispatchContext,
  type DispatchPlace,
  type DispatchRequest,
} from './message.ts';
export { type DispatchServer, type DispatchServerOptions, runDispatchServer } from './worker.ts';
