/** SHA-256 over bytes and over canonical JSON. */
import { jcs } from './jcs.ts';

/** Loaded when first asked, since a program that hashes nothing would start 5 ms later for it. */
let crypto: typeof import('node:crypto') | undefined;

/** A SHA-256 digest as 64 lower-case hexadecimal digits. */
export type Sha256 = string & { readonly __brand: 'sha256' };

export function sha256(data: string | Uint8Array): Sha256 {
  crypto ??= process.getBuiltinModule('node:crypto');
  return crypto.hash('sha256', data, 'hex') as Sha256;
}

/** H(value): SHA-256 of the value's RFC 8785 text. @throws JcsError as {@link jcs} */
export function hashOf(value: unknown): Sha256 {
  return sha256(jcs(value));
}
