// Reading triggers: conditions, series, operands, and the words that join them.
import { type Cursor, type Draftable, quote, stop } from './cursor.ts';
import { nearestKnown } from './findings.ts';
import type {
  Clock,
  Cmp,
  Condition,
  Offset,
  Operand,
  Percentile,
  PlanState,
  Series,
  SeriesArg,
  Trigger,
} from './model.ts';
import { CLOCK, EQ, GE, LE, MALFORMED, MINUS, NE, NONE, NUMBER, PLUS, units, WORD } from './scan.ts';
import { isName, isSeriesStart, isSymbol, isWord, phases, planStates, reserved } from './vocabulary.ts';

const conditionStart = ['a series', 'a number', '(', 'NOT', 'phase', 'T-10', 'time', 'plan(…)'];
const joiners = ['AND', 'OR', 'held', 'within'];
const comparisons = ['>', '>=', '<', '<=', '==', '!=', 'crosses'];
const sumOrComparisons = ['+', '-', ...comparisons];
const groupEnds = [...joiners, ')'];
const argForms = ['a whole number', 'a duration such as 5m', 'a word'];
const argEnds = [',', ')'];
const closing = [')'];
const symbolForms = ['a symbol such as SPY'];
const timeSigns = ['>=', '<'];
const clockForms = ['a clock such as 15:30'];
const offsetForms = ['3c', '$0.50', '10%', '5bps', '2t'];

/** What may follow a trigger that is followed by one of `next`. */
export function afterTrigger(next: readonly string[]): readonly string[] {
  return [...joiners, ...next];
}

export function parseTrigger(c: Cursor): Trigger {
  const from = c.i;
  const first = parseConj(c);
  if (!c.isHead('OR')) return first;
  const of: Trigger[] = [first];
  while (c.isHead('OR')) {
    c.i++;
    of.push(parseConj(c));
  }
  return c.mark({ kind: 'or', of }, from);
}

function parseConj(c: Cursor): Trigger {
  const from = c.i;
  const first = parseUnary(c);
  if (!c.isHead('AND')) return first;
  const of: Trigger[] = [first];
  while (c.isHead('AND')) {
    c.i++;
    of.push(parseUnary(c));
  }
  return c.mark({ kind: 'and', of }, from);
}

function parseUnary(c: Cursor): Trigger {
  const from = c.i;
  const negated = c.isHead('NOT');
  if (negated) c.i++;
  const inner = c.i;
  let trigger: Trigger;
  if (c.isPunct(40)) {
    c.openParen();
    const of = parseTrigger(c);
    c.closeParen(groupEnds);
    trigger = c.mark({ kind: 'paren', of }, inner);
  } else trigger = parseCondition(c);
  if (negated) trigger = c.mark({ kind: 'not', of: trigger }, from);
  const option = c.option;
  if (option === 'held' || option === 'within') {
    c.i++;
    trigger = c.mark({ kind: option, of: trigger, duration: c.takeDuration() }, from);
  }
  return trigger;
}

function parseCondition(c: Cursor): Condition {
  const from = c.i;
  if (c.kind === WORD) {
    const option = c.option;
    if (option === 'phase') return parsePhase(c);
    if (option === 'time' && !followedBy(c, 40)) {
      c.i++;
      const cmp = takeCmp(c, timeSigns);
      const clock = takeClock(c, clockForms, 'K053');
      return c.mark({ kind: 'time', cmp, clock }, from);
    }
    if (option === 'plan' && followedBy(c, 40)) return parsePlanState(c);
    if (c.scan.text.charCodeAt(c.start) === 84 && /^T-\d{1,6}$/.test(c.text)) {
      const minutes = Number(c.text.slice(2));
      c.i++;
      return c.mark({ kind: 'to-close', minutes }, from);
    }
  }
  const left = parseOperand(c);
  const option = c.option;
  if (option === 'crosses') {
    c.i++;
    const dir = c.option;
    if (dir !== 'above' && dir !== 'below') c.fail(['above', 'below']);
    c.i++;
    const right = parseOperand(c);
    return c.mark({ kind: 'crosses', left, dir, right }, from);
  }
  const cmp = takeCmp(c, left.kind === 'series' ? sumOrComparisons : comparisons);
  const right = parsePercentile(c) ?? parseOperand(c);
  return c.mark({ kind: 'compare', left, cmp, right }, from);
}

function followedBy(c: Cursor, code: number): boolean {
  c.i++;
  const is = c.isPunct(code);
  c.i--;
  return is;
}

