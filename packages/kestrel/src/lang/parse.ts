// The parser: text to statements, going on at the next clause or statement after an error.
import { Cursor, type Draftable, exceedsBytes, quote, stop } from './cursor.ts';
import { type Block, type Clause, Layout } from './layout.ts';
import { documentBytesMax, statementsMax } from './limits.ts';
import type {
  Book,
  Commented,
  Diagnostic,
  DoClause,
  Grade,
  GradeClause,
  Import,
  KestrelDocument,
  Pane,
  ParseResult,
  Plan,
  PlanClause,
  Pod,
  RegimeTag,
  SeriesArg,
  Statement,
  Ttl,
  Using,
  UsingClause,
  View,
  Wake,
  WhenClause,
} from './model.ts';
import { parsePrice, parseTicket, tryExpiry } from './parse-ticket.ts';
import { afterTrigger, parseArgs, parseTrigger, takeClock, takeName, takeOffset, takeSymbol } from './parse-trigger.ts';
import { ARROW, BAD, CLOCK, DATE, DOTDOT, MINUS, MONTH, NONE, NUMBER, PLUS, scan, Tokens, WORD } from './scan.ts';
import { type SpanOf, Spans } from './spans.ts';
import {
  armStates,
  isDate,
  isMonth,
  isPath,
  isWord,
  planHeads,
  reserved,
  statementHeads,
  subjects,
} from './vocabulary.ts';

/** A plan as far as it was understood: one without `do` never leaves the parser as a `Plan`. */
export type PlanDraft = Omit<Plan, 'do'> & { readonly do?: DoClause };
export type Draft = Exclude<Statement, Plan> | PlanDraft;

/** A parse with what the semantic pass needs beside the document. */
export interface Parsed extends ParseResult {
  readonly text: string;
  readonly spanOf: SpanOf;
  readonly spans: Spans;
  /** Every statement, those with errors included as far as they were understood. */
  readonly drafts: readonly Draft[];
  /** Drafts in which something did not parse. */
  readonly flawed: ReadonlySet<object>;
  /** Names of statements that were not understood, so that what refers to them is not refused as well. */
  readonly claimed: ReadonlySet<string>;
}

/** Filled by each parse and read by none after it, so that parsing does not begin with megabytes of new arrays. */
const columns = new Tokens(4_096);
const none: readonly string[] = [];
const afterTriggers = afterTrigger(none);
const afterExit = afterTrigger(['@']);
const afterMode = afterTrigger(['->', 'the end of the line']);
const afterReload = afterTrigger(['buy', 'sell']);
const afterWake = afterTrigger(['DELIVER']);
const wakeOptions = ['priority', 'budget', 'cooldown'];
const managing = planHeads.slice(3);
const riskForms = ['a positive risk such as 0.4R'];
const ttlForms = ['a clock such as 15:30', 'a deadline such as +45m'];
const wholeNumber = ['a whole number'];
const atSign = ['@'];
const fracOrAt = ['frac', '@'];
const fractionForms = ['a fraction such as 0.5'];
const multipleForms = ['a multiple such as 2x'];
const waysIn = ['WHEN', 'DO'];
/** The ttl of a head that did not parse. */
const noTtl: Ttl = { kind: 'relative', duration: { n: Number.NaN, unit: 's' } };

export function parse(text: string): Parsed {
  if (exceedsBytes(text)) return refuseWhole(text);
  const tokens = scan(text, columns);
  const spans = new Spans(tokens.lineStart.slice(0, tokens.lineCount), tokens.count >> 1);
  const c = new Cursor(tokens, spans);
  const layout = new Layout(tokens);
  const statements: Statement[] = [];
  const drafts: Draft[] = [];
  const flawed = new Set<object>();
  const claimed = new Set<string>();
  if (layout.stray !== undefined) {
    c.enter(layout.stray.from, layout.stray.to);
    attempt(() => c.fail([...statementHeads], 'a statement starts in column 0'));
  }
  let count = 0;
  for (let block = layout.next(); block !== undefined; block = layout.next()) {
    if (++count > statementsMax) {
      c.enter(block.head.from, block.head.to);
      c.report('K002', c.i, c.i + 1, `more than ${statementsMax} statements in one document`, {
        hint: 'split the document',
      });
      break;
    }
    if (c.full) break;
    c.statementFlawed = false;
    const draft = parseStatement(c, block, claimed);
    if (draft === undefined) continue;
    drafts.push(draft);
    if (c.statementFlawed) flawed.add(draft);
    else statements.push(draft as Statement);
  }
  // The statements above it may have been left out; the first one has no blank line above it.
  const first = statements[0];
  if (first?.blank === true) (first as Draftable<Statement>).blank = false;
  const document: Draftable<KestrelDocument> = { statements };
  if (layout.dangling !== undefined) document.dangling = layout.dangling;
  spans.node(document, 0, text.length);
  return {
    text,
    document,
    diagnostics: sortDiagnostics(c.diagnostics),
    spanOf: spans.of,
    spans,
    drafts,
    flawed,
    claimed,
  };
}

