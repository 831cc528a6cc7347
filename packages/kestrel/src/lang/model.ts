/**
 * The typed model of a Kestrel document. The objects are the language; text is their projection.
 *
 * Every decimal literal is an exact integer in units of 1e-4 (`e4`), so that no value in a document ever was a
 * binary fraction. Spans are not part of the model: two documents that say the same are equal objects. Absent
 * options are absent fields, never `undefined` values.
 */

/** Integer in units of 1e-4 of whatever the literal counts (currency, per cent, R, a plain number). */
export type E4 = number;

/** Text of a comment from its `#` on, trailing space cut. */
export type Comment = string;

export interface Duration {
  readonly n: number;
  readonly unit: 's' | 'm' | 'h';
}

/** Exchange-local wall clock; `seconds` is absent when the author wrote `HH:MM`. */
export interface Clock {
  readonly kind: 'clock';
  readonly h: number;
  readonly m: number;
  readonly s?: number;
}

/** `2025-04-09` */
export type IsoDate = string;
/** `2025-04` */
export type IsoMonth = string;

// ---------------------------------------------------------------- prices

/** cents `3c` (n = 3), money `$0.50`, per cent `10%`, basis points `5bps`, ticks `2t`; `e4` is the literal times 1e4. */
export interface Offset {
  readonly unit: 'c' | '$' | '%' | 'bps' | 't';
  readonly e4: E4;
}

export type Anchor = 'fair' | 'intrinsic' | 'basis' | 'bid' | 'ask' | 'mid' | 'last' | 'join' | 'improve' | 'stub';

export type PriceExpr =
  | { readonly kind: 'anchor'; readonly name: Anchor }
  | { readonly kind: 'number'; readonly e4: E4 }
  | { readonly kind: 'lean'; readonly a: PriceExpr; readonly b: PriceExpr; readonly w: E4 }
  | { readonly kind: 'min' | 'max'; readonly args: readonly PriceExpr[] }
  /** Parentheses the author wrote. */
  | { readonly kind: 'group'; readonly of: PriceExpr }
  /** `base + off - off …`, left to right; `terms` is never empty. */
  | {
      readonly kind: 'sum';
      readonly base: PriceExpr;
      readonly terms: readonly { readonly sign: 1 | -1; readonly offset: Offset }[];
    };

export type Modifier =
  | { readonly kind: 'peg' }
  | { readonly kind: 'fix' }
  | { readonly kind: 'cap'; readonly at: PriceExpr }
  | { readonly kind: 'floor'; readonly at: PriceExpr }
  | { readonly kind: 'esc'; readonly to: PriceExpr; readonly after: Duration }
  | { readonly kind: 'cancel-if'; readonly when: Trigger };

export interface Price {
  readonly expr: PriceExpr;
  readonly modifiers: readonly Modifier[];
}

// ---------------------------------------------------------------- instruments and tickets

export type Expiry = { readonly kind: 'dte'; readonly n: number } | { readonly kind: 'date'; readonly date: IsoDate };

export type Strike =
  | { readonly kind: 'absolute'; readonly e4: E4 }
  | { readonly kind: 'atm' }
  /** `+n` / `-n` listed strikes from ATM; `n` is signed and never 0. */
  | { readonly kind: 'relative'; readonly n: number };

export type Right = 'C' | 'P';

export type Instrument =
  | { readonly kind: 'shares' }
  | { readonly kind: 'option'; readonly strike: Strike; readonly right: Right; readonly expiry?: Expiry }
  | {
      readonly kind: 'vertical';
      readonly long: Strike;
      readonly short: Strike;
      readonly right: Right;
      readonly expiry?: Expiry;
    };

export interface Ticket {
  readonly side: 'buy' | 'sell';
  readonly qty: number;
  readonly instrument: Instrument;
  readonly price: Price;
}

// ---------------------------------------------------------------- triggers

export type Cmp = '>' | '>=' | '<' | '<=' | '==' | '!=';

export type SeriesArg =
  | { readonly kind: 'int'; readonly n: number }
  | { readonly kind: 'duration'; readonly duration: Duration }
  | { readonly kind: 'word'; readonly word: string };

/** `name` is the dotted word path (`spot`, `prior.close`, `fills.avg_px`); arguments follow the first word. */
export interface Series {
  readonly kind: 'series';
  readonly name: string;
  readonly args: readonly SeriesArg[];
  /** Symbol in brackets; absent: the signal symbol. */
  readonly symbol?: string;
  readonly offset?: { readonly sign: 1 | -1; readonly offset: Offset };
}

export interface NumberOperand {
  readonly kind: 'number';
  /** Signed. */
  readonly e4: E4;
  /** Unit the author joined to the number (`20bps`, `10%`, `$5`, `0.5R` …); absent: the series' own unit. */
  readonly unit?: 'c' | '$' | '%' | 'bps' | 't' | 'x' | 'R';
}

export type Operand = NumberOperand | Series;

/** `p95` is e4 = 950000. */
export interface Percentile {
  readonly kind: 'percentile';
  readonly e4: E4;
}

export type Phase = 'open' | 'morning' | 'afternoon' | 'close';
export type PlanState = 'armed' | 'fired' | 'filled' | 'done' | 'invalidated';

export type Condition =
  | { readonly kind: 'compare'; readonly left: Operand; readonly cmp: Cmp; readonly right: Operand | Percentile }
  | { readonly kind: 'crosses'; readonly left: Operand; readonly dir: 'above' | 'below'; readonly right: Operand }
  | { readonly kind: 'phase'; readonly phase: Phase }
  /** `T-10`: TRUE from n minutes before the close. */
  | { readonly kind: 'to-close'; readonly minutes: number }
  | { readonly kind: 'time'; readonly cmp: Cmp; readonly clock: Clock }
  | { readonly kind: 'plan'; readonly plan: string; readonly state: PlanState };

