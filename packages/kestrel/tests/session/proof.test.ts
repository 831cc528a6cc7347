import fc from 'fast-check';
import { hashOf, sha256 } from 'ground/digest';
import { jcs } from 'ground/jcs';
import { describe, expect, test } from 'vitest';
import {
  fillsOf,
  isProofShape,
  leavesOf,
  merkleRootOf,
  Play,
  type Proof,
  proofOf,
  type Terms,
  tipHashOf,
  verifyProof,
  whole,
} from '../../src/session/index.ts';
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

type Path = readonly (string | number)[];

/** Every place in the value, with what stands there. */
function places(value: unknown, path: Path = []): { readonly path: Path; readonly value: unknown }[] {
  const inside = Array.isArray(value)
    ? value.map((part, i) => [i, part] as const)
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
      : [];
  return [{ path, value }, ...inside.flatMap(([key, part]) => places(part, [...path, key]))];
}

/** Other values of the same place: another scalar, a field less or more, an entry less, doubled or moved. */
function changed(value: unknown): unknown[] {
  if (typeof value === 'string') return [`${value}x`, value.slice(1), value === '' ? ' ' : value.toUpperCase(), null];
  if (typeof value === 'number') return [value + 1, -value - 1, String(value)];
  if (typeof value === 'boolean') return [!value];
  if (value === null) return [0, ''];
  if (Array.isArray(value)) {
    const less = value.map((_, i) => value.filter((_, k) => k !== i));
    return [...less, [...value, ...value.slice(-1), ...(value.length === 0 ? [0] : [])], [...value].reverse()];
  }
  const of = value as Record<string, unknown>;
  return [
    { ...of, zzz: 1 },
    ...Object.keys(of).map((key) => Object.fromEntries(Object.entries(of).filter(([k]) => k !== key))),
  ];
}

function withAt(value: unknown, [key, ...rest]: Path, put: unknown): unknown {
  if (key === undefined) return put;
  if (Array.isArray(value)) return value.map((part, i) => (i === key ? withAt(part, rest, put) : part));
  const of = value as Record<string, unknown>;
  return { ...of, [key]: withAt(of[key], rest, put) };
}

/** The leaf, or the part that no leaf covers, in which a change at the path must be found. */
function leafAt(path: Path): RegExp {
  const [part, i, field] = path;
  switch (part) {
    case 'turns':
      // A turn that is missing or moved shows in the first slot whose place it takes, or in what came of the play.
      if (i === undefined) return /^(turn \d|turn \d frameRoot|fill \d|blotter|tipHash)$/;
      return field === 'clock' ? /^turn / : new RegExp(`^turn ${Number(i) + 1}( frameRoot)?$`);
    case 'blotter':
      return /^(fill \d|blotter)$/;
    case 'pins':
      return i === undefined ? /^pins/ : new RegExp(`^pins(\\.${i})?$`);
    case undefined:
      return /./;
    default:
      return new RegExp(`^${part}$`);
  }
}

test('a change of any field of a proof is found, and the first leaf that differs is the one changed', () => {
  const value = JSON.parse(jcs(proof)) as unknown;
  let tried = 0;
  for (const place of places(value)) {
    for (const put of changed(place.value)) {
      const told = withAt(value, place.path, put) as Proof;
      if (jcs(told) === jcs(proof)) continue;
      tried++;
      if (isProofShape(told) !== undefined) continue;
      const verdict = whole(verifyProof(told, terms));
      const found = verdict.kind === 'differs' ? verdict.leaf : verdict.kind;
      expect([place.path.join('.'), put, found]).toEqual([
        place.path.join('.'),
        put,
        expect.stringMatching(leafAt(place.path)),
      ]);
    }
  }
  expect(tried).toBeGreaterThan(600);
});

describe('a forger who hashes everything anew', () => {
  /** Turns, hashes, root and seal as they would be if the changed turns had been played. */
  function forged(edit: (turns: Proof['turns'][number][]) => void): Proof {
    const turns = structuredClone(proof.turns) as Proof['turns'][number][];
    edit(turns);
    let parentHash = proof.genesis;
    const chained = turns.map((turn, i) => {
      const { frameRoot, body } = turn;
      const hash = hashOf({ ordinal: i + 1, parentHash, frameRoot, body });
      const link = { ...turn, ordinal: i + 1, parentHash, hash };
      parentHash = hash;
      return link;
    });
    const { blotter } = proof;
    const tipHash = tipHashOf({ parentHash, determinismHash: blotter.determinismHash });
    const leaves = leavesOf({ genesis: proof.genesis, turns: chained, fills: fillsOf(blotter), blotter });
    const { seal: _, ...rest } = { ...proof, turns: chained, tipHash, conformanceRoot: merkleRootOf(leaves) };
    return { ...rest, seal: hashOf(rest) };
  }
  const leafOf = (told: Proof, of: Terms = terms): string => {
    const verdict = whole(verifyProof(told, of));
    return verdict.kind === 'differs' ? verdict.leaf : verdict.kind;
  };

  test('gets the same proof where nothing was changed', () => {
    expect(forged(() => {})).toEqual(proof);
  });

  test('is found where the document that he edits does otherwise', () => {
    const edit = (turns: Proof['turns'][number][]) => {
      turns[1] = { ...turns[1]!, body: { kind: 'authored', document: DIP.replace('buy 10', 'buy 11') } };
    };
    expect(leafOf(forged(edit))).toMatch(/^(turn 3 frameRoot|fill 1)$/);
  });

  test('cannot hide an answer that the protocol would not take', () => {
    const note = { kind: 'pass', note: 'I saw the close' } as never;
    const edit = (turns: Proof['turns'][number][]) => {
      turns[2] = { ...turns[2]!, body: note };
    };
    expect(leafOf(forged(edit))).toBe('turn 3');
  });

  test('cannot take a turn out, put one in, or change the order', () => {
    expect(leafOf(forged((turns) => void turns.splice(1, 1)))).toMatch(/^turn 2/);
    expect(leafOf(forged((turns) => void turns.push({ ...turns[2]! })))).toMatch(/^turn 4/);
    expect(leafOf(forged((turns) => void turns.reverse()))).toMatch(/^turn 1/);
  });

  test('cannot give it another day, another R, or a strategy that was not there', () => {
    expect(leafOf(proof, { ...terms, tape: shortDay({ minutes: 60, id: 'another' }) })).toBe('pins.tape');
    expect(leafOf(proof, { ...terms, tape: shortDay({ minutes: 20 }), document: DIP })).toBe('pins.tape');
    expect(leafOf(proof, { ...terms, rUsdE4: 1_000_000 })).toBe('pins.rUsdE4');
    const dip = DIP.replace('11:20', '10:25');
    expect(leafOf(proof, { ...terms, document: dip })).toBe('pins.document');
    expect(leafOf({ ...proof, document: dip })).toBe('document');
  });
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