/** Orders by start, then code. */
export function sortDiagnostics(diagnostics: Diagnostic[]): Diagnostic[] {
  return diagnostics.sort(
    (a, b) =>
      a.span.start - b.span.start || (a.code < b.code ? -1 : a.code > b.code ? 1 : 0) || a.span.end - b.span.end,
  );
}

function refuseWhole(text: string): Parsed {
  const spans = new Spans([0], 1);
  const document: KestrelDocument = { statements: [] };
  spans.node(document, 0, text.length);
  const diagnostic: Diagnostic = {
    code: 'K002',
    severity: 'error',
    message: `the document is larger than ${documentBytesMax / 1024} KiB`,
    span: { start: 0, end: text.length, line: 1, column: 1 },
    hint: 'split the document',
  };
  return {
    text,
    document,
    diagnostics: [diagnostic],
    spanOf: spans.of,
    spans,
    drafts: [],
    flawed: new Set(),
    claimed: new Set(),
  };
}

/** Runs `read` over the clause that the cursor has entered; undefined where it did not parse. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (thrown === stop) return undefined;
    throw thrown;
  }
}

function parseStatement(c: Cursor, block: Block, claimed: Set<string>): Draft | undefined {
  const { head } = block;
  c.enter(head.from, head.to);
  const word = c.text;
  switch (word) {
    case 'IMPORT':
      return attempt(() => parseImport(c, block)) ?? claim(c, head, claimed);
    case 'USING':
      return attempt(() => {
        c.i++;
        const using: Draftable<Using> = { kind: 'using', blank: block.blank, ...parseUsing(c) };
        return finishStatement(c, using, block);
      });
    case 'PLAN':
      return parsePlan(c, block, claimed);
    case 'WAKE':
      return attempt(() => parseWake(c, block)) ?? claim(c, head, claimed);
    case 'VIEW':
      return attempt(() => parseView(c, block)) ?? claim(c, head, claimed);
    case 'POD':
      return parsePod(c, block, claimed);
    case 'GRADE':
      return parseGrade(c, block);
    default:
      attempt(() =>
        c.fail(statementHeads, isClauseHead(word) ? 'a clause is indented under its statement' : undefined),
      );
      return claim(c, head, claimed);
  }
}

function isClauseHead(word: string): boolean {
  return (planHeads as readonly string[]).includes(word) || word === 'BOOK' || word === 'VS' || word === 'BY';
}

/** Remembers the words of a statement that was not understood as names it may have been about to define. */
function claim(c: Cursor, head: Clause, claimed: Set<string>): undefined {
  for (let i = head.from + 1; i < head.to; i++) {
    if (c.scan.kind[i] !== WORD) break;
    claimed.add(c.textOf(i));
    if (c.textOf(head.from) !== 'IMPORT') break;
    if (i + 1 < head.to && c.textOf(i + 1) === ',') i++;
  }
  return undefined;
}

function withComments<T extends Commented>(node: T, { leading, trailing }: Clause): T {
  if (leading !== undefined) (node as Draftable<Commented>).leading = leading;
  if (trailing !== undefined) (node as Draftable<Commented>).trailing = trailing;
  return node;
}

function finishStatement<T extends Commented>(c: Cursor, node: T, block: Block): T {
  withComments(node, block.head);
  if (block.dangling !== undefined) (node as { dangling?: readonly string[] }).dangling = block.dangling;
  const { head, clauses, count } = block;
  const last = count === 0 ? head : clauses[count - 1]!;
  c.spans.node(node, c.scan.start[head.from]!, c.scan.end[last.to - 1]!);
  return node;
}

