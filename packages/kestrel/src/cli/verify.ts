/** `kestrel verify`: a proof is replayed from its pins and compared leaf by leaf. */
import { existsSync } from 'node:fs';
import { jcs } from 'ground/jcs';
import { loadTape } from '../market/index.ts';
import { jsonFault, type Log, readJson, Sessions, termsIn, termsOfPins } from '../protocol/index.ts';
import {
  isProofShape,
  type Proof,
  type SessionEvent,
  type Terms,
  type Verification,
  verifyProof,
  whole,
} from '../session/index.ts';
import { isSigned, type Signature, type Store } from '../store/index.ts';
import type { Arguments } from './arguments.ts';
import { EXITS, REFUSED } from './exits.ts';
import { Failure } from './failure.ts';
import { openStore } from './home.ts';
import type { Streams } from './streams.ts';

/** Bytes of a proof that are read. */
const PROOF_BYTES_MAX = 1 << 28;
/** Bytes of a signature's file that are read. */
const SIGNATURE_BYTES_MAX = 65_536;

export function verify({ operands, values }: Arguments, streams: Streams): number {
  const [subject = ''] = operands;
  const one = (flag: string): string | undefined => values.get(flag)?.[0];
  const store = openStore(streams.env);
  const proof = /^s-[0-9a-f]{32}$/.test(subject) ? proofOfSession(subject, store) : proofOfFile(subject, streams);
  const pinned = one('key');
  const verdict = verdictOf(proof, one('tape'), store);
  // A leaf that differs is told before its signature is looked at: that is what the reader has to know.
  const signer =
    verdict.kind === 'verified'
      ? signerOf(
          proof,
          { path: `${subject}.sig`, key: pinned === undefined ? undefined : keyOf(pinned, streams) },
          streams,
        )
      : undefined;
  if (values.has('json')) streams.write(`${jcs(signer === undefined ? verdict : { ...verdict, signer })}\n`);
  else if (verdict.kind === 'verified') {
    const told = [
      'verified',
      `tip ${verdict.tipHash}`,
      `conformance root ${verdict.conformanceRoot}`,
      `turns ${verdict.turns}`,
      ...(signer === undefined
        ? []
        : [`signed by ${signer}${pinned === undefined ? ', whoever that is (--key pins it)' : ''}`]),
    ];
    streams.write(`${told.join('\n')}\n`);
  } else {
    streams.write(`differs at ${verdict.leaf}\nthe replay has ${verdict.expected}\nthe proof has ${verdict.got}\n`);
  }
  return verdict.kind === 'verified' ? EXITS.ok : REFUSED;
}

function verdictOf(proof: Proof, tape: string | undefined, store: Store): Verification {
  try {
    return whole(verifyProof(proof, termsOf(proof, tape, store)));
  } catch (error) {
    if (error instanceof Failure) throw error;
    // What a replay chokes on is no proof of anything.
    return { kind: 'differs', leaf: 'the replay', expected: 'a play that runs', got: (error as Error).message };
  }
}

function termsOf(proof: Proof, tapePath: string | undefined, store: Store): Terms {
  const { pins, document, checkpoints, blinded } = proof;
  const given = { document, checkpoints };
  const tape = tapePath === undefined ? undefined : loadTape(tapePath).tape;
  if (tape !== undefined && pins.subject === null) {
    const { fill, fees, rUsdE4, thinkMs } = pins;
    const terms = { fill, fees, rUsdE4, thinkMs: thinkMs ?? 0, subject: null, checkpoints, blinded };
    return { tape, ...terms, ...(document === null ? {} : { document }) };
  }
  // What a subject of the catalog is pinned to is the catalog's to say, whatever a file says of it.
  const terms = termsOfPins(pins, given, () => store as never);
  if (terms !== undefined) return tape === undefined ? terms : { ...terms, tape };
  if (pins.subject !== null) {
    throw new Failure({
      code: 'unknown-subject',
      message: `the catalog has no subject ${pins.subject} over the tape ${pins.tape}`,
      expected: 'a subject of this version',
      next: 'verify it with the version that played it',
    });
  }
  throw new Failure({
    code: 'unknown-tape',
    message: `the tape ${pins.tape} is not in this store`,
    expected: 'a tape of that identity',
    next: 'name it with --tape FILE, or register it with kestrel dataset add',
  });
}

