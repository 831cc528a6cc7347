/** `kestrel verify`: a proof is replayed from its pins and compared leaf by leaf. */
import { existsSync } from 'node:fs';
import { jcs } from 'ground/jcs';
import { loadTape } from '../market/index.ts';
import { type Log, readJson, Sessions, termsIn, termsOfPins } from '../protocol/index.ts';
import {
  isProofShape,
  type Proof,
  type SessionEvent,
  type Terms,
  type Verification,
  verifyProof,
  whole,
} from '../session/index.ts';
import { isSigned, type Store } from '../store/index.ts';
import type { Arguments } from './arguments.ts';
import { EXITS, REFUSED } from './exits.ts';
import { Failure } from './failure.ts';
import { openStore } from './home.ts';
import type { Streams } from './streams.ts';

/** Bytes of a proof that are read. */
const PROOF_BYTES_MAX = 1 << 28;

export function verify({ operands, values }: Arguments, streams: Streams): number {
  const [subject = ''] = operands;
  const one = (flag: string): string | undefined => values.get(flag)?.[0];
  const store = openStore(streams.env);
  const proof = /^s-[0-9a-f]{32}$/.test(subject) ? proofOfSession(subject, store) : proofOfFile(subject, streams);
  const key = one('key');
  if (key !== undefined) checkSignature(subject, proof, keyOf(key, streams), streams);
  const verdict = verdictOf(proof, one('tape'), store);
  if (values.has('json')) streams.write(`${jcs(verdict)}\n`);
  else if (verdict.kind === 'verified') {
    streams.write(
      `verified\ntip ${verdict.tipHash}\nconformance root ${verdict.conformanceRoot}\nturns ${verdict.turns}\n`,
    );
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
  const given = { document: proof.document, checkpoints: proof.checkpoints };
  if (tapePath !== undefined) {
    const { tape } = loadTape(tapePath);
    const { fill, fees, rUsdE4, thinkMs, subject } = proof.pins;
    const document = proof.document === null ? {} : { document: proof.document };
    const blinded = proof.blinded;
    return {
      tape,
      fill,
      fees,
      rUsdE4,
      thinkMs: thinkMs ?? 0,
      subject,
      checkpoints: given.checkpoints,
      blinded,
      ...document,
    };
  }
  const terms = termsOfPins(proof.pins, given, () => store as never);
  if (terms !== undefined) return terms;
  throw new Failure({
    code: 'unknown-tape',
    message: `the tape ${proof.pins.tape} is neither in the catalog nor in this store`,
    expected: 'a tape of that identity',
    next: 'name it with --tape FILE, or register it with kestrel dataset add',
  });
}

function proofOfSession(id: string, store: Store): Proof {
  const sessions = new Sessions(() => store as never);
  const log = sessions.log(id);
  const proof = log === undefined ? undefined : sessions.proof(log);
  if (proof !== undefined) return proof;
  throw new Failure({
    code: 'unknown-session',
    message: log === undefined ? `this store has no session ${id}` : `the session ${id} is not finalized`,
    expected: 'the id of a finalized session',
    next: 'kestrel sessions list shows them',
  });
}

function proofOfFile(path: string, streams: Streams): Proof {
  const { bytes, cut } = streams.read(path, PROOF_BYTES_MAX);
  const value = cut ? undefined : readJson(bytes);
  const faults = isProofShape(value);
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

function checkSignature(subject: string, proof: Proof, key: string, streams: Streams): void {
  const path = `${subject}.sig`;
  const value = existsSync(path)
    ? (readJson(streams.read(path, 65_536).bytes) as Record<string, unknown> | undefined)
    : undefined;
  const signature = typeof value?.signature === 'string' ? value.signature : '';
  if (value?.key === key && isSigned(Buffer.from(jcs(proof)), { key, signature })) return;
  throw new Failure({
    code: 'signature-bad',
    message: `${path} is no signature of this proof by that key`,
    expected: `a signature by ${key}`,
    got: value === undefined ? 'nothing' : String(value.key),
  });
}

/** What a session of this store is pinned to. */
export function termsOfSession(log: Log, store: Store<SessionEvent>): Terms {
  return termsIn(log, () => store);
}