// ---------------------------------------------------------------- IMPORT, USING, WAKE, VIEW

function parseImport(c: Cursor, block: Block): Import {
  c.i++;
  const names: string[] = [];
  const nameTokens: number[] = [];
  do {
    nameTokens.push(c.i);
    names.push(takeName(c, 'a name'));
  } while (c.tryPunct(44));
  c.takeHead('FROM', [',', 'FROM']);
  const pathAt = c.i;
  const path = takePath(c);
  c.finish(none);
  const node: Import = { kind: 'import', blank: block.blank, names, path };
  nameTokens.forEach((token, k) => {
    c.part(node, `names.${k}`, token);
  });
  c.spans.part(node, 'path', c.scan.start[pathAt]!, c.previousEnd);
  return finishStatement(c, node, block);
}

function takePath(c: Cursor): string {
  const expected = ['a path such as ./plans.kestrel'];
  if (c.kind === 0) c.fail(expected);
  const from = c.i;
  while (c.i + 1 < c.end && c.scan.start[c.i + 1] === c.scan.end[c.i]) c.i++;
  const path = c.scan.text.slice(c.scan.start[from], c.scan.end[c.i]);
  c.i++;
  if (isPath(path)) return path;
  if (/^[/~]/.test(path) && c.scan.kind[from] !== BAD) {
    c.report('K013', from, c.i, `${quote(path)} leads outside the document's root`, {
      expected,
      hint: 'paths begin with ./',
    });
    throw stop;
  }
  const to = c.i;
  c.i = from;
  if (c.kind !== WORD || c.text === reserved) c.fail(expected, 'a path begins with ./ or ../');
  c.report('K001', from, to, `expected ${expected[0]}, found ${quote(path)}`, {
    expected,
    hint: 'a path begins with ./ or ../',
  });
  throw stop;
}

function parseUsing(c: Cursor): UsingClause {
  c.takeOption('signal');
  const signal = takeSymbol(c);
  c.takeOption('exec');
  const exec = takeSymbol(c);
  const expiry = tryExpiry(c);
  c.finish(expiry === undefined ? ['0dte', 'a date'] : none);
  return expiry === undefined ? { signal, exec } : { signal, exec, expiry };
}

function parseWake(c: Cursor, block: Block): Wake {
  c.i++;
  const nameAt = c.i;
  const name = takeName(c, 'a name for the wake');
  c.takeHead('WHEN');
  const when = parseTrigger(c);
  c.takeHead('DELIVER', afterWake);
  const deliverAt = c.i;
  const deliver = takeName(c, 'the name of a view');
  const node: Draftable<Wake> = { kind: 'wake', blank: block.blank, name, when, deliver };
  c.part(node, 'name', nameAt);
  c.part(node, 'deliver', deliverAt);
  if (c.tryOption('priority')) node.priority = c.takeInt(wholeNumber);
  if (c.tryOption('budget')) {
    c.part(node, 'perDay', Math.min(c.i, c.end - 1));
    node.perDay = c.takeInt(wholeNumber);
    c.takeOption('wakes', ['wakes/day']);
    c.takePunct(47, ['wakes/day']);
    c.takeOption('day', ['wakes/day']);
  }
  if (c.tryOption('cooldown')) node.cooldown = c.takeDuration();
  c.finish(wakeOptions);
  return finishStatement(c, node, block);
}

function parseView(c: Cursor, block: Block): View {
  c.i++;
  const nameAt = c.i;
  const name = takeName(c, 'a name for the view');
  const node: Draftable<View> & { panes: Pane[] } = {
    kind: 'view',
    blank: block.blank,
    name,
    panes: [],
  };
  c.part(node, 'name', nameAt);
  if (c.option === 'budget' && c.i + 1 < c.end && c.scan.kind[c.i + 1] === NUMBER) {
    c.i++;
    c.part(node, 'tokens', c.i);
    node.tokens = c.takeInt(wholeNumber);
    c.takeOption('tokens');
  }
  do {
    const from = c.i;
    if (c.kind !== WORD || !isWord(c.text) || c.text === reserved) {
      c.fail(['a pane such as tape(5m, 12)']);
    }
    const word = c.text;
    c.i++;
    const args: SeriesArg[] = [];
    if (c.isPunct(40)) parseArgs(c, args);
    const pane: Pane = c.mark({ word, args }, from);
    c.part(pane, 'word', from);
    node.panes.push(pane);
  } while (c.i < c.end);
  return finishStatement(c, node, block);
}

