import fc from 'fast-check';
import { hashOf, sha256 } from 'ground/digest';
import { jcs } from 'ground/jcs';
import { expect, test } from 'vitest';
import { merkleRootOf, Play, type Proof, proofOf, type Terms, verifyProof, whole } from '../../src/session/index.ts';
import { DIP, NEVER, shortDay } from './short-day.ts';

const terms: Terms = {
  tape: shortDay({ minutes: 60 }),
  fill: 'strict-cross-v1',
  fees: 'none',
  rUsdE4: 100_000_000,
  thinkMs: 1_000,
  checkpoints: ['10:00'],
  subject: null,
  blinded: false,
};

function played(): Proof {
  const play = new Play(terms, 's-x');
  play.start();
  whole(play.answer({ kind: 'authored', document: NEVER.replace('11:20', '10:20') }, 'stands'));
  whole(play.answer({ kind: 'authored', document: DIP.replace('11:20', '10:25') }, 'runs'));
  whole(play.answer({ kind: 'pass' }, 'runs'));
  whole(play.finish());
  return proofOf(play);
}

const proof = played();

test('a proof verifies against the run that made it', () => {
  expect(proof.blotter.totals.fills).toBeGreaterThan(0);
  expect(whole(verifyProof(proof, terms))).toMatchObject({ kind: 'verified', turns: 3, tipHash: proof.tipHash });
});

test('a flipped byte anywhere in a proof is found', () => {
  const text = jcs(proof);
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.integer({ min: 1, max: 127 }), (at, bits) => {
      const code = text.charCodeAt(at) ^ bits;
      const flipped = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
      let told: Proof;
      try {
        told = JSON.parse(flipped) as Proof;
        if (jcs(told) === text) return;
      } catch {
        return;
      }
      expect([text.slice(at - 40, at + 40), verdictOf(told)]).toEqual([expect.any(String), 'differs']);
    }),
    // The example renames a field whose value is null.
    { numRuns: 400, examples: [[text.indexOf('"document":null') + 8, 1]] },
  );
});

function verdictOf(told: Proof): string {
  try {
    return whole(verifyProof(told, terms)).kind;
  } catch {
    return 'differs';
  }
}

test('the first leaf that differs is named', () => {
  const change = (edit: (p: Record<string, never>) => void): string => {
    const copy = JSON.parse(jcs(proof));
    edit(copy);
    const verdict = whole(verifyProof(copy, terms));
    return verdict.kind === 'differs' ? verdict.leaf : verdict.kind;
  };
  const set = (path: string, value: unknown) => (copy: Record<string, never>) => {
    const keys = path.split('.');
    const last = keys.pop()!;
    const at = keys.reduce<Record<string, unknown>>((o, key) => o[key] as Record<string, unknown>, copy);
    at[last] = value;
  };
  expect(change(set('turns.1.frameRoot', '0'.repeat(64)))).toBe('turn 2 frameRoot');
  expect(change(set('turns.1.body.document', ''))).toBe('turn 2');
  expect(change(set('turns.2.body', { kind: 'stand-down', reason: 'x' }))).toBe('turn 3');
  expect(change(set('turns.1.clock', 'stands'))).toBe('turn 3 frameRoot');
  expect(change(set('blotter.plans.1.fills.0.qty', 1_000))).toBe('fill 1');
  expect(change(set('blotter.totals.netE4', 1))).toBe('blotter');
  expect(change(set('tipHash', '0'.repeat(64)))).toBe('tipHash');
  expect(change(set('seal', '0'.repeat(64)))).toBe('seal');
  expect(change(set('pins.rUsdE4', 1))).toBe('pins.rUsdE4');
});

test('leaves and nodes are hashed apart, as in RFC 6962', () => {
  const leaf = (value: unknown) => sha256(`\u0000${jcs(value)}`);
  const node = (a: string, b: string) =>
    sha256(Buffer.concat([Buffer.of(1), Buffer.from(a, 'hex'), Buffer.from(b, 'hex')]));
  const leaves = ['a', 'b', 'c', 'd', 'e'].map((value) => ({ name: value, value }));
  const [a, b, c, d, e] = leaves.map(({ value }): string => leaf(value)) as [string, string, string, string, string];
  expect(merkleRootOf(leaves)).toBe(node(node(node(a, b), node(c, d)), e));
  expect(merkleRootOf(leaves.slice(0, 3))).toBe(node(node(a, b), c));
  expect(merkleRootOf(leaves.slice(0, 1))).toBe(a);
});

test('the chain is spelled out', () => {
  const genesis = hashOf({ v: 'kestrel.genesis/v1', pins: proof.pins });
  expect(proof.genesis).toBe(genesis);
  let parentHash: string = genesis;
  for (const { ordinal, frameRoot, body, hash } of proof.turns) {
    expect(hashOf({ ordinal, parentHash, frameRoot, body })).toBe(hash);
    parentHash = hash;
  }
  expect(proof.tipHash).toBe(hashOf({ parentHash, determinismHash: proof.blotter.determinismHash }));
});