export type Trigger =
  | Condition
  | { readonly kind: 'and' | 'or'; readonly of: readonly Trigger[] }
  | { readonly kind: 'not'; readonly of: Trigger }
  /** Parentheses the author wrote. */
  | { readonly kind: 'paren'; readonly of: Trigger }
  /** Applied last: `NOT c held d` is `(NOT c) held d`. */
  | { readonly kind: 'held' | 'within'; readonly of: Trigger; readonly duration: Duration };

// ---------------------------------------------------------------- statements

/** What every clause and statement carries: comments above it and at its end. */
export interface Commented {
  readonly leading?: readonly Comment[];
  readonly trailing?: Comment;
}

export interface StatementBase extends Commented {
  /** Whether a blank line stands above the statement and its leading comments. */
  readonly blank: boolean;
  /** Comments left at the end of the statement's block. */
  readonly dangling?: readonly Comment[];
}

export interface Import extends StatementBase {
  readonly kind: 'import';
  readonly names: readonly string[];
  readonly path: string;
}

export interface Using extends StatementBase {
  readonly kind: 'using';
  readonly signal: string;
  readonly exec: string;
  readonly expiry?: Expiry;
}

/** A USING line inside a PLAN. */
export interface UsingClause extends Commented {
  readonly signal: string;
  readonly exec: string;
  readonly expiry?: Expiry;
}

export type Ttl = Clock | { readonly kind: 'relative'; readonly duration: Duration };

export interface RegimeTag {
  readonly key: string;
  readonly value: string;
}

export interface WhenClause extends Commented {
  readonly kind: 'when';
  readonly when: Trigger;
}
export interface DoClause extends Commented {
  readonly kind: 'do';
  readonly ticket: Ticket;
}

export type PlanClause = Commented &
  (
    | { readonly kind: 'also'; readonly ticket: Ticket }
    | { readonly kind: 'reload-when'; readonly when: Trigger; readonly ticket: Ticket }
    | {
        readonly kind: 'reload-every';
        readonly step: Offset;
        readonly dir: 'up' | 'down';
        readonly upTo: number;
        readonly ticket?: Ticket;
      }
    | { readonly kind: 'tp'; readonly multiple: E4; readonly frac?: E4; readonly price: Price }
    | { readonly kind: 'exit'; readonly when: Trigger; readonly price: Price }
    /** `mode` absent: nothing was written, which means `halt, ride`. */
    | { readonly kind: 'invalidate'; readonly when: Trigger; readonly mode?: 'ride' | 'flat' }
    | { readonly kind: 'cancel-if'; readonly when: Trigger }
    /** `on` absent: `fired`. */
    | { readonly kind: 'arm'; readonly plan: string; readonly on?: 'fired' | 'filled' | 'done' | 'invalidated' }
  );

export interface Plan extends StatementBase {
  readonly kind: 'plan';
  readonly name: string;
  /** The book after `in`. */
  readonly book?: string;
  /** Risk in R, 1e-4. */
  readonly budget: E4;
  readonly ttl: Ttl;
  readonly regime?: readonly RegimeTag[];
  readonly priority?: number;
  readonly using?: UsingClause;
  readonly when?: WhenClause;
  readonly do: DoClause;
  readonly clauses: readonly PlanClause[];
}

export interface Wake extends StatementBase {
  readonly kind: 'wake';
  readonly name: string;
  readonly when: Trigger;
  readonly deliver: string;
  readonly priority?: number;
  readonly perDay?: number;
  readonly cooldown?: Duration;
}

export interface Pane {
  readonly word: string;
  readonly args: readonly SeriesArg[];
}

export interface View extends StatementBase {
  readonly kind: 'view';
  readonly name: string;
  readonly tokens?: number;
  readonly panes: readonly Pane[];
}

export interface Book extends Commented {
  readonly name: string;
  readonly budget: E4;
  readonly coverage: readonly string[];
}

export interface Pod extends StatementBase {
  readonly kind: 'pod';
  readonly name: string;
  /** Day loss in R, 1e-4. */
  readonly dayLoss: E4;
  readonly books: readonly Book[];
}

export type GradeClause = Commented &
  (
    | { readonly kind: 'vs'; readonly versus: 'null' | 'ungated' }
    | { readonly kind: 'vs'; readonly versus: 'plan'; readonly plan: string }
    | { readonly kind: 'by'; readonly dims: readonly string[] }
  );

export interface Grade extends StatementBase {
  readonly kind: 'grade';
  readonly subject: 'plan' | 'wake' | 'pod';
  readonly name: string;
  readonly from: IsoDate | IsoMonth;
  readonly to: IsoDate | IsoMonth;
  readonly fill: string;
  readonly clauses: readonly GradeClause[];
}

export type Statement = Import | Using | Plan | Wake | View | Pod | Grade;

export interface KestrelDocument {
  readonly statements: readonly Statement[];
  /** Comments after the last statement, or of a document without one. */
  readonly dangling?: readonly Comment[];
}

// ---------------------------------------------------------------- diagnostics

export interface Span {
  /** UTF-16 offset into the text as given. */
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units; a tab is one column. */
  readonly column: number;
}

export interface Diagnostic {
  /** `K001` … `K072` */
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly span: Span;
  /** What would have been accepted here. */
  readonly expected?: readonly string[];
  /** The nearest known word, or the next step. */
  readonly hint?: string;
}

export interface ParseResult {
  /** Every statement that was understood; those that were not are left out and have a diagnostic. */
  readonly document: KestrelDocument;
  readonly diagnostics: readonly Diagnostic[];
  /** Span of any node of `document`, by identity. */
  readonly spanOf: (node: object) => Span | undefined;
}
