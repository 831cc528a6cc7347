// The closed word lists of the language: one table each, read by the parser, the validator, the card and the docs.

export const phases = ['open', 'morning', 'afternoon', 'close'] as const;
export const planStates = ['armed', 'fired', 'filled', 'done', 'invalidated'] as const;
export const armStates = ['fired', 'filled', 'done', 'invalidated'] as const;
export const subjects = ['plan', 'wake', 'pod'] as const;

/** Prices an anchor may name, by what they stand on. */
export const anchors = {
  fair: { family: 'value', meaning: 'what the model says it is worth' },
  intrinsic: { family: 'value', meaning: 'what exercise would give now' },
  basis: { family: 'value', meaning: "the plan's average entry price, fees apart" },
  bid: { family: 'book', meaning: 'best bid' },
  ask: { family: 'book', meaning: 'best ask' },
  mid: { family: 'book', meaning: 'half way between; only inside min, max or lean beside a value' },
  last: { family: 'book', meaning: 'last trade' },
  join: { family: 'book', meaning: 'best price on our side' },
  improve: { family: 'book', meaning: 'one tick inside it' },
  stub: { family: 'absolute', meaning: 'one tick' },
} as const;

export const anchorNames = Object.keys(anchors) as readonly (keyof typeof anchors)[];

/** Regime tags of `regime-v1` and the values each takes. */
export const regimes: ReadonlyMap<string, readonly string[]> = new Map([
  ['intraday', ['trend', 'range', 'mixed']],
  ['vol', ['calm', 'normal', 'stress']],
]);

/** Dimensions a GRADE may be cut BY. */
export const dimensions = ['regime.intraday', 'regime.vol', 'weekday', 'month', 'phase', 'lineage'] as const;

/** Fill models a GRADE may name; `bracket` grades under both and reports the pair. */
export const fillModels: ReadonlyMap<string, string> = new Map([
  ['strict-cross-v1', 'a touch is no fill; latency 50 ms'],
  ['maker-v1', 'as strict, and a resting order also fills once the queue ahead of it has printed; latency 5 ms'],
  ['bracket', 'both of the above, reported as a pair'],
]);

export const feeSchedules = ['none', 'us-options-v1', 'us-equity-v1'] as const;

export type PaneArg = 'duration' | 'count';

/** Panes a VIEW may ask for; arguments from `required` on may be left out. */
export interface PaneRow {
  readonly name: string;
  readonly args: readonly PaneArg[];
  readonly required: number;
  readonly form: string;
  readonly meaning: string;
}

export const panes: ReadonlyMap<string, PaneRow> = new Map(
  (
    [
      { name: 'symbols', args: [], required: 0, form: 'symbols', meaning: 'last, bid, ask and change of each symbol' },
      {
        name: 'tape',
        args: ['duration', 'count'],
        required: 1,
        form: 'tape(d, n)',
        meaning: 'the last n candles of length d; n may be left out',
      },
      { name: 'levels', args: [], required: 0, form: 'levels', meaning: 'named prices, each with its source' },
      { name: 'chain', args: ['count'], required: 0, form: 'chain(n)', meaning: 'options n strikes around the money' },
      { name: 'plans', args: [], required: 0, form: 'plans', meaning: 'plans, their state and nearest approach' },
      { name: 'news', args: ['count'], required: 0, form: 'news(n)', meaning: 'the last n headlines, fenced' },
      {
        name: 'kernel',
        args: [],
        required: 0,
        form: 'kernel',
        meaning: 'positions, orders and budget; shown whether asked for or not',
      },
    ] as const
  ).map((row) => [row.name, row]),
);

export const statementHeads = ['IMPORT', 'USING', 'PLAN', 'WAKE', 'VIEW', 'POD', 'GRADE'] as const;
export const planHeads = [
  'USING',
  'WHEN',
  'DO',
  'ALSO',
  'RELOAD',
  'TP',
  'EXIT',
  'INVALIDATE',
  'CANCEL-IF',
  'ARM',
] as const;

/** The word that no document may use. */
export const reserved = 'atomic';

/** Words that a trigger reads as its own, in either case, so that no series may begin with one. */
const triggerWords: ReadonlySet<string> = new Set([
  'and',
  'or',
  'not',
  'held',
  'within',
  'crosses',
  'phase',
  'time',
  'plan',
  'buy',
  'sell',
  reserved,
]);

/** Whether a series may begin with this word: no word of triggers, no percentile, no `T-10`. */
export function isSeriesStart(text: string): boolean {
  if (!isWord(text)) return false;
  const first = text.charCodeAt(0) | 32;
  if ((first === 112 || first === 116) && /^(p\d+|t-\d+)$/i.test(text)) return false;
  return !triggerWords.has(text) && !triggerWords.has(text.toLowerCase());
}

/** `[A-Za-z][A-Za-z0-9_]*(-[A-Za-z0-9_]+)*`, over char codes: what series, panes and dimensions are spelt with. */
export function isWord(text: string): boolean {
  let joint = true;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    const letter = (c >= 97 && c <= 122) || (c >= 65 && c <= 90);
    if (letter || (i > 0 && ((c >= 48 && c <= 57) || c === 95))) joint = false;
    else if (c === 45 && !joint) joint = true;
    else return false;
  }
  return !joint;
}

/** `[a-z][a-z0-9]*(-[a-z0-9]+)*`, over char codes. */
export function isName(text: string): boolean {
  let joint = true;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if ((c >= 97 && c <= 122) || (i > 0 && c >= 48 && c <= 57)) joint = false;
    else if (c === 45 && !joint) joint = true;
    else return false;
  }
  return !joint;
}

export function isSymbol(text: string): boolean {
  return /^[A-Z][A-Z0-9]*([./^-][A-Z0-9]+)*$/.test(text);
}

export function isPath(text: string): boolean {
  return /^\.\.?\/[A-Za-z0-9._/-]+$/.test(text);
}

/** Whether the text is a day of the Gregorian calendar, `YYYY-MM-DD`. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || !isMonth(text.slice(0, 7))) return false;
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  const day = Number(text.slice(8));
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return day >= 1 && day <= days;
}

/** Whether the text is a month, `YYYY-MM`. */
export function isMonth(text: string): boolean {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text);
}