function takeCmp(c: Cursor, expected: readonly string[]): Cmp {
  let cmp: Cmp;
  switch (c.punct) {
    case 62:
      cmp = '>';
      break;
    case 60:
      cmp = '<';
      break;
    case GE:
      cmp = '>=';
      break;
    case LE:
      cmp = '<=';
      break;
    case EQ:
      cmp = '==';
      break;
    case NE:
      cmp = '!=';
      break;
    default:
      return c.fail(expected, c.isPunct(61) ? 'equality is written ==' : undefined);
  }
  c.i++;
  return cmp;
}

function parsePhase(c: Cursor): Condition {
  const from = c.i++;
  if (c.kind !== WORD) c.fail(phases);
  const word = c.option;
  const phase = phases.find((p) => p === word);
  if (phase === undefined) {
    if (c.text === reserved) c.fail(phases);
    c.report('K051', c.i, c.i + 1, `${quote(c.text)} is no phase of the session`, {
      expected: phases,
      hint: nearestKnown(c.text, phases),
    });
  }
  c.i++;
  return c.mark({ kind: 'phase', phase: phase ?? 'open' }, from);
}

function parsePlanState(c: Cursor): Condition {
  const from = c.i++;
  c.openParen();
  const name = c.i;
  const plan = takeName(c, 'the name of a plan');
  c.closeParen(closing);
  c.takePunct(46);
  const option = c.option;
  const state: PlanState | undefined = planStates.find((s) => s === option);
  if (state === undefined) c.fail(planStates);
  c.i++;
  const node: Condition = c.mark({ kind: 'plan', plan, state: state! }, from);
  c.part(node, 'plan', name);
  return node;
}

/** A name; `what` says of what, for the refusal. */
export function takeName(c: Cursor, what: string): string {
  const text = c.text;
  if (c.kind !== WORD || text === reserved || !isName(text)) {
    const lowered = text.toLowerCase().replaceAll('_', '-');
    c.fail(
      [`${what} (lower-case letters, digits and hyphens)`],
      c.kind === WORD && text !== lowered ? `write it ${quote(lowered)}` : undefined,
    );
  }
  c.i++;
  return text;
}

/** A symbol: the run of its characters, whatever tokens they made. */
export function takeSymbol(c: Cursor, expected: readonly string[] = symbolForms): string {
  if (c.kind !== WORD) c.fail(expected);
  const { text } = c.scan;
  const from = c.start;
  let to = from;
  while (to < text.length && isSymbolChar(text.charCodeAt(to), text.charCodeAt(to + 1))) to++;
  let next = c.i;
  while (next < c.end && c.scan.start[next]! < to) next++;
  const symbol = text.slice(from, to);
  if (next === c.i || c.scan.end[next - 1] !== to || !isSymbol(symbol)) {
    const upper = c.text.toUpperCase();
    c.fail(expected, upper !== c.text && isSymbol(upper) ? `write it ${quote(upper)}` : undefined);
  }
  c.i = next;
  return symbol;
}

function isSymbolChar(code: number, next: number): boolean {
  if ((code >= 65 && code <= 90) || (code >= 48 && code <= 57)) return true;
  return code === 46 || code === 47 || code === 94 || (code === 45 && next !== 62);
}

/** A clock; `code` refuses one that no day has (`25:00`). */
export function takeClock(c: Cursor, expected: readonly string[], code: 'K021' | 'K053'): Clock {
  if (c.kind !== CLOCK || (c.flags & MALFORMED) !== 0) c.fail(expected);
  const packed = c.scan.value[c.i]!;
  const withSeconds = packed >= 1_000_000;
  const hms = withSeconds ? packed - 1_000_000 : packed;
  const h = Math.floor(hms / 10_000);
  const m = Math.floor(hms / 100) % 100;
  const s = hms % 100;
  if (h > 23 || m > 59 || s > 59) {
    c.report(code, c.i, c.i + 1, `${quote(c.text)} is no time of day`, { expected });
  }
  const from = c.i++;
  return c.mark(withSeconds ? { kind: 'clock', h, m, s } : { kind: 'clock', h, m }, from);
}

function parsePercentile(c: Cursor): Percentile | undefined {
  if (c.kind !== WORD || c.scan.text.charCodeAt(c.start) !== 112) return undefined;
  const match = /^p(\d+)(?:\.(\d+))?$/.exec(c.text);
  if (match === null) return undefined;
  const decimals = match[2] ?? '';
  if (decimals.length > 4) {
    c.report('K001', c.i, c.i + 1, `${quote(c.text)} has more than 4 decimals`, { expected: ['p95', 'p99.9'] });
    throw stop;
  }
  const e4 = Number(match[1]!.slice(0, 8)) * 10_000 + Number(decimals.padEnd(4, '0'));
  if (e4 > 1_000_000 || match[1]!.length > 8) {
    c.report('K053', c.i, c.i + 1, `${quote(c.text)} is beyond the hundredth percentile`, { expected: ['p0 to p100'] });
  }
  const from = c.i++;
  return c.mark({ kind: 'percentile', e4 }, from);
}