function proofOfSession(id: string, store: Store): Proof {
  const sessions = new Sessions(() => store as never);
  const log = sessions.log(id);
  const proof = log === undefined ? undefined : sessions.proof(log);
  if (proof !== undefined) return proof;
  if (log !== undefined) throw notFinalized(id);
  throw new Failure({
    code: 'unknown-session',
    message: `this store has no session ${id}`,
    expected: 'the id of a finalized session',
    next: 'kestrel sessions list shows them',
  });
}

/** A session that is there and has no proof yet. */
export function notFinalized(id: string): Failure {
  return new Failure({
    code: 'not-finalized',
    message: `the session ${id} is not finalized`,
    expected: 'a finalized session',
    next: `take it up with openSession { "kind": "session", "id": "${id}" } and send finalize`,
  });
}

function proofOfFile(path: string, streams: Streams): Proof {
  const { bytes, cut } = streams.read(path, PROOF_BYTES_MAX);
  const value = cut ? undefined : readJson(bytes);
  const faults = cut ? `it has more than ${PROOF_BYTES_MAX} bytes` : (jsonFault(bytes) ?? isProofShape(value));
  if (faults === undefined) return value as Proof;
  throw new Failure({
    code: 'no-proof',
    message: `${path} holds no proof: ${faults}`,
    expected: 'the value of a proof artifact (kestrel.proof/v1) as JSON',
    next: 'kestrel sessions export writes one',
  });
}

function keyOf(text: string, streams: Streams): string {
  if (/^[0-9a-f]{64}$/.test(text)) return text;
  const file = existsSync(text) ? Buffer.from(streams.read(text, 4_096).bytes).toString('utf8').trim() : '';
  if (/^[0-9a-f]{64}$/.test(file)) return file;
  throw new Failure({
    code: 'usage',
    message: '--key is no public key',
    expected: '64 hex digits, or a file of them',
    got: text,
  });
}

/**
 * The key that signed the proof, where a signature lies beside it or is asked for.
 *
 * @throws Failure `signature-bad`
 */
function signerOf(
  proof: Proof,
  by: { readonly path: string; readonly key: string | undefined },
  streams: Streams,
): string | undefined {
  const there = existsSync(by.path);
  if (!there && by.key === undefined) return undefined;
  const value = there ? signatureIn(readJson(streams.read(by.path, SIGNATURE_BYTES_MAX).bytes)) : undefined;
  const signed = value !== undefined && isSigned(Buffer.from(jcs(proof)), value);
  if (signed && (by.key === undefined || by.key === value.key)) return value.key;
  throw new Failure({
    code: 'signature-bad',
    message: `${by.path} is no signature of this proof${by.key === undefined ? '' : ' by that key'}`,
    expected: by.key === undefined ? 'a signature over the bytes of the proof' : `a signature by ${by.key}`,
    got: !there ? 'nothing' : value === undefined ? 'no kestrel.signature/v1' : `a signature by ${value.key}`,
  });
}

/** Closed, so that no byte of the file can be another without being noticed. */
function signatureIn(value: unknown): Signature | undefined {
  const { v, algorithm, key, signature, ...rest } = (value ?? {}) as Record<string, unknown>;
  const shaped = v === 'kestrel.signature/v1' && algorithm === 'Ed25519' && Object.keys(rest).length === 0;
  return shaped && typeof key === 'string' && typeof signature === 'string'
    ? { v, algorithm, key, signature }
    : undefined;
}

/** What a session of this store is pinned to. */
export function termsOfSession(log: Log, store: Store<SessionEvent>): Terms {
  return termsIn(log, () => store);
}
