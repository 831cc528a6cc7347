// The printer: a model to its one canonical text.
import {
  amountText,
  callText,
  clockText,
  decimalText,
  durationText,
  expiryText,
  offsetText,
  seriesText,
  strikeText,
} from './literals.ts';
import type {
  Book,
  Commented,
  Grade,
  GradeClause,
  Instrument,
  KestrelDocument,
  Modifier,
  Operand,
  Percentile,
  Plan,
  PlanClause,
  Price,
  PriceExpr,
  Statement,
  Ticket,
  Trigger,
  Ttl,
  Using,
  UsingClause,
} from './model.ts';
import { checkModel } from './wellformed.ts';

/**
 * Two spaces a level, one clause a line, every comment kept; the empty document prints nothing.
 * A text that comes out over the limit of a document is given all the same; `parse` will refuse it.
 * @throws {ModelFault} where the object is no model of any text.
 */
export function print(document: KestrelDocument): string {
  checkModel(document);
  const lines: string[] = [];
  document.statements.forEach((statement, k) => {
    if (k > 0 && statement.blank) lines.push('');
    printStatement(statement, lines);
  });
  for (const comment of document.dangling ?? []) lines.push(comment);
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function printStatement(statement: Statement, lines: string[]): void {
  switch (statement.kind) {
    case 'import':
      line(lines, '', statement, `IMPORT ${statement.names.join(', ')} FROM ${statement.path}`);
      break;
    case 'using':
      line(lines, '', statement, usingText(statement));
      break;
    case 'plan':
      printPlan(statement, lines);
      break;
    case 'wake': {
      let text = `WAKE ${statement.name} WHEN ${triggerText(statement.when)} DELIVER ${statement.deliver}`;
      if (statement.priority !== undefined) text += ` priority ${statement.priority}`;
      if (statement.perDay !== undefined) text += ` budget ${statement.perDay} wakes/day`;
      if (statement.cooldown !== undefined) text += ` cooldown ${durationText(statement.cooldown)}`;
      line(lines, '', statement, text);
      break;
    }
    case 'view': {
      const budget = statement.tokens === undefined ? '' : ` budget ${statement.tokens} tokens`;
      const panes = statement.panes.map((pane) => ` ${callText(pane.word, pane.args)}`).join('');
      line(lines, '', statement, `VIEW ${statement.name}${budget}${panes}`);
      break;
    }
    case 'pod':
      line(lines, '', statement, `POD ${statement.name} RISK day-loss ${decimalText(statement.dayLoss)}R -> halt`);
      for (const book of statement.books) line(lines, '  ', book, bookText(book));
      break;
    case 'grade':
      line(lines, '', statement, gradeText(statement));
      for (const clause of statement.clauses) line(lines, '  ', clause, gradeClauseText(clause));
      break;
    default:
      statement satisfies never;
  }
  for (const comment of statement.dangling ?? []) lines.push(`  ${comment}`);
}

function printPlan(plan: Plan, lines: string[]): void {
  line(lines, '', plan, planHeadText(plan));
  if (plan.using !== undefined) line(lines, '  ', plan.using, usingText(plan.using));
  if (plan.when !== undefined) line(lines, '  ', plan.when, `WHEN ${triggerText(plan.when.when)}`);
  line(lines, '  ', plan.do, `DO ${ticketText(plan.do.ticket)}`);
  for (const clause of plan.clauses) line(lines, '  ', clause, planClauseText(clause));
}

function line(lines: string[], indent: string, node: Commented, text: string): void {
  for (const comment of node.leading ?? []) lines.push(indent + comment);
  lines.push(node.trailing === undefined ? indent + text : `${indent}${text}  ${node.trailing}`);
}

function usingText(using: Using | UsingClause): string {
  const text = `USING signal ${using.signal} exec ${using.exec}`;
  return using.expiry === undefined ? text : `${text} ${expiryText(using.expiry)}`;
}

function bookText(book: Book): string {
  return `BOOK ${book.name} budget ${decimalText(book.budget)}R coverage ${book.coverage.join(', ')}`;
}

function gradeText(grade: Grade): string {
  return `GRADE ${grade.subject} ${grade.name} OVER ${grade.from}..${grade.to} FILL ${grade.fill}`;
}

function gradeClauseText(clause: GradeClause): string {
  switch (clause.kind) {
    case 'vs':
      return clause.versus === 'plan' ? `VS plan ${clause.plan}` : `VS ${clause.versus}`;
    case 'by':
      return `BY ${clause.dims.join(', ')}`;
    default:
      return clause satisfies never;
  }
}

function planHeadText(plan: Plan): string {
  let text = `PLAN ${plan.name}`;
  if (plan.book !== undefined) text += ` in ${plan.book}`;
  text += ` budget ${decimalText(plan.budget)}R ttl ${ttlText(plan.ttl)}`;
  if (plan.regime !== undefined) {
    text += ` regime {${plan.regime.map((tag) => `${tag.key}: ${tag.value}`).join(', ')}}`;
  }
  return plan.priority === undefined ? text : `${text} priority ${plan.priority}`;
}

function ttlText(ttl: Ttl): string {
  return ttl.kind === 'clock' ? clockText(ttl) : `+${durationText(ttl.duration)}`;
}

/** A clause without its comments and indentation. */
export function planClauseText(clause: PlanClause): string {
  switch (clause.kind) {
    case 'also':
      return `ALSO ${ticketText(clause.ticket)}`;
    case 'reload-when':
      return `RELOAD WHEN ${triggerText(clause.when)} ${ticketText(clause.ticket)}`;
    case 'reload-every': {
      const text = `RELOAD every ${offsetText(clause.step)} ${clause.dir}, up to ${clause.upTo}`;
      return clause.ticket === undefined ? text : `${text} ${ticketText(clause.ticket)}`;
    }
    case 'tp': {
      const frac = clause.frac === undefined ? '' : ` frac ${decimalText(clause.frac)}`;
      return `TP ${decimalText(clause.multiple)}x${frac} @ ${priceText(clause.price)}`;
    }
    case 'exit':
      return `EXIT ${triggerText(clause.when)} @ ${priceText(clause.price)}`;
    case 'invalidate': {
      const mode = clause.mode === undefined ? '' : clause.mode === 'flat' ? ' -> flat' : ' -> halt, ride';
      return `INVALIDATE ${triggerText(clause.when)}${mode}`;
    }
    case 'cancel-if':
      return `CANCEL-IF ${triggerText(clause.when)}`;
    case 'arm':
      return clause.on === undefined ? `ARM ${clause.plan}` : `ARM ${clause.plan} on ${clause.on}`;
    default:
      return clause satisfies never;
  }
}

export function ticketText(ticket: Ticket): string {
  return `${ticket.side} ${ticket.qty} ${instrumentText(ticket.instrument)} @ ${priceText(ticket.price)}`;
}

export function instrumentText(instrument: Instrument): string {
  switch (instrument.kind) {
    case 'shares':
      return 'shares';
    case 'option':
      return `${strikeText(instrument.strike)} ${instrument.right}${expirySuffix(instrument)}`;
    case 'vertical': {
      const strikes = `${strikeText(instrument.long)}/${strikeText(instrument.short)}`;
      return `${strikes} ${instrument.right}${expirySuffix(instrument)}`;
    }
    default:
      return instrument satisfies never;
  }
}

function expirySuffix(instrument: Exclude<Instrument, { kind: 'shares' }>): string {
  return instrument.expiry === undefined ? '' : ` ${expiryText(instrument.expiry)}`;
}

export function priceText(price: Price): string {
  let text = priceExprText(price.expr);
  for (const modifier of price.modifiers) text += ` ${modifierText(modifier)}`;
  return text;
}

function modifierText(modifier: Modifier): string {
  switch (modifier.kind) {
    case 'peg':
    case 'fix':
      return modifier.kind;
    case 'cap':
    case 'floor':
      return `${modifier.kind} ${priceExprText(modifier.at)}`;
    case 'esc':
      return `esc ${priceExprText(modifier.to)} ${durationText(modifier.after)}`;
    case 'cancel-if':
      return `cancel-if ${triggerText(modifier.when)}`;
    default:
      return modifier satisfies never;
  }
}

export function priceExprText(expr: PriceExpr): string {
  switch (expr.kind) {
    case 'anchor':
      return expr.name;
    case 'number':
      return decimalText(expr.e4);
    case 'lean':
      return `lean(${priceExprText(expr.a)}, ${priceExprText(expr.b)}, ${decimalText(expr.w)})`;
    case 'min':
    case 'max':
      return `${expr.kind}(${expr.args.map(priceExprText).join(', ')})`;
    case 'group':
      return `(${priceExprText(expr.of)})`;
    case 'sum': {
      let text = priceExprText(expr.base);
      for (const { sign, offset } of expr.terms) text += ` ${sign === 1 ? '+' : '-'} ${offsetText(offset)}`;
      return text;
    }
    default:
      return expr satisfies never;
  }
}

export function triggerText(trigger: Trigger): string {
  switch (trigger.kind) {
    case 'and':
    case 'or':
      return trigger.of.map(triggerText).join(trigger.kind === 'and' ? ' AND ' : ' OR ');
    case 'not':
      return `NOT ${triggerText(trigger.of)}`;
    case 'paren':
      return `(${triggerText(trigger.of)})`;
    case 'held':
    case 'within':
      return `${triggerText(trigger.of)} ${trigger.kind} ${durationText(trigger.duration)}`;
    case 'compare':
      return `${operandText(trigger.left)} ${trigger.cmp} ${operandText(trigger.right)}`;
    case 'crosses':
      return `${operandText(trigger.left)} crosses ${trigger.dir} ${operandText(trigger.right)}`;
    case 'phase':
      return `phase ${trigger.phase}`;
    case 'to-close':
      return `T-${trigger.minutes}`;
    case 'time':
      return `time ${trigger.cmp} ${clockText(trigger.clock)}`;
    case 'plan':
      return `plan(${trigger.plan}).${trigger.state}`;
    default:
      return trigger satisfies never;
  }
}

export function operandText(operand: Operand | Percentile): string {
  switch (operand.kind) {
    case 'number':
      return amountText(operand.unit, operand.e4);
    case 'percentile':
      return `p${decimalText(operand.e4)}`;
    case 'series': {
      const text = seriesText(operand);
      if (operand.offset === undefined) return text;
      return `${text} ${operand.offset.sign === 1 ? '+' : '-'} ${offsetText(operand.offset.offset)}`;
    }
    default:
      return operand satisfies never;
  }
}
