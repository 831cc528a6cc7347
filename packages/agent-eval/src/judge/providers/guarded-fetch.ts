/** The only way out to a model: no redirect is followed, and an answer is read up to a bound. */
import { ModelFailure } from '../model.ts';

/** Bytes of an upstream answer after decompression. */
export const UPSTREAM_BYTES_MAX = 4 * 1024 * 1024;

/**
 * `fetch` for the provider SDKs. Content and key go to the address configured and nowhere else.
 * @throws ModelFailure for what is known to be final here; network faults as the platform throws them
 */
export const guardedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
    await response.body?.cancel();
    throw new ModelFailure(
      'unavailable',
      `the model's address answers with a redirect (${response.status}); redirects are not followed, so configure the final address`,
      {
        status: response.status,
      },
    );
  }
  const body = await bounded(response);
  const headers = new Headers(response.headers);
  // What is handed on is decompressed already.
  headers.delete('content-encoding');
  headers.delete('content-length');
  const bodyless = response.status === 204 || response.status === 205;
  return new Response(bodyless ? null : body, { status: response.status, headers });
};

async function bounded(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  if (response.body === null) return new Uint8Array(0);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > UPSTREAM_BYTES_MAX) {
      await reader.cancel();
      throw new ModelFailure('malformed', `the model's answer is larger than ${UPSTREAM_BYTES_MAX} bytes`, {
        status: response.status,
      });
    }
    chunks.push(value);
  }
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}