function parseOperand(c: Cursor): Operand {
  const from = c.i;
  if (c.kind === NUMBER && (c.flags & PLUS) === 0) {
    c.requireFit(['a number']);
    const unit = units[c.unit]!;
    if (c.unit > 7) {
      c.report('K053', c.i, c.i + 1, `${quote(c.text)} is a duration where a number was wanted`, {
        expected: ["a number in the series' own unit"],
      });
    }
    const magnitude = c.scan.value[c.i]!;
    const e4 = (c.flags & MINUS) !== 0 && magnitude !== 0 ? -magnitude : magnitude;
    c.i++;
    if (unit === '' || unit === 's' || unit === 'm' || unit === 'h' || unit === 'dte') {
      return c.mark({ kind: 'number', e4 }, from);
    }
    return c.mark({ kind: 'number', e4, unit }, from);
  }
  if (c.kind !== WORD || !isSeriesStart(c.text)) c.fail(conditionStart, startHint(c));
  return parseSeries(c);
}

function startHint(c: Cursor): string | undefined {
  if (/^p\d/.test(c.text)) return 'a percentile stands on the right: velocity(5m) >= p95';
  return c.text.endsWith('-') ? 'put a space before the sign' : undefined;
}

function parseSeries(c: Cursor): Series {
  const from = c.i;
  let name = c.text;
  c.i++;
  const args: SeriesArg[] = [];
  if (c.isPunct(40)) parseArgs(c, args);
  while (c.isPunct(46)) {
    c.i++;
    if (c.kind !== WORD || c.text === reserved || !isWord(c.text)) c.fail(['a word']);
    name += `.${c.text}`;
    c.i++;
  }
  const node: Draftable<Series> = { kind: 'series', name, args };
  if (c.isPunct(91)) {
    c.i++;
    node.symbol = takeSymbol(c);
    c.takePunct(93);
  }
  const nameEnd = c.i;
  const signed = tryOffset(c);
  if (signed !== undefined) {
    node.offset = signed;
    c.spans.part(node, 'name', c.scan.start[from]!, c.scan.end[nameEnd - 1]!);
  }
  c.mark(node, from);
  return node;
}

/** `(arg, arg)` of a series or pane. */
export function parseArgs(c: Cursor, args: SeriesArg[]): void {
  c.openParen();
  for (;;) {
    const from = c.i;
    if (c.isInt) args.push(c.mark({ kind: 'int', n: c.takeInt(argForms) }, from));
    else if (c.isDuration && (c.flags & (PLUS | MINUS)) === 0) {
      args.push(c.mark({ kind: 'duration', duration: c.duration() }, from));
    } else if (c.kind === WORD && c.text !== reserved && isWord(c.text)) {
      const word = c.text;
      c.i++;
      args.push(c.mark({ kind: 'word', word }, from));
    } else if (c.kind === NUMBER && c.literalFault() === undefined) {
      c.report('K053', c.i, c.i + 1, `${quote(c.text)} is no argument`, { expected: argForms });
      args.push(c.mark({ kind: 'int', n: Number.NaN }, c.i++));
    } else c.fail(argForms);
    if (!c.tryPunct(44)) break;
  }
  c.closeParen(argEnds);
}

/** `+ 3c` or `- 10%`, if one stands here; arithmetic has a space before its sign. */
export function tryOffset(c: Cursor): { readonly sign: 1 | -1; readonly offset: Offset } | undefined {
  const from = c.i;
  if (c.kind === NUMBER && (c.flags & (PLUS | MINUS)) !== 0) {
    if (!c.spaced) c.fail(['a space before the sign'], 'put a space before the sign');
    c.requireFit(offsetForms);
    const sign = (c.flags & PLUS) !== 0 ? 1 : -1;
    return c.mark({ sign, offset: offsetAt(c) }, from);
  }
  const code = c.punct;
  if (code !== 43 && code !== 45) return undefined;
  if (!c.spaced) c.fail(['a space before the sign'], 'put a space before the sign');
  c.i++;
  return c.mark({ sign: code === 43 ? 1 : -1, offset: takeOffset(c) }, from);
}

/** An offset without a sign. */
export function takeOffset(c: Cursor): Offset {
  if (c.kind !== NUMBER || (c.flags & (PLUS | MINUS)) !== 0) c.fail(offsetForms);
  c.requireFit(offsetForms);
  return offsetAt(c);
}

function offsetAt(c: Cursor): Offset {
  if (c.unit === NONE || c.unit > 5) c.fail(offsetForms, 'a change of price has a unit: 3c, $0.50, 10%, 5bps or 2t');
  const from = c.i++;
  return c.mark({ unit: units[c.scan.unit[from]!] as Offset['unit'], e4: c.scan.value[from]! }, from);
}
