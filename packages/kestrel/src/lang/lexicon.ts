// The lexicon: words of the language, found in a text without cutting a string out of it.

import { seriesNames } from './series.ts';
import {
  anchorNames,
  armStates,
  dimensions,
  panes,
  phases,
  planHeads,
  planStates,
  regimes,
  reserved,
  statementHeads,
  subjects,
} from './vocabulary.ts';

const otherHeads = 'BOOK DELIVER FROM OVER FILL RISK VS BY AND OR NOT ATM C P';
const otherOptions =
  'in budget ttl regime priority signal exec every up down to frac on halt ride flat peg fix cap floor esc cancel-if ' +
  'held within crosses above below phase time plan buy sell shares lean min max null ungated day-loss wakes day ' +
  'cooldown tokens coverage';

const words: readonly string[] = [
  ...new Set([
    ...statementHeads,
    ...planHeads,
    ...otherHeads.split(' '),
    ...otherOptions.split(' '),
    ...otherOptions.toUpperCase().split(' '),
    ...anchorNames,
    ...phases,
    ...planStates,
    ...armStates,
    ...subjects,
    ...panes.keys(),
    ...seriesNames.flatMap((name) => name.split('.')),
    ...dimensions.flatMap((name) => name.split('.')),
    ...regimes.keys(),
    ...[...regimes.values()].flat(),
    reserved,
  ]),
];

/** The word as an option word: lower case where it is all upper or all lower, as it stands where it is mixed. */
export function foldCase(text: string): string {
  if (text.charCodeAt(0) >= 97) return text;
  const lower = text.toLowerCase();
  return lower.toUpperCase() === text ? lower : text;
}

const sizeBits = 10;
const mask = (1 << sizeBits) - 1;
const slots: Int16Array = new Int16Array(1 << sizeBits).fill(-1);
words.forEach((word, k) => {
  let slot = hash(word, 0, word.length);
  while (slots[slot]! >= 0) slot = (slot + 1) & mask;
  slots[slot] = k;
});
const options: readonly string[] = words.map(foldCase);

function hash(text: string, start: number, end: number): number {
  const first = text.charCodeAt(start);
  const middle = text.charCodeAt((start + end) >> 1);
  const last = text.charCodeAt(end - 1);
  return (first * 3 + middle * 37 + last * 101 + (end - start) * 13) & mask;
}

/** Index of the word at `[start, end)`, or -1 where the lexicon does not have it. */
export function lookUp(text: string, start: number, end: number): number {
  let slot = hash(text, start, end);
  for (let k = slots[slot]!; k >= 0; k = slots[slot]!) {
    if (words[k]!.length === end - start && text.startsWith(words[k]!, start)) return k;
    slot = (slot + 1) & mask;
  }
  return -1;
}

export function wordAt(index: number): string {
  return words[index]!;
}

export function optionAt(index: number): string {
  return options[index]!;
}
