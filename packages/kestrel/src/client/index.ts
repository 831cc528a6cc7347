/** The public list of the client library. */
export { inProcess, overHttp, overStdio } from './carriers.ts';
export {
  type AuthoredResponse,
  type Delivery,
  KestrelClient,
  KestrelRefusal,
  type OpArgs,
  type OpName,
  type OpValue,
  type RefusalInfo,
  type Response,
} from './client.ts';
