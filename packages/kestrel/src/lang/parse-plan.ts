// Reading PLAN: its head, and its clauses in their order.
import { type Cursor, type Draftable, quote } from './cursor.ts';
import type { PlanDraft } from './draft.ts';
import type { Block } from './layout.ts';
import type { DoClause, PlanClause, RegimeTag, Ttl, WhenClause } from './model.ts';
import {
  attempt,
  claim,
  finishStatement,
  none,
  takeBudget,
  takeWord,
  wholeNumber,
  withComments,
} from './parse-block.ts';
import { parseUsing } from './parse-line.ts';
import { parsePrice, parseTicket } from './parse-ticket.ts';
import { afterTrigger, parseTrigger, takeClock, takeName, takeOffset } from './parse-trigger.ts';
import { ARROW, CLOCK, MINUS, NONE, PLUS, WORD } from './scan.ts';
import { armStates, planHeads } from './vocabulary.ts';

const afterTriggers = afterTrigger(none);
const afterExit = afterTrigger(['@']);
const afterMode = afterTrigger(['->', 'the end of the line']);
const afterReload = afterTrigger(['buy', 'sell']);
const managing = planHeads.slice(3);
const ttlForms = ['a clock such as 15:30', 'a deadline such as +45m'];
const atSign = ['@'];
const fracOrAt = ['frac', '@'];
const fractionForms = ['a fraction such as 0.5'];
const multipleForms = ['a multiple such as 2x'];
const waysIn = ['WHEN', 'DO'];
/** The ttl of a head that did not parse. */
const noTtl: Ttl = { kind: 'relative', duration: { n: Number.NaN, unit: 's' } };

export function parsePlan(c: Cursor, block: Block, claimed: Set<string>): PlanDraft | undefined {
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