// ---------------------------------------------------------------- PLAN

function parsePlan(c: Cursor, block: Block, claimed: Set<string>): PlanDraft | undefined {
  const { head } = block;
  const node: Draftable<PlanDraft> & { clauses: PlanClause[] } = {
    kind: 'plan',
    blank: block.blank,
    name: '',
    budget: Number.NaN,
    ttl: noTtl,
    clauses: [],
  };
  attempt(() => parsePlanHead(c, node));
  if (node.name === '') claim(c, head, claimed);
  const seen = parsePlanClauses(c, node, block);
  c.enter(head.from, head.to);
  finishStatement(c, node, block);
  if (seen.do) return node;
  const at = Math.min(head.from + 1, head.to - 1);
  c.report('K022', at, at + 1, `the plan ${node.name === '' ? '' : `${quote(node.name)} `}has no DO`, {
    expected: ['DO buy 1 ATM P @ fair'],
    hint: 'a plan says what to do: add a DO line under it',
  });
  return node;
}

function parsePlanHead(c: Cursor, node: Draftable<PlanDraft>): void {
  c.i++;
  c.part(node, 'name', Math.min(c.i, c.end - 1));
  node.name = takeName(c, 'a name for the plan');
  if (c.tryOption('in')) {
    c.part(node, 'book', Math.min(c.i, c.end - 1));
    node.book = takeName(c, 'the name of a book');
  }
  c.takeOption('budget', node.book === undefined ? ['in', 'budget'] : ['budget']);
  node.budget = takeBudget(c, node);
  c.takeOption('ttl');
  node.ttl = takeTtl(c);
  if (c.tryOption('regime')) node.regime = parseRegime(c);
  if (c.tryOption('priority')) node.priority = c.takeInt(wholeNumber);
  c.finish(
    node.priority !== undefined
      ? []
      : node.regime !== undefined
        ? ['priority']
        : ['regime {intraday: range}', 'priority'],
  );
}

/** A risk in R; a literal that is none is K020 and answers NaN. */
function takeBudget(c: Cursor, node: object): number {
  const expected = riskForms;
  if (c.kind !== NUMBER || c.literalFault() !== undefined) c.fail(expected);
  const at = c.i++;
  c.part(node, 'budget', at);
  const fits = c.scan.unit[at] === 7 && (c.scan.flags[at]! & (PLUS | MINUS)) === 0;
  if (fits) return c.scan.value[at]!;
  c.report('K020', at, at + 1, `${quote(c.textOf(at))} is no positive risk`, {
    expected,
    hint: 'a risk is a number of R, such as 0.4R',
  });
  return Number.NaN;
}

function takeTtl(c: Cursor): Ttl {
  const expected = ttlForms;
  if (c.kind === CLOCK) return takeClock(c, expected, 'K021');
  const from = c.i;
  if (c.isDuration && (c.flags & PLUS) !== 0) {
    const duration = c.duration();
    return c.mark({ kind: 'relative', duration }, from);
  }
  if (c.isDuration && (c.flags & MINUS) !== 0) {
    c.report('K021', c.i, c.i + 1, `${quote(c.text)} is not a time to come`, { expected });
    c.i++;
    return noTtl;
  }
  return c.fail(expected, c.isDuration ? `a relative ttl has a sign: ${quote(`+${c.text}`)}` : undefined);
}

function parseRegime(c: Cursor): readonly RegimeTag[] {
  c.takePunct(123);
  const tags: RegimeTag[] = [];
  do {
    const from = c.i;
    const key = takeWord(c, 'a regime tag');
    if (tags.some((t) => t.key === key)) {
      c.report('K001', from, from + 1, `the tag ${quote(key)} stands twice`, { expected: ['each tag once'] });
    }
    c.takePunct(58);
    const valueAt = c.i;
    const value = takeWord(c, 'a value of the tag');
    const tag: RegimeTag = c.mark({ key, value }, from);
    c.part(tag, 'key', from);
    c.part(tag, 'value', valueAt);
    tags.push(tag);
  } while (c.tryPunct(44));
  c.takePunct(125, [',', '}']);
  return tags;
}

