// The semantic pass: everything a document may not say that its grammar allows.
import { checkPrice, type PricePlace } from './check-price.ts';
import { checkRisk, exitSide, isWayOut, optionMultiplier } from './check-risk.ts';
import { checkDuration, checkTrigger, type TriggerPlace } from './check-trigger.ts';
import { constants, type SessionHours } from './constancy.ts';
import { quote } from './cursor.ts';
import type { Draft, PlanDraft } from './draft.ts';
import { Findings, nearestKnown, sortDiagnostics } from './findings.ts';
import { countMax } from './limits.ts';
import { clockS, clockText, durationS, offsetText } from './literals.ts';
import type {
  Diagnostic,
  Expiry,
  Grade,
  KestrelDocument,
  Pane,
  PlanClause,
  Pod,
  Price,
  Ticket,
  Trigger,
  View,
  Wake,
} from './model.ts';
import { checkNames, type ImportedNames, type KnownNames } from './names.ts';
import type { SpanOf } from './spans.ts';
import { dimensions, fillModels, panes, regimes } from './vocabulary.ts';

export interface CheckOptions {
  /** Session hours in local seconds of day; absent: 09:30 to 16:00. */
  readonly session?: SessionHours;
  /** What 1R is, in 1e-4 of the currency; absent: K032 is not judged. */
  readonly rUsdE4?: number;
  /** The least that a contract of the tape stands for, for K032; absent: 100. */
  readonly multiplierMin?: number;
  /** Names the session knows beside the document's own. */
  readonly known?: KnownNames;
  /** Plans of the session that have fired, whose names are taken. */
  readonly fired?: ReadonlySet<string>;
  /** Names that imports bring in. */
  readonly imported?: ImportedNames;
}

/** What the parser knows of a document that did not wholly parse. */
export interface Understanding {
  readonly drafts: readonly Draft[];
  readonly flawed: ReadonlySet<object>;
  readonly claimed: ReadonlySet<string>;
  readonly partial: 'whole' | 'partial';
}

/** 09:30 to 16:00, where no tape says otherwise. */
export const defaultSession: SessionHours = { openS: 9.5 * 3_600, closeS: 16 * 3_600 };

const none: ReadonlySet<never> = new Set<never>();

/** Every semantic problem of a whole document, in order; `spanOf` may be that of its parse, or answer undefined. */
export function check(document: KestrelDocument, spanOf: SpanOf, options: CheckOptions = {}): Diagnostic[] {
  return checkDrafts({ drafts: document.statements, flawed: none, claimed: none, partial: 'whole' }, spanOf, options);
}

export function checkDrafts(understanding: Understanding, spanOf: SpanOf, options: CheckOptions): Diagnostic[] {
  const findings = new Findings(spanOf);
  checkNames(
    understanding.drafts,
    {
      known: options.known ?? {},
      imported: options.imported ?? new Map(),
      fired: options.fired ?? none,
      claimed: understanding.claimed,
      partial: understanding.partial,
    },
    findings,
  );
  new Checker(findings, options, understanding.flawed).document(understanding.drafts);
  return sortDiagnostics(findings.diagnostics);
}

class Checker {
  readonly #findings: Findings;
  readonly #hours: SessionHours;
  readonly #rUsdE4: number | undefined;
  readonly #multiplierMin: number | undefined;
  readonly #flawed: ReadonlySet<object>;

  constructor(findings: Findings, options: CheckOptions, flawed: ReadonlySet<object>) {
    this.#findings = findings;
    this.#hours = options.session ?? defaultSession;
    this.#rUsdE4 = options.rUsdE4;
    this.#multiplierMin = options.multiplierMin;
    this.#flawed = flawed;
  }

  document(drafts: readonly Draft[]): void {
    let expiry: Expiry | undefined;
    for (const draft of drafts) {
      switch (draft.kind) {
        case 'using':
          expiry = draft.expiry;
          break;
        case 'plan':
          this.#plan(draft, draft.using === undefined ? expiry : draft.using.expiry);
          break;
        case 'wake':
          this.#wake(draft);
          break;
        case 'view':
          this.#view(draft);
          break;
        case 'pod':
          this.#pod(draft);
          break;
        case 'grade':
          this.#grade(draft);
          break;
        case 'import':
          break;
        default:
          draft satisfies never;
      }
    }
  }

  // -------------------------------------------------------------- PLAN

