/**
 * The chain of a session: genesis over the pins, one hash a turn, a tip over the blotter, and a Merkle root over all of
 * it. Every hash is SHA-256 over RFC 8785 text; session ids stand outside, so two honest runs of one play agree.
 */
import { hashOf, type Sha256, sha256 } from 'ground/digest';
import { jcs } from 'ground/jcs';
import type { Blotter, BlotterFill, Pins } from '../engine/index.ts';
import type { TurnBody } from './turn.ts';

export const GENESIS_VERSION = 'kestrel.genesis/v1';

export function genesisOf(pins: Pins): Sha256 {
  return hashOf({ v: GENESIS_VERSION, pins });
}

export interface Turn {
  /** From 1. */
  readonly ordinal: number;
  /** Genesis for the first turn, else the hash of the turn before. */
  readonly parentHash: string;
  readonly frameRoot: string;
  /** The response as it was received. */
  readonly body: TurnBody;
}

export function turnHashOf({ ordinal, parentHash, frameRoot, body }: Turn): Sha256 {
  return hashOf({ ordinal, parentHash, frameRoot, body });
}

export function tipHashOf(tip: { readonly parentHash: string; readonly determinismHash: string }): Sha256 {
  return hashOf({ parentHash: tip.parentHash, determinismHash: tip.determinismHash });
}

/** A leaf of the conformance root, with a name by which a difference is told. */
export interface Leaf {
  readonly name: string;
  readonly value: unknown;
}

/** Genesis; then each turn's frame root and hash; then each fill by sequence; then the blotter. */
export function leavesOf(play: {
  readonly genesis: string;
  readonly turns: readonly { readonly ordinal: number; readonly frameRoot: string; readonly hash: string }[];
  readonly fills: readonly (BlotterFill & { readonly plan: string })[];
  readonly blotter: Blotter;
}): Leaf[] {
  return [
    { name: 'genesis', value: play.genesis },
    ...play.turns.flatMap(({ ordinal, frameRoot, hash }) => [
      { name: `turn ${ordinal} frameRoot`, value: frameRoot },
      { name: `turn ${ordinal}`, value: hash },
    ]),
    ...play.fills.map((fill) => ({ name: `fill ${fill.seq}`, value: fill })),
    { name: 'blotter', value: play.blotter },
  ];
}

const LEAF = '\u0000';
const NODE = 1;

/** The Merkle tree hash of RFC 6962 over the leaves' RFC 8785 bytes. */
export function merkleRootOf(leaves: readonly Leaf[]): Sha256 {
  if (leaves.length === 0) return sha256('');
  return rootOf(leaves.map(({ value }) => sha256(LEAF + jcs(value))));
}

/** Halves at the largest power of two below the count, level by level from the left, as the RFC's recursion does. */
function rootOf(hashes: readonly Sha256[]): Sha256 {
  let level = hashes;
  // Pairing from the left and carrying an odd last node up unchanged gives the same tree.
  while (level.length > 1) {
    const next: Sha256[] = [];
    for (let i = 0; i + 1 < level.length; i += 2) next.push(nodeOf(level[i]!, level[i + 1]!));
    if (level.length % 2 === 1) next.push(level[level.length - 1]!);
    level = next;
  }
  return level[0]!;
}

function nodeOf(left: Sha256, right: Sha256): Sha256 {
  const bytes = new Uint8Array(65);
  bytes[0] = NODE;
  putHex(bytes, 1, left);
  putHex(bytes, 33, right);
  return sha256(bytes);
}

function putHex(bytes: Uint8Array, at: number, hex: string): void {
  for (let i = 0; i < 32; i++) bytes[at + i] = 16 * digit(hex.charCodeAt(2 * i)) + digit(hex.charCodeAt(2 * i + 1));
}

/** Of a lower-case hexadecimal digit: `0` is 48, `a` is 97. */
function digit(code: number): number {
  return code < 58 ? code - 48 : code - 87;
}

/** All fills of a blotter in order of sequence, each with its plan. */
export function fillsOf(blotter: Blotter): (BlotterFill & { readonly plan: string })[] {
  return blotter.plans
    .flatMap(({ name, fills }) => fills.map((fill) => ({ plan: name, ...fill })))
    .sort((a, b) => a.seq - b.seq);
}
