/** What a caller is told when the store cannot keep something. */
import { isStoreRefusal } from '../store/ports.ts';
import { WireError } from './errors.ts';

/** @throws WireError service_unavailable; nothing has been kept then, unless `details.store` is `unknown` */
export async function kept<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (!isStoreRefusal(cause)) throw cause;
    const headers = { 'retry-after': cause.kind === 'busy' || cause.kind === 'unknown' ? '1' : '30' };
    throw new WireError('service_unavailable', cause.message, { details: { store: cause.kind }, headers, cause });
  }
}