function takeWord(c: Cursor, what: string): string {
  const word = c.text;
  if (c.kind !== WORD || word === reserved || !isWord(word)) c.fail([what]);
  c.i++;
  return word;
}

function parsePlanClauses(
  c: Cursor,
  node: Draftable<PlanDraft> & { clauses: PlanClause[] },
  block: Block,
): { readonly do: boolean } {
  let seenUsing = false;
  let seenWhen = false;
  let seenDo = false;
  let misplaced: number | undefined;
  for (let k = 0; k < block.count && !c.full; k++) {
    const clause = block.clauses[k]!;
    c.enter(clause.from, clause.to);
    attempt(() => {
      switch (c.kind === WORD ? c.text : '') {
        case 'USING':
          if (seenUsing || seenWhen || seenDo || node.clauses.length > 0)
            c.fail(clauseHeads(seenWhen, seenDo), 'USING stands first');
          seenUsing = true;
          c.i++;
          node.using = c.mark(withComments(parseUsing(c), clause), clause.from);
          return;
        case 'WHEN': {
          if (seenWhen || seenDo)
            c.fail(clauseHeads(seenWhen, seenDo), seenWhen ? 'a plan has one WHEN' : 'WHEN stands before DO');
          seenWhen = true;
          c.i++;
          const when: WhenClause = { kind: 'when', when: parseTrigger(c) };
          c.finish(afterTriggers);
          node.when = c.mark(withComments(when, clause), clause.from);
          return;
        }
        case 'DO': {
          if (seenDo) c.fail(managing, 'a plan has one DO; further tickets are ALSO');
          seenDo = true;
          c.i++;
          const action: DoClause = { kind: 'do', ticket: parseTicket(c) };
          c.finish(afterPrice);
          node.do = c.mark(withComments(action, clause), clause.from);
          return;
        }
        default: {
          const parsed = parseClause(c, seenDo ? managing : clauseHeads(seenWhen, seenDo));
          if (!seenDo) misplaced ??= clause.from;
          node.clauses.push(withComments(parsed, clause));
        }
      }
    });
  }
  if (seenDo && misplaced !== undefined) {
    c.enter(misplaced, misplaced + 1);
    attempt(() => c.fail(waysIn, 'DO stands before what manages the position'));
  }
  return { do: seenDo };
}

function clauseHeads(seenWhen: boolean, seenDo: boolean): readonly string[] {
  if (seenDo) return managing;
  return seenWhen ? ['DO'] : waysIn;
}

const afterPrice = ['+', '-', 'peg', 'fix', 'cap', 'floor', 'esc', 'cancel-if'];

function parseClause(c: Cursor, expected: readonly string[]): PlanClause {
  const from = c.i;
  const word = c.kind === WORD ? c.text : '';
  let node: PlanClause;
  switch (word) {
    case 'ALSO':
      c.i++;
      node = { kind: 'also', ticket: parseTicket(c) };
      c.finish(afterPrice);
      return c.mark(node, from);
    case 'RELOAD':
      return parseReload(c);
    case 'TP': {
      c.i++;
      const multipleAt = c.i;
      const multiple = c.takeNumber(6, multipleForms);
      const fracAt = c.i + 1;
      const frac = c.tryOption('frac') ? c.takeNumber(NONE, fractionForms) : undefined;
      c.takePunct(64, frac === undefined ? fracOrAt : atSign);
      const price = parsePrice(c);
      c.finish(afterPrice);
      node = frac === undefined ? { kind: 'tp', multiple, price } : { kind: 'tp', multiple, frac, price };
      c.part(node, 'multiple', multipleAt);
      if (frac !== undefined) c.part(node, 'frac', fracAt);
      return c.mark(node, from);
    }
    case 'EXIT': {
      c.i++;
      const when = parseTrigger(c);
      c.takePunct(64, afterExit);
      node = { kind: 'exit', when, price: parsePrice(c) };
      c.finish(afterPrice);
      return c.mark(node, from);
    }
    case 'INVALIDATE': {
      c.i++;
      const when = parseTrigger(c);
      const mode = parseInvalidateMode(c);
      node = mode === undefined ? { kind: 'invalidate', when } : { kind: 'invalidate', when, mode };
      return c.mark(node, from);
    }
    case 'CANCEL-IF':
      c.i++;
      node = { kind: 'cancel-if', when: parseTrigger(c) };
      c.finish(afterTriggers);
      return c.mark(node, from);
    case 'ARM': {
      c.i++;
      const planAt = c.i;
      const plan = takeName(c, 'the name of a plan');
      const on = c.tryOption('on') ? takeArmState(c) : undefined;
      c.finish(on === undefined ? ['on'] : none);
      node = on === undefined ? { kind: 'arm', plan } : { kind: 'arm', plan, on };
      c.part(node, 'plan', planAt);
      return c.mark(node, from);
    }
    default:
      return c.fail(expected);
  }
}

