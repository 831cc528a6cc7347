/** What is wrong with an order for a synthetic day. */

export type SynthCode =
  | 'seed-bad'
  | 'profile-unknown'
  | 'regime-unknown'
  | 'detail-unknown'
  | 'direction-unknown'
  | 'symbol-bad'
  | 'date-closed'
  | 'date-early'
  | 'events-bad'
  | 'prior-close-bad'
  | 'chain-bad'
  | 'option-quotes-bad'
  | 'day-unknown';

const GOT_CHARS_MAX = 100;

export class SynthRefusal extends Error {
  override readonly name = 'SynthRefusal';
  readonly code: SynthCode;
  readonly expected: string;
  readonly got: string;

  constructor(code: SynthCode, facts: { readonly expected: string; readonly got: unknown; readonly next: string }) {
    const text = typeof facts.got === 'string' ? facts.got : String(facts.got);
    const got = text.length > GOT_CHARS_MAX ? `${text.slice(0, GOT_CHARS_MAX)}…` : text;
    super(`${facts.expected} is wanted, got ${got}: ${facts.next}`);
    this.code = code;
    this.expected = facts.expected;
    this.got = got;
  }
}
