// Well-formed models: what an object must be for the printer to have a text for it that parses to an equal object.
import { numberMax, parensMax, statementsMax } from './limits.ts';
import type {
  Clock,
  Comment,
  Commented,
  Duration,
  Expiry,
  Instrument,
  KestrelDocument,
  Modifier,
  Offset,
  Operand,
  Pane,
  Percentile,
  Plan,
  PlanClause,
  Price,
  PriceExpr,
  Series,
  SeriesArg,
  Statement,
  Strike,
  Ticket,
  Trigger,
  Using,
  UsingClause,
} from './model.ts';
import {
  anchorNames,
  armStates,
  isDate,
  isMonth,
  isName,
  isPath,
  isSeriesStart,
  isSymbol,
  isWord,
  phases,
  planStates,
  reserved,
  subjects,
} from './vocabulary.ts';

/** An object that is no model of any text: a mistake of the program that built it. */
export class ModelFault extends Error {
  override readonly name = 'ModelFault';
  /** Where in the object, like `statements.0.do.ticket.qty`. */
  readonly path: string;
  readonly expected: string;
  readonly got: string;

  constructor({ path, expected, got }: { readonly path: string; readonly expected: string; readonly got: string }) {
    super(`${path === '' ? 'the model' : path} is ${expected}, not ${got}`);
    this.path = path;
    this.expected = expected;
    this.got = got;
  }
}

/** Refuses a document that has no text of its own; answers nothing else. */
export function checkModel(document: KestrelDocument): void {
  new ModelCheck().document(document);
}

/** Refuses a trigger that has no text of its own. */
export function checkTriggerModel(trigger: Trigger): void {
  new ModelCheck().trigger(trigger, 'trigger', 0);
}

