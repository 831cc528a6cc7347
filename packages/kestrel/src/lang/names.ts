// Names: what a document defines, what it refers to, and what neither it nor its session knows.
import { quote } from './cursor.ts';
import type { Draft } from './draft.ts';
import { type Findings, meant } from './findings.ts';
import type { Grade, Import, Trigger, View } from './model.ts';

export type NameKind = 'plan' | 'wake' | 'view' | 'pod' | 'book';

/** Names that the session knows beside the document's own. */
export interface KnownNames {
  readonly plan?: ReadonlySet<string>;
  readonly wake?: ReadonlySet<string>;
  readonly view?: ReadonlySet<string>;
  readonly pod?: ReadonlySet<string>;
  readonly book?: ReadonlySet<string>;
}

/** Names that imports bring in: of one kind where the imported document was read, of any where it was not. */
export type ImportedNames = ReadonlyMap<string, NameKind | 'any'>;

export interface NameContext {
  readonly known: KnownNames;
  readonly imported: ImportedNames;
  /** Plans that have fired: a new plan may not take their name. */
  readonly fired: ReadonlySet<string>;
  /** Names that statements with errors were about to define. */
  readonly claimed: ReadonlySet<string>;
  /** Whether something did not parse, so that what is unused cannot be told. */
  readonly partial: 'whole' | 'partial';
}

export function checkNames(drafts: readonly Draft[], context: NameContext, findings: Findings): void {
  const names = new Names(context, findings);
  for (const draft of drafts) names.define(draft);
  for (const draft of drafts) names.refer(draft);
  if (context.partial === 'whole') names.unused();
}

class Names {
  readonly #context: NameContext;
  readonly #findings: Findings;
  readonly #defined: Record<NameKind, Map<string, object>> = {
    plan: new Map(),
    wake: new Map(),
    view: new Map(),
    pod: new Map(),
    book: new Map(),
  };
  /** Statement names, of every kind; books have their own list. */
  readonly #statements = new Map<string, { readonly node: object; readonly part: string }>();
  readonly #used = new Set<string>();
  readonly #views: View[] = [];
  readonly #imports: Import[] = [];

  constructor(context: NameContext, findings: Findings) {
    this.#context = context;
    this.#findings = findings;
  }

  define(draft: Draft): void {
    switch (draft.kind) {
      case 'plan':
      case 'wake':
      case 'view':
      case 'pod':
        if (draft.name !== '') this.#statement(draft, 'name', draft.name, draft.kind);
        if (draft.kind === 'plan' && this.#context.fired.has(draft.name)) {
          this.#findings.add({
            code: 'K010',
            node: draft,
            part: 'name',
            message: `a plan named ${quote(draft.name)} has fired in this session`,
            hint: 'give the new plan another name',
          });
        }
        if (draft.kind === 'view') this.#views.push(draft);
        if (draft.kind === 'pod') {
          for (const book of draft.books) {
            const before = this.#defined.book.get(book.name);
            if (before === undefined) this.#defined.book.set(book.name, book);
            else this.#duplicate({ node: book, part: 'name' }, book.name, { node: before, part: 'name' });
          }
        }
        return;
      case 'import':
        this.#imports.push(draft);
        draft.names.forEach((name, k) => {
          this.#statement(draft, `names.${k}`, name, undefined);
        });
        return;
      case 'using':
      case 'grade':
        return;
      default:
        draft satisfies never;
    }
  }

  #statement(node: object, part: string, name: string, kind: NameKind | undefined): void {
    const before = this.#statements.get(name);
    if (before !== undefined) this.#duplicate({ node, part }, name, before);
    else this.#statements.set(name, { node, part });
    if (kind !== undefined && !this.#defined[kind].has(name)) this.#defined[kind].set(name, node);
  }

  #duplicate(
    at: { readonly node: object; readonly part: string },
    name: string,
    before: { readonly node: object; readonly part: string },
  ): void {
    this.#findings.add({
      code: 'K010',
      ...at,
      message: `the name ${quote(name)} is taken on line ${this.#findings.lineOf(before.node, before.part)}`,
      hint: 'each statement has a name of its own',
    });
  }

  refer(draft: Draft): void {
    switch (draft.kind) {
      case 'plan':
        if (draft.book !== undefined) this.#resolve('book', draft.book, draft, 'book');
        if (draft.when !== undefined) this.#referTrigger(draft.when.when);
        if (draft.do !== undefined) this.#referPrice(draft.do.ticket.price);
        for (const clause of draft.clauses) {
          if ('when' in clause) this.#referTrigger(clause.when);
          if ('ticket' in clause && clause.ticket !== undefined) this.#referPrice(clause.ticket.price);
          if ('price' in clause) this.#referPrice(clause.price);
          if (clause.kind === 'arm') this.#resolve('plan', clause.plan, clause, 'plan');
        }
        return;
      case 'wake':
        this.#referTrigger(draft.when);
        this.#resolve('view', draft.deliver, draft, 'deliver');
        return;
      case 'grade':
        this.#referGrade(draft);
        return;
      case 'import':
      case 'using':
      case 'view':
      case 'pod':
        return;
      default:
        draft satisfies never;
    }
  }

  #referGrade(grade: Grade): void {
    this.#resolve(grade.subject, grade.name, grade, 'name');
    for (const clause of grade.clauses) {
      if (clause.kind === 'vs' && clause.versus === 'plan') this.#resolve('plan', clause.plan, clause, 'plan');
    }
  }

  #referPrice(price: { readonly modifiers: readonly { readonly kind: string }[] }): void {
    for (const modifier of price.modifiers) {
      if (modifier.kind === 'cancel-if') this.#referTrigger((modifier as unknown as { readonly when: Trigger }).when);
    }
  }

  #referTrigger(trigger: Trigger): void {
    switch (trigger.kind) {
      case 'and':
      case 'or':
        for (const part of trigger.of) this.#referTrigger(part);
        return;
      case 'not':
      case 'paren':
      case 'held':
      case 'within':
        this.#referTrigger(trigger.of);
        return;
      case 'plan':
        this.#resolve('plan', trigger.plan, trigger, 'plan');
        return;
      default:
        return;
    }
  }

  #resolve(kind: NameKind, name: string, node: object, part: string): void {
    this.#used.add(name);
    if (this.#defined[kind].has(name) || this.#context.known[kind]?.has(name)) return;
    const imported = this.#context.imported.get(name);
    if (imported === kind || imported === 'any' || this.#context.claimed.has(name)) return;
    const near = [...this.#defined[kind].keys(), ...(this.#context.known[kind] ?? [])];
    this.#findings.add({
      code: 'K011',
      node,
      part,
      message: `there is no ${kind} named ${quote(name)}`,
      expected: [`the name of a ${kind}`],
      hint: meant(name, near),
    });
  }

  unused(): void {
    for (const view of this.#views) {
      if (this.#used.has(view.name)) continue;
      this.#findings.add({
        code: 'K072',
        node: view,
        part: 'name',
        message: `no wake delivers the view ${quote(view.name)}`,
        hint: `WAKE … DELIVER ${view.name}`,
      });
    }
    for (const node of this.#imports) {
      node.names.forEach((name, k) => {
        if (this.#used.has(name)) return;
        this.#findings.add({
          code: 'K072',
          node,
          part: `names.${k}`,
          message: `nothing in the document uses the import ${quote(name)}`,
          hint: 'leave it out',
        });
      });
    }
  }
}