function takeArmState(c: Cursor): (typeof armStates)[number] {
  const option = c.option;
  const state = armStates.find((s) => s === option);
  if (state === undefined) return c.fail(armStates);
  c.i++;
  return state;
}

function parseInvalidateMode(c: Cursor): 'ride' | 'flat' | undefined {
  if (c.i >= c.end) return undefined;
  c.takePunct(ARROW, afterMode);
  const flat = c.tryOption('flat');
  if (!flat) {
    c.takeOption('halt', ['halt', 'flat']);
    if (c.tryPunct(44)) c.takeOption('ride');
  }
  c.finish(flat || c.option === 'ride' ? [] : [', ride']);
  return flat ? 'flat' : 'ride';
}

function parseReload(c: Cursor): PlanClause {
  const from = c.i++;
  if (c.isHead('WHEN')) {
    c.i++;
    const when = parseTrigger(c);
    if (c.option !== 'buy' && c.option !== 'sell') c.fail(afterReload);
    const node: PlanClause = { kind: 'reload-when', when, ticket: parseTicket(c) };
    c.finish(afterPrice);
    return c.mark(node, from);
  }
  c.takeOption('every', ['WHEN', 'every']);
  const stepAt = c.i;
  const step = takeOffset(c);
  const dir = c.option;
  if (dir !== 'up' && dir !== 'down') c.fail(['up', 'down']);
  c.i++;
  c.takePunct(44);
  c.takeOption('up');
  c.takeOption('to');
  const upToAt = c.i;
  const upTo = c.takeInt(wholeNumber);
  const node: Draftable<Extract<PlanClause, { kind: 'reload-every' }>> = {
    kind: 'reload-every',

    step,
    dir: dir as 'up' | 'down',
    upTo,
  };
  c.part(node, 'step', stepAt);
  c.part(node, 'upTo', upToAt);
  if (c.i < c.end) {
    if (c.option !== 'buy' && c.option !== 'sell') c.fail(['buy', 'sell', 'the end of the line']);
    node.ticket = parseTicket(c);
    c.finish(afterPrice);
  }
  return c.mark(node, from);
}

// ---------------------------------------------------------------- POD, GRADE

function parsePod(c: Cursor, block: Block, claimed: Set<string>): Pod {
  const { head } = block;
  const node: Draftable<Pod> & { books: Book[] } = {
    kind: 'pod',
    blank: block.blank,
    name: '',
    dayLoss: Number.NaN,
    books: [],
  };
  attempt(() => {
    c.i++;
    c.part(node, 'name', Math.min(c.i, c.end - 1));
    node.name = takeName(c, 'a name for the pod');
    c.takeHead('RISK');
    c.takeOption('day-loss');
    node.dayLoss = takeBudget(c, node);
    c.takePunct(ARROW);
    c.takeOption('halt');
    c.finish(none);
  });
  if (node.name === '') claim(c, head, claimed);
  for (let k = 0; k < block.count && !c.full; k++) {
    const clause = block.clauses[k]!;
    c.enter(clause.from, clause.to);
    const book = attempt(() => parseBook(c, clause));
    if (book !== undefined) node.books.push(withComments(book, clause));
    else if (clause.to > clause.from + 1 && c.scan.kind[clause.from + 1] === WORD)
      claimed.add(c.textOf(clause.from + 1));
  }
  return finishStatement(c, node, block);
}