const cmps: ReadonlySet<string> = new Set(['>', '>=', '<', '<=', '==', '!=']);
const offsetUnits: ReadonlySet<string> = new Set(['c', '$', '%', 'bps', 't']);
const numberUnits: ReadonlySet<string> = new Set(['c', '$', '%', 'bps', 't', 'x', 'R']);
class ModelCheck {
  #require(holds: boolean, path: string, expected: string, got: unknown): void {
    if (holds) return;
    throw new ModelFault({ path, expected, got: describe(got) });
  }

  document(document: KestrelDocument): void {
    const { statements } = document;
    this.#require(Array.isArray(statements), 'statements', 'a list', statements);
    this.#require(
      statements.length <= statementsMax,
      'statements',
      `a list of at most ${statementsMax}`,
      statements.length,
    );
    statements.forEach((statement, k) => {
      this.#statement(statement, `statements.${k}`);
    });
    this.#comments(document.dangling, 'dangling');
  }

  #statement(statement: Statement, path: string): void {
    this.#commented(statement, path);
    this.#comments(statement.dangling, `${path}.dangling`);
    this.#require(typeof statement.blank === 'boolean', `${path}.blank`, 'true or false', statement.blank);
    switch (statement.kind) {
      case 'import':
        this.#require(statement.names.length > 0, `${path}.names`, 'a list of at least one name', statement.names);
        for (const name of statement.names) this.#name(name, `${path}.names`);
        this.#require(isPath(statement.path), `${path}.path`, 'a path such as ./plans.kestrel', statement.path);
        return;
      case 'using':
        this.#using(statement, path);
        return;
      case 'plan':
        this.#plan(statement, path);
        return;
      case 'wake':
        this.#name(statement.name, `${path}.name`);
        this.trigger(statement.when, `${path}.when`, 0);
        this.#name(statement.deliver, `${path}.deliver`);
        if (statement.priority !== undefined) this.#int(statement.priority, `${path}.priority`);
        if (statement.perDay !== undefined) this.#int(statement.perDay, `${path}.perDay`);
        if (statement.cooldown !== undefined) this.#duration(statement.cooldown, `${path}.cooldown`);
        return;
      case 'view':
        this.#name(statement.name, `${path}.name`);
        if (statement.tokens !== undefined) this.#int(statement.tokens, `${path}.tokens`);
        this.#require(statement.panes.length > 0, `${path}.panes`, 'a list of at least one pane', statement.panes);
        statement.panes.forEach((pane, k) => {
          this.#pane(pane, `${path}.panes.${k}`);
        });
        return;
      case 'pod':
        this.#name(statement.name, `${path}.name`);
        this.#e4(statement.dayLoss, `${path}.dayLoss`);
        statement.books.forEach((book, k) => {
          const at = `${path}.books.${k}`;
          this.#commented(book, at);
          this.#name(book.name, `${at}.name`);
          this.#e4(book.budget, `${at}.budget`);
          this.#require(book.coverage.length > 0, `${at}.coverage`, 'a list of at least one symbol', book.coverage);
          for (const symbol of book.coverage) this.#symbol(symbol, `${at}.coverage`);
        });
        return;
      case 'grade':
        this.#grade(statement, path);
        return;
      default:
        this.#require(false, `${path}.kind`, 'a kind of statement', (statement as { kind: unknown }).kind);
        statement satisfies never;
    }
  }

  #grade(grade: Extract<Statement, { kind: 'grade' }>, path: string): void {
    this.#oneOf(grade.subject, subjects, `${path}.subject`);
    this.#name(grade.name, `${path}.name`);
    const days = isDate(grade.from) && isDate(grade.to);
    const months = isMonth(grade.from) && isMonth(grade.to);
    this.#require(days || months, `${path}.from`, 'two dates or two months', `${grade.from}..${grade.to}`);
    this.#name(grade.fill, `${path}.fill`);
    grade.clauses.forEach((clause, k) => {
      const at = `${path}.clauses.${k}`;
      this.#commented(clause, at);
      if (clause.kind === 'by') {
        this.#require(clause.dims.length > 0, `${at}.dims`, 'a list of at least one dimension', clause.dims);
        for (const dim of clause.dims) this.#words(dim, `${at}.dims`);
      } else {
        this.#oneOf(clause.versus, ['null', 'ungated', 'plan'], `${at}.versus`);
        if (clause.versus === 'plan') this.#name(clause.plan, `${at}.plan`);
      }
    });
  }

  #plan(plan: Plan, path: string): void {
    this.#name(plan.name, `${path}.name`);
    if (plan.book !== undefined) this.#name(plan.book, `${path}.book`);
    this.#e4(plan.budget, `${path}.budget`);
    if (plan.ttl.kind === 'clock') this.#clock(plan.ttl, `${path}.ttl`);
    else this.#duration(plan.ttl.duration, `${path}.ttl.duration`);
    if (plan.regime !== undefined) {
      const keys = new Set(plan.regime.map((tag) => tag.key));
      this.#require(
        keys.size > 0 && keys.size === plan.regime.length,
        `${path}.regime`,
        'tags, each once',
        plan.regime.length,
      );
      for (const tag of plan.regime) {
        this.#word(tag.key, `${path}.regime`);
        this.#word(tag.value, `${path}.regime`);
      }
    }
    if (plan.priority !== undefined) this.#int(plan.priority, `${path}.priority`);
    if (plan.using !== undefined) {
      this.#commented(plan.using, `${path}.using`);
      this.#using(plan.using, `${path}.using`);
    }
    if (plan.when !== undefined) {
      this.#commented(plan.when, `${path}.when`);
      this.trigger(plan.when.when, `${path}.when.when`, 0);
    }
    this.#require(typeof plan.do === 'object' && plan.do !== null, `${path}.do`, 'a DO clause', plan.do);
    this.#commented(plan.do, `${path}.do`);
    this.#ticket(plan.do.ticket, `${path}.do.ticket`);
    plan.clauses.forEach((clause, k) => {
      this.#commented(clause, `${path}.clauses.${k}`);
      this.#clause(clause, `${path}.clauses.${k}`);
    });
  }

  #clause(clause: PlanClause, path: string): void {
    switch (clause.kind) {
      case 'also':
        this.#ticket(clause.ticket, `${path}.ticket`);
        return;
      case 'reload-when':
        this.trigger(clause.when, `${path}.when`, 0);
        this.#ticket(clause.ticket, `${path}.ticket`);
        return;
      case 'reload-every':
        this.#offset(clause.step, `${path}.step`);
        this.#oneOf(clause.dir, ['up', 'down'], `${path}.dir`);
        this.#int(clause.upTo, `${path}.upTo`);
        if (clause.ticket !== undefined) this.#ticket(clause.ticket, `${path}.ticket`);
        return;
      case 'tp':
        this.#e4(clause.multiple, `${path}.multiple`);
        if (clause.frac !== undefined) this.#e4(clause.frac, `${path}.frac`);
        this.#price(clause.price, `${path}.price`);
        return;
      case 'exit':
        this.trigger(clause.when, `${path}.when`, 0);
        this.#price(clause.price, `${path}.price`);
        return;
      case 'invalidate':
        this.trigger(clause.when, `${path}.when`, 0);
        if (clause.mode !== undefined) this.#oneOf(clause.mode, ['ride', 'flat'], `${path}.mode`);
        return;
      case 'cancel-if':
        this.trigger(clause.when, `${path}.when`, 0);
        return;
      case 'arm':
        this.#name(clause.plan, `${path}.plan`);
        if (clause.on !== undefined) this.#oneOf(clause.on, armStates, `${path}.on`);
        return;
      default:
        this.#require(false, `${path}.kind`, 'a kind of clause', (clause as { kind: unknown }).kind);
        clause satisfies never;
    }
  }

  // -------------------------------------------------------------- tickets and prices

  #ticket(ticket: Ticket, path: string): void {
    this.#oneOf(ticket.side, ['buy', 'sell'], `${path}.side`);
    this.#int(ticket.qty, `${path}.qty`);
    this.#require(ticket.qty > 0, `${path}.qty`, 'a positive whole number', ticket.qty);
    this.#instrument(ticket.instrument, `${path}.instrument`);
    this.#price(ticket.price, `${path}.price`);
  }

  #instrument(instrument: Instrument, path: string): void {
    if (instrument.kind === 'shares') return;
    this.#oneOf(instrument.kind, ['shares', 'option', 'vertical'], `${path}.kind`);
    if (instrument.kind === 'option') this.#strike(instrument.strike, `${path}.strike`);
    else {
      this.#strike(instrument.long, `${path}.long`);
      this.#strike(instrument.short, `${path}.short`);
    }
    this.#oneOf(instrument.right, ['C', 'P'], `${path}.right`);
    if (instrument.expiry !== undefined) this.#expiry(instrument.expiry, `${path}.expiry`);
  }

  #strike(strike: Strike, path: string): void {
    if (strike.kind === 'absolute') this.#e4(strike.e4, `${path}.e4`);
    else if (strike.kind === 'relative') {
      const fits = Number.isSafeInteger(strike.n) && strike.n !== 0 && Math.abs(strike.n) <= numberMax;
      this.#require(fits, `${path}.n`, 'a whole number other than 0', strike.n);
    } else this.#oneOf(strike.kind, ['atm'], `${path}.kind`);
  }

  #price(price: Price, path: string): void {
    this.#expr(price.expr, `${path}.expr`, 0);
    price.modifiers.forEach((modifier, k) => {
      this.#modifier(modifier, `${path}.modifiers.${k}`);
    });
  }

  #modifier(modifier: Modifier, path: string): void {
    switch (modifier.kind) {
      case 'peg':
      case 'fix':
        return;
      case 'cap':
      case 'floor':
        this.#expr(modifier.at, `${path}.at`, 0);
        return;
      case 'esc':
        this.#expr(modifier.to, `${path}.to`, 0);
        this.#duration(modifier.after, `${path}.after`);
        return;
      case 'cancel-if':
        this.trigger(modifier.when, `${path}.when`, 0);
        return;
      default:
        this.#require(false, `${path}.kind`, 'a kind of modifier', (modifier as { kind: unknown }).kind);
        modifier satisfies never;
    }
  }

  #expr(expr: PriceExpr, path: string, depth: number): void {
    this.#require(depth <= parensMax, path, `nested at most ${parensMax} levels`, depth);
    switch (expr.kind) {
      case 'anchor':
        this.#oneOf(expr.name, anchorNames, `${path}.name`);
        return;
      case 'number':
        this.#e4(expr.e4, `${path}.e4`);
        return;
      case 'lean':
        this.#expr(expr.a, `${path}.a`, depth + 1);
        this.#expr(expr.b, `${path}.b`, depth + 1);
        this.#e4(expr.w, `${path}.w`);
        return;
      case 'min':
      case 'max':
        this.#require(expr.args.length > 0, `${path}.args`, 'a list of at least one price', expr.args);
        for (const arg of expr.args) this.#expr(arg, `${path}.args`, depth + 1);
        return;
      case 'group':
        this.#expr(expr.of, `${path}.of`, depth + 1);
        return;
      case 'sum':
        this.#require((expr.base.kind as string) !== 'sum', `${path}.base`, 'a term, not a sum', expr.base.kind);
        this.#require(expr.terms.length > 0, `${path}.terms`, 'a list of at least one change', expr.terms);
        this.#expr(expr.base, `${path}.base`, depth);
        for (const { sign, offset } of expr.terms) {
          this.#require(sign === 1 || sign === -1, `${path}.terms`, 'a sign of 1 or -1', sign);
          this.#offset(offset, `${path}.terms`);
        }
        return;
      default:
        this.#require(false, `${path}.kind`, 'a kind of price', (expr as { kind: unknown }).kind);
        expr satisfies never;
    }
  }

  // -------------------------------------------------------------- triggers

  trigger(trigger: Trigger, path: string, depth: number): void {
    this.#require(depth <= parensMax, path, `nested at most ${parensMax} levels`, depth);
    switch (trigger.kind) {
      case 'or':
      case 'and':
        this.#require(trigger.of.length >= 2, `${path}.of`, 'a list of at least two triggers', trigger.of);
        trigger.of.forEach((part, k) => {
          const bare = part.kind !== 'or' && !(trigger.kind === 'and' && part.kind === 'and');
          this.#require(bare, `${path}.of.${k}`, 'in parentheses', part.kind);
          this.trigger(part, `${path}.of.${k}`, depth);
        });
        return;
      case 'not':
        this.#require(
          !['and', 'or', 'not', 'held', 'within'].includes(trigger.of.kind),
          `${path}.of`,
          'a condition or in parentheses',
          trigger.of.kind,
        );
        this.trigger(trigger.of, `${path}.of`, depth);
        return;
      case 'held':
      case 'within':
        this.#require(
          !['and', 'or', 'held', 'within'].includes(trigger.of.kind),
          `${path}.of`,
          'a condition, a NOT or in parentheses',
          trigger.of.kind,
        );
        this.trigger(trigger.of, `${path}.of`, depth);
        this.#duration(trigger.duration, `${path}.duration`);
        return;
      case 'paren':
        this.trigger(trigger.of, `${path}.of`, depth + 1);
        return;
      case 'compare':
        this.#operand(trigger.left, `${path}.left`);
        this.#require(cmps.has(trigger.cmp), `${path}.cmp`, 'a comparison', trigger.cmp);
        this.#operand(trigger.right, `${path}.right`);
        return;
      case 'crosses':
        this.#operand(trigger.left, `${path}.left`);
        this.#oneOf(trigger.dir, ['above', 'below'], `${path}.dir`);
        this.#operand(trigger.right, `${path}.right`);
        return;
      case 'phase':
        this.#oneOf(trigger.phase, phases, `${path}.phase`);
        return;
      case 'to-close':
        this.#int(trigger.minutes, `${path}.minutes`);
        this.#require(trigger.minutes < 1_000_000, `${path}.minutes`, 'at most 999999', trigger.minutes);
        return;
      case 'time':
        this.#require(cmps.has(trigger.cmp), `${path}.cmp`, 'a comparison', trigger.cmp);
        this.#clock(trigger.clock, `${path}.clock`);
        return;
      case 'plan':
        this.#name(trigger.plan, `${path}.plan`);
        this.#oneOf(trigger.state, planStates, `${path}.state`);
        return;
      default:
        this.#require(false, `${path}.kind`, 'a kind of trigger', (trigger as { kind: unknown }).kind);
        trigger satisfies never;
    }
  }

  #operand(operand: Operand | Percentile, path: string): void {
    switch (operand.kind) {
      case 'number':
        this.#signedE4(operand.e4, `${path}.e4`);
        if (operand.unit !== undefined) {
          this.#require(numberUnits.has(operand.unit), `${path}.unit`, 'a unit of numbers', operand.unit);
        }
        return;
      case 'percentile':
        this.#e4(operand.e4, `${path}.e4`);
        this.#require(operand.e4 <= 1_000_000, `${path}.e4`, 'at most the hundredth percentile', operand.e4);
        return;
      case 'series':
        this.#series(operand, path);
        return;
      default:
        this.#require(false, `${path}.kind`, 'a kind of operand', (operand as { kind: unknown }).kind);
        operand satisfies never;
    }
  }

  #series(series: Series, path: string): void {
    this.#words(series.name, `${path}.name`);
    const first = series.name.split('.')[0]!;
    this.#require(isSeriesStart(first), `${path}.name`, 'no word of the grammar', series.name);
    for (const arg of series.args) this.#arg(arg, `${path}.args`);
    if (series.symbol !== undefined) this.#symbol(series.symbol, `${path}.symbol`);
    if (series.offset === undefined) return;
    const { sign, offset } = series.offset;
    this.#require(sign === 1 || sign === -1, `${path}.offset.sign`, '1 or -1', sign);
    this.#offset(offset, `${path}.offset.offset`);
  }

  // -------------------------------------------------------------- leaves

  #pane(pane: Pane, path: string): void {
    this.#word(pane.word, `${path}.word`);
    for (const arg of pane.args) this.#arg(arg, `${path}.args`);
  }

  #arg(arg: SeriesArg, path: string): void {
    switch (arg.kind) {
      case 'int':
        this.#int(arg.n, path);
        return;
      case 'duration':
        this.#duration(arg.duration, path);
        return;
      case 'word':
        this.#word(arg.word, path);
        return;
      default:
        this.#require(false, `${path}.kind`, 'a kind of argument', (arg as { kind: unknown }).kind);
        arg satisfies never;
    }
  }

  #using(using: Using | UsingClause, path: string): void {
    this.#symbol(using.signal, `${path}.signal`);
    this.#symbol(using.exec, `${path}.exec`);
    if (using.expiry !== undefined) this.#expiry(using.expiry, `${path}.expiry`);
  }

  #expiry(expiry: Expiry, path: string): void {
    if (expiry.kind === 'dte') this.#int(expiry.n, `${path}.n`);
    else this.#require(isDate(expiry.date), `${path}.date`, 'a date such as 2025-04-09', expiry.date);
  }

  #clock(clock: Clock, path: string): void {
    const { h, m, s } = clock;
    const whole = Number.isInteger(h) && Number.isInteger(m) && (s === undefined || Number.isInteger(s));
    const fits = whole && h >= 0 && h < 24 && m >= 0 && m < 60 && (s === undefined || (s >= 0 && s < 60));
    this.#require(fits, path, 'a time of day', `${h}:${m}`);
  }

  #duration(duration: Duration, path: string): void {
    this.#int(duration.n, `${path}.n`);
    this.#oneOf(duration.unit, ['s', 'm', 'h'], `${path}.unit`);
  }

  #offset(offset: Offset, path: string): void {
    this.#e4(offset.e4, `${path}.e4`);
    this.#require(offsetUnits.has(offset.unit), `${path}.unit`, 'c, $, %, bps or t', offset.unit);
  }

  #name(name: string, path: string): void {
    this.#require(isName(name) && name !== reserved, path, 'a name', name);
  }

  #symbol(symbol: string, path: string): void {
    this.#require(isSymbol(symbol), path, 'a symbol', symbol);
  }

  #words(text: string, path: string): void {
    const words = text.split('.');
    this.#require(
      words.every((w) => isWord(w) && w !== reserved),
      path,
      'words joined by points',
      text,
    );
  }

  #word(text: string, path: string): void {
    this.#require(isWord(text) && text !== reserved, path, 'a word', text);
  }

  #int(n: number, path: string): void {
    const fits = Number.isSafeInteger(n) && n >= 0 && !Object.is(n, -0) && n <= numberMax;
    this.#require(fits, path, `a whole number from 0 to ${numberMax}`, n);
  }

  #e4(e4: number, path: string): void {
    this.#signedE4(e4, path);
    this.#require(e4 >= 0, path, 'not negative', e4);
  }

  #signedE4(e4: number, path: string): void {
    const fits = Number.isSafeInteger(e4) && !Object.is(e4, -0) && Math.abs(e4) <= numberMax * 10_000;
    this.#require(fits, path, 'a whole number of 1e-4', e4);
  }

  #oneOf(value: string, known: readonly string[], path: string): void {
    this.#require(known.includes(value), path, `one of ${known.join(', ')}`, value);
  }

  #commented(node: Commented, path: string): void {
    this.#comments(node.leading, `${path}.leading`);
    if (node.trailing !== undefined) this.#comment(node.trailing, `${path}.trailing`);
  }

  #comments(comments: readonly Comment[] | undefined, path: string): void {
    if (comments === undefined) return;
    this.#require(comments.length > 0, path, 'absent, or a list of at least one comment', comments);
    for (const comment of comments) this.#comment(comment, path);
  }

  #comment(comment: Comment, path: string): void {
    const fits = typeof comment === 'string' && /^#[^\n]*$/.test(comment) && !/[ \t\r]$/.test(comment);
    this.#require(fits, path, 'one line from its # on, trailing space cut', comment);
  }
}

function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
