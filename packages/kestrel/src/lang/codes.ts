// The codes of diagnostics: stable names for what a document may not say.

export interface CodeRow {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly refused: string;
}

const rows: readonly CodeRow[] = [
  error('K001', 'text that does not parse; `expected` lists what the grammar takes there'),
  error('K002', 'a document over the limits of size, statements or parentheses'),
  error('K010', 'a name that is taken'),
  error('K011', 'a name that resolves to nothing: plan, wake, view, pod, book or import'),
  error('K012', 'an import cycle'),
  error('K013', "a path outside the document's root"),
  error('K020', 'a `budget` or `day-loss` that is not a positive risk'),
  error('K021', 'a `ttl` that is not in the session, or not positive'),
  error('K022', 'a plan without `DO`'),
  error('K023', 'a quantity that is not a positive whole number'),
  error('K030', 'an unbounded or unknown worst loss: a naked short option, short shares, a vertical without width'),
  error('K031', 'a sale beyond what the plan can own then; fractions of TP outside (0, 1] or over 1 together'),
  error('K032', 'a placement whose worst loss alone exceeds the budget, as far as literals tell'),
  error('K040', 'a bare `mid` as a price'),
  error('K041', '`cap` on a sell, `floor` on a buy, `basis` before anything is owned, `peg` with `fix`'),
  error('K050', 'a trigger on a mark or an opinion of worth'),
  error('K051', 'an unknown series, pane, phase, regime tag, fill model or dimension'),
  error('K052', 'a percentile of a series without reference distribution'),
  error('K053', 'a wrong argument or unit'),
  error('K060', 'the reserved word `atomic`'),
  warning('K070', 'a plan with no way out before `ttl`'),
  warning('K071', 'a trigger that can never be true, or always is'),
  warning('K072', 'an unused view or import'),
];

export const codes: ReadonlyMap<string, CodeRow> = new Map(rows.map((row) => [row.code, row]));

function error(code: string, refused: string): CodeRow {
  return { code, severity: 'error', refused };
}

function warning(code: string, refused: string): CodeRow {
  return { code, severity: 'warning', refused };
}