function parseBook(c: Cursor, clause: Clause): Book {
  c.takeHead('BOOK');
  const nameAt = c.i;
  const name = takeName(c, 'a name for the book');
  const node: Draftable<Book> & { coverage: string[] } = {
    name,
    budget: Number.NaN,
    coverage: [],
  };
  c.takeOption('budget');
  node.budget = takeBudget(c, node);
  c.takeOption('coverage');
  do node.coverage.push(takeSymbol(c));
  while (c.tryPunct(44));
  c.finish([',']);
  c.part(node, 'name', nameAt);
  return c.mark(node, clause.from);
}

function parseGrade(c: Cursor, block: Block): Grade | undefined {
  const node = attempt(() => parseGradeHead(c, block));
  const clauses: GradeClause[] = [];
  for (let k = 0; k < block.count && !c.full; k++) {
    const clause = block.clauses[k]!;
    c.enter(clause.from, clause.to);
    const parsed = attempt(() => parseGradeClause(c, clause));
    if (parsed !== undefined) clauses.push(withComments(parsed, clause));
  }
  if (node === undefined) return undefined;
  (node as Draftable<Grade>).clauses = clauses;
  return finishStatement(c, node, block);
}

function parseGradeHead(c: Cursor, block: Block): Grade {
  c.i++;
  const option = c.option;
  const subject = subjects.find((s) => s === option);
  if (subject === undefined) return c.fail(subjects);
  c.i++;
  const nameAt = c.i;
  const name = takeName(c, `the name of a ${subject}`);
  c.takeHead('OVER');
  const rangeAt = c.i;
  const from = takeDay(c);
  c.takePunct(DOTDOT);
  if (c.kind !== c.scan.kind[rangeAt])
    c.fail([c.scan.kind[rangeAt] === DATE ? 'a date, as the range begins' : 'a month, as the range begins']);
  const to = takeDay(c);
  const rangeEnd = c.previousEnd;
  c.takeHead('FILL');
  const fillAt = c.i;
  const fill = takeName(c, 'the name of a fill model');
  c.finish(none);
  const node: Grade = {
    kind: 'grade',
    blank: block.blank,
    subject,
    name,
    from,
    to,
    fill,
    clauses: [],
  };
  c.part(node, 'name', nameAt);
  c.spans.part(node, 'range', c.scan.start[rangeAt]!, rangeEnd);
  c.part(node, 'fill', fillAt);
  return node;
}

function takeDay(c: Cursor): string {
  const expected = ['a date such as 2025-04-09', 'a month such as 2025-04'];
  if (c.kind !== DATE && c.kind !== MONTH) c.fail(expected);
  const text = c.text;
  if (c.kind === DATE ? !isDate(text) : !isMonth(text)) {
    c.report('K053', c.i, c.i + 1, `${quote(text)} is not in the calendar`, { expected });
  }
  c.i++;
  return text;
}

function parseGradeClause(c: Cursor, clause: Clause): GradeClause {
  if (c.isHead('VS')) {
    c.i++;
    const versus = c.option;
    if (versus !== 'null' && versus !== 'ungated' && versus !== 'plan') c.fail(['null', 'ungated', 'plan']);
    c.i++;
    if (versus === 'plan') {
      const planAt = c.i;
      const plan = takeName(c, 'the name of a plan');
      c.finish(none);
      const node: GradeClause = { kind: 'vs', versus, plan };
      c.part(node, 'plan', planAt);
      return c.mark(node, clause.from);
    }
    c.finish(none);
    return c.mark({ kind: 'vs', versus: versus as 'null' | 'ungated' }, clause.from);
  }
  c.takeHead('BY', ['VS', 'BY']);
  const dims: string[] = [];
  const node: GradeClause = { kind: 'by', dims };
  do {
    const from = c.i;
    if (c.kind !== WORD || c.text === reserved || !isWord(c.text)) c.fail(['a dimension such as weekday']);
    let dim = c.text;
    c.i++;
    while (c.tryPunct(46)) {
      if (c.kind !== WORD || c.text === reserved || !isWord(c.text)) c.fail(['a word']);
      dim += `.${c.text}`;
      c.i++;
    }
    c.spans.part(node, `dims.${dims.length}`, c.scan.start[from]!, c.previousEnd);
    dims.push(dim);
  } while (c.tryPunct(44));
  c.finish([',']);
  return c.mark(node, clause.from);
}
