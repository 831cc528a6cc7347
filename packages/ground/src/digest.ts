/** SHA-256 over bytes and over canonical JSON. */
import { hash } from 'node:crypto';
import { jcs } from './jcs.ts';

/** A SHA-256 digest as 64 lower-case hexadecimal digits. */
export type Sha256 = string & { readonly __brand: 'sha256' };

export function sha256(data: string | Uint8Array): Sha256 {
  return hash('sha256', data, 'hex') as Sha256;
}

/** H(value): SHA-256 of the value's RFC 8785 text. @throws JcsError as {@link jcs} */
export function hashOf(value: unknown): Sha256 {
  return sha256(jcs(value));
}
