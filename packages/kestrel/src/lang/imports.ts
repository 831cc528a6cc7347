// Imports: the graph of documents under one root, resolved through a reader that the caller supplies.
import type { Findings } from './findings.ts';
import { meant } from './findings.ts';
import { importsMax } from './limits.ts';
import type { Import, KestrelDocument, Plan, Statement, Trigger, Using, UsingClause } from './model.ts';
import type { NameKind } from './names.ts';
import { type Parsed, parse } from './parse.ts';

/** Text of the document at a path under the root (`plans/fade.kestrel`), or undefined where there is none. */
export type Resolver = (path: string) => string | undefined;

export interface LinkedDocument {
  /** Path under the root, without `./`. */
  readonly path: string;
  readonly text: string;
  readonly document: KestrelDocument;
}

/** Why a document cannot be imported, as the one who imports it will say. */
export interface Fault {
  readonly code: 'K002' | 'K011' | 'K012' | 'K013';
  readonly message: string;
}

/** The errors of an imported document on its own, when its imports have been resolved: the first one counts. */
export type Judge = (parsed: Parsed, path: string, graph: ImportGraph) => Fault | undefined;

interface Node {
  readonly path: string;
  readonly parsed: Parsed;
  readonly fault: Fault | undefined;
}

/** Resolves imports, each document once, imports before those who import them. */
export class ImportGraph {
  /** Imported documents, imports first. */
  readonly documents: LinkedDocument[] = [];
  readonly #resolve: Resolver | undefined;
  readonly #judge: Judge;
  readonly #done = new Map<string, Node>();
  readonly #open: string[] = [];

  constructor(resolve: Resolver | undefined, judge: Judge) {
    this.#resolve = resolve;
    this.#judge = judge;
  }

  /** Resolves the imports of a document; answers the names they bring in, and reports what does not resolve. */
  names(parsed: Parsed, path: string, findings: Findings): ReadonlyMap<string, NameKind | 'any'> {
    const imported = new Map<string, NameKind | 'any'>();
    this.#open.push(path);
    for (const draft of parsed.drafts) {
      if (draft.kind !== 'import') continue;
      this.#import(draft, path, imported, findings);
    }
    this.#open.pop();
    return imported;
  }

  #import(node: Import, from: string, imported: Map<string, NameKind | 'any'>, findings: Findings): void {
    const target = this.#load(node, from);
    if ('code' in target) {
      for (const name of node.names) imported.set(name, 'any');
      findings.add({
        code: target.code,
        node,
        part: 'path',
        message: target.message,
        expected: ['a path such as ./plans.kestrel'],
      });
      return;
    }
    const defined = definitions(target.parsed.document);
    node.names.forEach((name, k) => {
      const kind = defined.get(name);
      imported.set(name, kind ?? 'any');
      if (kind !== undefined) return;
      findings.add({
        code: 'K011',
        node,
        part: `names.${k}`,
        message: `\`${node.path}\` defines no \`${name}\``,
        expected: [...defined.keys()],
        hint: meant(name, defined.keys()),
      });
    });
  }

  #load(node: Import, from: string): Node | Fault {
    const path = joinPath(from, node.path);
    if (path === undefined) {
      return { code: 'K013', message: `\`${node.path}\` leads outside the document's root` };
    }
    if (this.#open.includes(path)) {
      return {
        code: 'K012',
        message: `an import cycle: ${[...this.#open.slice(this.#open.indexOf(path)), path].join(' > ')}`,
      };
    }
    let done = this.#done.get(path);
    if (done === undefined) {
      if (this.#resolve === undefined) {
        return { code: 'K011', message: `\`${node.path}\` cannot be read here: no documents stand beside this one` };
      }
      if (this.#done.size + this.#open.length >= importsMax) {
        return { code: 'K002', message: `more than ${importsMax} documents in one import graph` };
      }
      const text = this.#resolve(path);
      if (text === undefined) return { code: 'K011', message: `there is no document at \`${node.path}\`` };
      const parsed = parse(text);
      done = { path, parsed, fault: this.#judge(parsed, path, this) };
      this.#done.set(path, done);
      if (done.fault === undefined) this.documents.push({ path, text, document: parsed.document });
    }
    return done.fault ?? done;
  }
}

