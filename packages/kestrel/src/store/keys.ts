/** The store's own Ed25519 key, made once and kept: it signs exported proofs. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import type { Disk } from './disk.ts';

/** The signature of a proof's bytes, beside the proof. */
export interface Signature {
  readonly v: 'kestrel.signature/v1';
  readonly algorithm: 'Ed25519';
  /** Raw public key, hex. */
  readonly key: string;
  /** Over the proof's RFC 8785 bytes, hex. */
  readonly signature: string;
}

/** Raw bytes follow this prefix in the key's DER form. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

export function signProof(place: { readonly disk: Disk; readonly root: string }, bytes: Uint8Array): Signature {
  const path = `${place.root}/keys/ed25519.pem`;
  let pem = place.disk.read(path);
  if (pem === undefined) {
    const { privateKey } = generateKeyPairSync('ed25519');
    pem = Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
    place.disk.replace(path, pem);
  }
  const key = createPrivateKey(Buffer.from(pem).toString('utf8'));
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return {
    v: 'kestrel.signature/v1',
    algorithm: 'Ed25519',
    key: Buffer.from(der.subarray(SPKI_PREFIX.length)).toString('hex'),
    signature: sign(null, bytes, key).toString('hex'),
  };
}

export function isSigned(bytes: Uint8Array, by: Pick<Signature, 'key' | 'signature'>): boolean {
  if (!/^[0-9a-f]{64}$/.test(by.key) || !/^[0-9a-f]{128}$/.test(by.signature)) return false;
  const key = createPublicKey({
    key: Buffer.concat([SPKI_PREFIX, Buffer.from(by.key, 'hex')]),
    type: 'spki',
    format: 'der',
  });
  return verify(null, bytes, key, Buffer.from(by.signature, 'hex'));
}