  #plan(plan: PlanDraft, expiry: Expiry | undefined): void {
    const flawed = this.#flawed.has(plan);
    this.#risk(plan.budget, plan, '`budget`');
    this.#ttl(plan);
    for (const tag of plan.regime ?? []) {
      const values = regimes.get(tag.key);
      if (values === undefined) this.#unknown('regime tag', tag.key, [...regimes.keys()], tag, 'key');
      else if (!values.includes(tag.value)) this.#unknown(`value of \`${tag.key}\``, tag.value, values, tag, 'value');
    }
    if (plan.when !== undefined) this.#trigger(plan.when.when, 'entry');
    if (plan.do !== undefined) this.#ticket(plan.do.ticket, 'first');
    for (const clause of plan.clauses) this.#clause(clause, plan);
    checkRisk(plan, {
      expiry,
      rUsdE4: this.#rUsdE4,
      multiplierMin: this.#multiplierMin ?? optionMultiplier,
      findings: this.#findings,
    });
    if (!flawed && !plan.clauses.some(isWayOut)) {
      this.#findings.add({
        code: 'K070',
        node: plan,
        part: 'name',
        message: `the plan ${quote(plan.name)} has no way out before its ttl`,
        expected: ['TP', 'EXIT', 'INVALIDATE … -> flat'],
        hint: 'add TP, EXIT or INVALIDATE … -> flat, or mean it',
      });
    }
  }

  #risk(riskE4: number, node: object, what: string): void {
    if (riskE4 > 0 || Number.isNaN(riskE4)) return;
    this.#findings.add({
      code: 'K020',
      node,
      part: 'budget',
      message: `${what} is a positive risk`,
      expected: ['a positive risk such as 0.4R'],
    });
  }

  #ttl(plan: PlanDraft): void {
    const { ttl } = plan;
    if (ttl.kind === 'relative') {
      const seconds = durationS(ttl.duration);
      if (seconds > 0) checkDuration(ttl.duration, this.#findings);
      if (seconds > 0 || Number.isNaN(seconds)) return;
      this.#findings.add({
        code: 'K021',
        node: ttl,
        message: 'a ttl of no time at all',
        expected: ['a deadline such as +45m'],
      });
      return;
    }
    if (ttl.h > 23 || ttl.m > 59 || (ttl.s ?? 0) > 59) return;
    const at = clockS(ttl);
    const { openS, closeS } = this.#hours;
    const inside = openS <= closeS ? at >= openS && at <= closeS : at >= openS || at <= closeS;
    if (inside) return;
    const hours = `${secondsText(openS)} to ${secondsText(closeS)}`;
    this.#findings.add({
      code: 'K021',
      node: ttl,
      message: `\`${clockText(ttl)}\` is not in the session, ${hours}`,
      expected: [`a clock from ${hours}`, 'a deadline such as +45m'],
    });
  }

  #clause(clause: PlanClause, plan: PlanDraft): void {
    switch (clause.kind) {
      case 'also':
        this.#ticket(clause.ticket, 'first');
        return;
      case 'reload-when':
        this.#trigger(clause.when, 'entry');
        this.#ticket(clause.ticket, 'later');
        return;
      case 'reload-every':
        if (!(clause.step.e4 > 0)) {
          this.#argument(clause, 'step', `a step of \`${offsetText(clause.step)}\` is none`, 'a step such as $4');
        }
        if (clause.upTo < 1 || clause.upTo > countMax) {
          this.#argument(
            clause,
            'upTo',
            `a plan reloads from 1 to ${countMax} times`,
            `a number from 1 to ${countMax}`,
          );
        }
        if (clause.ticket !== undefined) this.#ticket(clause.ticket, 'later');
        return;
      case 'tp':
        if (!(clause.multiple > 0)) {
          this.#argument(clause, 'multiple', 'the multiple of TP is more than 0', 'a multiple such as 2x');
        }
        this.#price(clause.price, { side: exitSide(plan), moment: 'later', trigger: 'entry' });
        return;
      case 'exit':
        this.#trigger(clause.when, 'exit');
        this.#price(clause.price, { side: exitSide(plan), moment: 'later', trigger: 'exit' });
        return;
      case 'invalidate':
        this.#trigger(clause.when, 'exit');
        return;
      case 'cancel-if':
        this.#trigger(clause.when, 'entry');
        return;
      case 'arm':
        return;
      default:
        clause satisfies never;
    }
  }

  #ticket(ticket: Ticket, moment: PricePlace['moment']): void {
    if (!Number.isNaN(ticket.qty) && !(Number.isSafeInteger(ticket.qty) && ticket.qty > 0)) {
      this.#findings.add({
        code: 'K023',
        node: ticket,
        part: 'qty',
        message: `\`${ticket.qty}\` is no quantity: a positive whole number`,
        expected: ['a positive whole number'],
      });
    }
    const { instrument } = ticket;
    const strikes =
      instrument.kind === 'option'
        ? [instrument.strike]
        : instrument.kind === 'vertical'
          ? [instrument.long, instrument.short]
          : [];
    for (const strike of strikes) {
      if (strike.kind === 'absolute' && strike.e4 === 0) {
        this.#argument(strike, undefined, 'a strike is more than 0', 'a strike such as 5150');
      }
      if (strike.kind === 'relative' && Math.abs(strike.n) > countMax) {
        this.#argument(strike, undefined, `a strike is at most ${countMax} from the money`, 'a strike such as +1');
      }
    }
    this.#price(ticket.price, { side: ticket.side, moment, trigger: 'entry' });
  }

  #price(price: Price, place: PricePlace): void {
    checkPrice(price, place, this.#findings);
    for (const modifier of price.modifiers) {
      if (modifier.kind === 'cancel-if') this.#constant(modifier.when);
    }
  }

  #trigger(trigger: Trigger, place: TriggerPlace): void {
    checkTrigger(trigger, place, this.#findings);
    this.#constant(trigger);
  }

  #constant(trigger: Trigger): void {
    for (const { trigger: part, value } of constants(trigger, this.#hours)) {
      this.#findings.add({
        code: 'K071',
        node: part,
        message: value === 'never' ? 'this can never be true' : 'this is always true',
        hint: value === 'never' ? 'no tape makes it fire' : 'leave it out, or mean it',
      });
    }
  }

  // -------------------------------------------------------------- WAKE, VIEW, POD, GRADE

  #wake(wake: Wake): void {
    this.#trigger(wake.when, 'wake');
    if (wake.perDay !== undefined && wake.perDay < 1) {
      this.#argument(wake, 'perDay', 'a budget of no wakes', 'a number from 1');
    }
    if (wake.cooldown !== undefined) checkDuration(wake.cooldown, this.#findings);
  }

  #view(view: View): void {
    if (view.tokens !== undefined && view.tokens < 1) {
      this.#argument(view, 'tokens', 'a budget of no tokens', 'a number from 1');
    }
    for (const pane of view.panes) this.#pane(pane);
  }

  #pane(pane: Pane): void {
    const row = panes.get(pane.word);
    if (row === undefined) {
      this.#unknown('pane', pane.word, [...panes.keys()], pane, 'word');
      return;
    }
    if (pane.args.length < row.required || pane.args.length > row.args.length) {
      this.#argument(pane, 'word', `\`${pane.word}\` is written \`${row.form}\``, row.form);
      return;
    }
    pane.args.forEach((arg, k) => {
      const want = row.args[k]!;
      if (want === 'duration' && arg.kind === 'duration') checkDuration(arg.duration, this.#findings);
      else if (want === 'count' && arg.kind === 'int' && arg.n >= 1 && arg.n <= countMax) return;
      else {
        const what = want === 'count' ? `a number from 1 to ${countMax}` : 'a duration such as 5m';
        this.#argument(arg, undefined, `argument ${k + 1} of \`${row.form}\` is ${what}`, row.form);
      }
    });
  }

  #pod(pod: Pod): void {
    this.#risk(pod.dayLoss, pod, '`day-loss`');
    for (const book of pod.books) this.#risk(book.budget, book, '`budget`');
  }

  #grade(grade: Grade): void {
    if (!fillModels.has(grade.fill)) this.#unknown('fill model', grade.fill, [...fillModels.keys()], grade, 'fill');
    if (grade.from > grade.to) {
      this.#argument(grade, 'range', 'the range ends before it begins', `${grade.to}..${grade.from}`);
    }
    for (const clause of grade.clauses) {
      if (clause.kind !== 'by') continue;
      clause.dims.forEach((dim, k) => {
        if (!(dimensions as readonly string[]).includes(dim)) {
          this.#unknown('dimension', dim, dimensions, clause, `dims.${k}`);
        }
      });
    }
  }

  // -------------------------------------------------------------- findings

  #unknown(what: string, word: string, known: readonly string[], node: object, part: string): void {
    this.#findings.add({
      code: 'K051',
      node,
      part,
      message: `unknown ${what} ${quote(word)}`,
      expected: known,
      hint: nearestKnown(word, known),
    });
  }

  #argument(node: object, part: string | undefined, message: string, expected: string): void {
    this.#findings.add({ code: 'K053', node, ...(part === undefined ? {} : { part }), message, expected: [expected] });
  }
}

function secondsText(s: number): string {
  const whole = Math.floor(s / 60);
  const text = `${String(Math.floor(whole / 60)).padStart(2, '0')}:${String(whole % 60).padStart(2, '0')}`;
  return s % 60 === 0 ? text : `${text}:${String(s % 60).padStart(2, '0')}`;
}