/** The path that `to` names when written in the document at `from`; undefined where it leaves the root. */
export function joinPath(from: string, to: string): string | undefined {
  const parts = from.split('/').slice(0, -1);
  for (const part of to.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.length === 0 ? undefined : parts.join('/');
}

/** Names that a document defines, with their kinds. */
export function definitions(document: KestrelDocument): ReadonlyMap<string, NameKind> {
  const names = new Map<string, NameKind>();
  for (const statement of document.statements) {
    switch (statement.kind) {
      case 'plan':
      case 'wake':
      case 'view':
      case 'pod':
        names.set(statement.name, statement.kind);
        if (statement.kind === 'pod') for (const book of statement.books) names.set(book.name, 'book');
        break;
      case 'import':
      case 'using':
      case 'grade':
        break;
      default:
        return statement satisfies never;
    }
  }
  return names;
}

/**
 * One document that says what a document and its imports say together: the statements that imports name, with what
 * those refer to in their own documents, then the root's own. A plan takes along the USING that holds for it at home.
 */
export function merge(imports: readonly LinkedDocument[], root: LinkedDocument): KestrelDocument {
  const byPath = new Map([...imports, root].map((linked) => [linked.path, linked]));
  const taken = new Map<LinkedDocument, Set<Statement>>();
  const queue: { readonly linked: LinkedDocument; readonly name: string }[] = [];
  const homes = new Map([...imports, root].map((linked) => [linked, homeOf(linked)]));
  const reach = (linked: LinkedDocument, name: string): void => {
    const home = homes.get(linked)!;
    const own = home.defines.get(name);
    if (own !== undefined) take(linked, own);
    const path = home.imports.get(name);
    const target = path === undefined ? undefined : byPath.get(path);
    if (target !== undefined) queue.push({ linked: target, name });
  };
  const take = (linked: LinkedDocument, statement: Statement): void => {
    const own = taken.get(linked) ?? new Set<Statement>();
    taken.set(linked, own);
    if (own.has(statement)) return;
    own.add(statement);
    for (const name of references(statement)) queue.push({ linked, name });
  };
  for (const statement of root.document.statements) {
    if (statement.kind === 'import') for (const name of statement.names) reach(root, name);
    else if (statement.kind !== 'using') take(root, statement);
  }
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) reach(next.linked, next.name);
  const statements: Statement[] = [];
  for (const linked of [...imports, root]) {
    let using: Using | undefined;
    for (const statement of linked.document.statements) {
      if (statement.kind === 'using') using = statement;
      if (taken.get(linked)?.has(statement) !== true) continue;
      statements.push(statement.kind === 'plan' ? withUsing(statement, using) : statement);
    }
  }
  return { statements };
}

/** Names that two statements of a merged document have: those that an import needs at home may meet others here. */
export function collisions(merged: KestrelDocument): ReadonlySet<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const statement of merged.statements) {
    if (!('name' in statement) || statement.kind === 'grade') continue;
    if (seen.has(statement.name)) twice.add(statement.name);
    seen.add(statement.name);
  }
  return twice;
}

function withUsing(plan: Plan, using: Using | undefined): Plan {
  if (plan.using !== undefined || using === undefined) return plan;
  const own: UsingClause = {
    signal: using.signal,
    exec: using.exec,
    ...(using.expiry === undefined ? {} : { expiry: using.expiry }),
  };
  return { ...plan, using: own };
}

/** Where the names of a document lead: to its own statements, or to the paths it imports them from. */
interface Home {
  readonly defines: ReadonlyMap<string, Statement>;
  readonly imports: ReadonlyMap<string, string>;
}

function homeOf({ path, document }: LinkedDocument): Home {
  const defines = new Map<string, Statement>();
  const imports = new Map<string, string>();
  for (const statement of document.statements) {
    switch (statement.kind) {
      case 'plan':
      case 'wake':
      case 'view':
      case 'pod':
        defines.set(statement.name, statement);
        if (statement.kind === 'pod') for (const book of statement.books) defines.set(book.name, statement);
        break;
      case 'import':
        for (const name of statement.names) imports.set(name, joinPath(path, statement.path) ?? '');
        break;
      case 'using':
      case 'grade':
        break;
      default:
        statement satisfies never;
    }
  }
  return { defines, imports };
}

/** Names that a statement refers to. */
function references(statement: Statement): readonly string[] {
  const names: string[] = [];
  const ofTrigger = (trigger: Trigger): void => {
    if (trigger.kind === 'plan') names.push(trigger.plan);
    else if (trigger.kind === 'and' || trigger.kind === 'or') trigger.of.forEach(ofTrigger);
    else if (trigger.kind === 'not' || trigger.kind === 'paren') ofTrigger(trigger.of);
    else if (trigger.kind === 'held' || trigger.kind === 'within') ofTrigger(trigger.of);
  };
  switch (statement.kind) {
    case 'plan':
      if (statement.book !== undefined) names.push(statement.book);
      if (statement.when !== undefined) ofTrigger(statement.when.when);
      for (const clause of [{ ticket: statement.do.ticket }, ...statement.clauses]) {
        if ('when' in clause) ofTrigger(clause.when);
        if ('plan' in clause) names.push(clause.plan);
        const price = 'price' in clause ? clause.price : 'ticket' in clause ? clause.ticket?.price : undefined;
        for (const modifier of price?.modifiers ?? []) if (modifier.kind === 'cancel-if') ofTrigger(modifier.when);
      }
      return names;
    case 'wake':
      ofTrigger(statement.when);
      names.push(statement.deliver);
      return names;
    case 'grade':
      names.push(statement.name);
      for (const clause of statement.clauses) if ('plan' in clause) names.push(clause.plan);
      return names;
    case 'import':
    case 'using':
    case 'view':
    case 'pod':
      return names;
    default:
      return statement satisfies never;
  }
}
