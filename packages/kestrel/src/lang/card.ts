// The card: the whole language on one page, made from the tables that the parser and the validator use.
import { codes } from './codes.ts';
import { documentBytesMax, parensMax, statementsMax } from './limits.ts';
import { type SeriesUnit, series } from './series.ts';
import {
  anchorNames,
  anchors,
  armStates,
  dimensions,
  fillModels,
  panes,
  phases,
  planStates,
  regimes,
} from './vocabulary.ts';

/** The document that the card shows. It validates without a finding. */
export const cardExample = `USING signal SPX exec SPY 0dte

VIEW cockpit budget 900 tokens tape(5m, 12) levels chain(3) plans news
WAKE shock WHEN velocity(1m) >= p99 DELIVER cockpit priority 1 budget 12 wakes/day cooldown 5m

# A flush below support is a gift; if the level truly breaks and holds, get out.
PLAN fade-flush budget 0.4R ttl 15:30 regime {intraday: range}
  WHEN spot crosses below 5150 AND time >= 09:45
  DO buy 1 -1 P @ lean(bid, fair, 0.5) cap 1.80 cancel-if spot > 5160
  RELOAD every $4 down, up to 2
  TP 2x frac 0.5 @ fair
  EXIT spot < 5120 held 120s @ bid - 2c
  INVALIDATE T-15 -> flat
  ARM bounce on filled

# Starts dormant, because another plan arms it.
PLAN bounce budget 0.2R ttl +45m
  WHEN (spot > ORH(15m) OR spot > HOD) AND NOT phase close
  DO buy 1 +1 C @ min(mid, fair) peg
  TP 1.5x @ fair

GRADE plan fade-flush OVER 2025-01..2025-06 FILL strict-cross-v1
  VS null
  BY regime.intraday, weekday
`;

/** The language in one context-window page of plain text. */
export function card(): string {
  return `KESTREL ON ONE PAGE
Bounded trading plans written in advance. A statement starts in column 0, one clause a line indented under it; a deeper line
continues the clause above. # starts a comment. Heads are UPPER case, option words lower case, names a-b-1, symbols SPY BRK.B.
Arithmetic has a space before its sign (spot - 3c; spot-3c is one word). At most ${documentBytesMax / 1024} KiB, ${statementsMax} statements, ${parensMax} ( levels.
[x] may be left out, a|b is a choice, x,.. is a list.

STATEMENTS
IMPORT name,.. FROM ./path                      USING signal SYM exec SYM [Ndte|DATE]   (for the plans below it)
VIEW name [budget N tokens] pane ..             WAKE name WHEN trigger DELIVER view [priority N] [budget N wakes/day] [cooldown DUR]
POD name RISK day-loss R -> halt                with clauses: BOOK name budget R coverage SYM,..
GRADE plan|wake|pod name OVER A..B FILL model   with clauses: VS null|ungated|plan name    BY dimension,..
PLAN name [in book] budget R ttl CLOCK|+DUR [regime {tag: value,..}] [priority N]   with clauses, in this order:
  [USING ..]  [WHEN trigger]  DO ticket   then any of, in any order:
  ALSO ticket                                   a further order, placed with DO
  RELOAD WHEN trigger ticket                    add each time the trigger rises
  RELOAD every OFFSET up|down, up to N [ticket] add each OFFSET further (default: the DO ticket)
  TP Mx [frac F] @ price                        rest a sell at the higher of M x basis and price
  EXIT trigger @ price                          sell the rest when TRUE
  INVALIDATE trigger [-> halt, ride | -> flat]  stop adding (and keep the position, the default; or close it at the market)
  CANCEL-IF trigger                             pull unfilled entries
  ARM plan [on ${armStates.join('|')}]   that plan is dormant until then
Without WHEN a plan fires at once. At ttl everything is pulled and the position closed at the market.

TICKET  buy|sell QTY instrument @ price
instrument: shares | STRIKE C|P [expiry] | STRIKE/STRIKE C|P [expiry] (vertical: long the first, short the second)
STRIKE: 5150 | ATM | +1 | -2 (listed strikes above or below ATM)     expiry: 0dte | 2025-04-09
PRICE   term [+|- OFFSET].. [modifier ..]
term: number | anchor | lean(a, b, w) | min(a,..) | max(a,..) | (a)
value: ${anchorList('value')}
book: ${anchorList('book')}; absolute: ${anchorList('absolute')}. A bare mid is refused.
modifiers: peg (follow) | fix | cap P (buys) | floor P (sells) | esc P DUR (reprice if unfilled) | cancel-if trigger
OFFSET: 3c $0.50 10% 5bps 2t    R: 0.4R    DUR: 120s 5m 1h    CLOCK: 15:55[:30] exchange local    at most 4 decimals

TRIGGER  a AND b OR NOT (c), each part [held DUR | within DUR] (applied last)
operand > >= < <= == != operand | operand > pXX (percentile of prior sessions) | operand crosses above|below operand
phase ${phases.join('|')} | T-10 (minutes to the close) | time >=|< CLOCK | plan(name).${planStates.join('|')}
operand: number in the series' unit, or series[(args)][[SYM]] [+|- OFFSET]. Fires only on TRUE; UNKNOWN is neither.
(x crosses ..) is true at one instant: never with held. Exits read no option marks, no open profit, no fair.

SERIES  name [unit] meaning; * takes percentiles; d is a duration, n a count of bars
${seriesLines()}

PANES ${[...panes.values()].map((pane) => pane.form).join(' ')}
REGIMES ${[...regimes].map(([tag, values]) => `${tag}: ${values.join('|')}`).join('; ')}
DIMENSIONS ${dimensions.join(' ')}    FILL ${[...fillModels.keys()].join(' ')}

REFUSED (K07x only warn); one error and the document arms nothing
${[...codes.values()].map((row) => `${row.code} ${row.refused}`).join('\n')}

EXAMPLE
${cardExample}`;
}

function anchorList(family: string): string {
  return anchorNames
    .filter((name) => anchors[name].family === family)
    .map((name) => `${name} (${anchors[name].meaning})`)
    .join(', ');
}

const unitTitles: Readonly<Record<SeriesUnit, string>> = {
  price: 'price',
  bps: 'bps',
  shares: 'shares',
  ratio: 'ratio',
  index: '0..100',
  percent: '%',
  count: 'count',
  R: 'R',
};

function seriesLines(): string {
  return [...series.values()]
    .map((row) => `${row.reference ? `${row.form}*` : row.form} [${unitTitles[row.unit]}] ${row.meaning}`)
    .join('\n');
}
