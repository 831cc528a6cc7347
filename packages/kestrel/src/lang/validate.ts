// Validation: the parse, the imports and the semantic pass, as one list of diagnostics.
import { type CheckOptions, checkDrafts } from './check.ts';
import { Findings, sortDiagnostics } from './findings.ts';
import { collisions, type Fault, ImportGraph, type LinkedDocument, merge, type Resolver } from './imports.ts';
import type { Diagnostic, KestrelDocument } from './model.ts';
import { type Parsed, parse } from './parse.ts';

export interface ValidateOptions extends Omit<CheckOptions, 'imported'> {
  /** Path of the document under its root; absent: it stands in the root. */
  readonly path?: string;
  /** Reader of imported documents; absent: an IMPORT is refused. */
  readonly resolve?: Resolver;
  /** `refuse`: every IMPORT is outside the root (K013), as over the protocol. */
  readonly imports?: 'refuse';
}

export interface Validation {
  /** Whether no diagnostic is an error. */
  readonly ok: boolean;
  /** By start, then code. */
  readonly diagnostics: readonly Diagnostic[];
}

/** A document with its imports: `documents` has imports first and the document itself last, as pins cover them. */
export interface Linked extends Validation {
  readonly parsed: Parsed;
  readonly documents: readonly LinkedDocument[];
  /** What all of them say together. With an error it says nothing. */
  readonly document: KestrelDocument;
}

export function validate(text: string, options: ValidateOptions = {}): Validation {
  const parsed = parse(text);
  const diagnostics = diagnoseAll(parsed, options, newGraph(options));
  return { ok: isOk(diagnostics), diagnostics };
}

/** Validates a document and links it with what it imports. */
export function link(text: string, options: ValidateOptions = {}): Linked {
  const parsed = parse(text);
  const graph = newGraph(options);
  const diagnostics = diagnoseAll(parsed, options, graph);
  const root: LinkedDocument = { path: rootPath(options), text, document: parsed.document };
  const ok = isOk(diagnostics);
  return {
    ok,
    diagnostics,
    parsed,
    documents: [...graph.documents, root],
    document: ok ? merge(graph.documents, root) : { statements: [] },
  };
}

function rootPath(options: ValidateOptions): string {
  return options.path ?? '';
}

function newGraph(options: ValidateOptions): ImportGraph {
  return new ImportGraph(options.resolve, (parsed, path, graph) => faultOf(parsed, { ...options, path }, graph));
}

function isOk(diagnostics: readonly Diagnostic[]): boolean {
  return !diagnostics.some((d) => d.severity === 'error');
}

/** The findings of the document that is asked about, with those that only its imports together give rise to. */
function diagnoseAll(parsed: Parsed, options: ValidateOptions, graph: ImportGraph): Diagnostic[] {
  const own = diagnose(parsed, options, graph);
  if (graph.documents.length === 0 || !isOk(own)) return own;
  return sortDiagnostics([...own, ...collide(parsed, rootPath(options), graph)]);
}

function diagnose(parsed: Parsed, options: ValidateOptions, graph: ImportGraph): Diagnostic[] {
  // Of half a document nothing can be said but that it is too much.
  if (parsed.reach === 'cut') return [...parsed.diagnostics];
  const findings = new Findings(parsed.spanOf);
  const imported = new Map(resolveImports(parsed, options, graph, findings));
  const checked = checkDrafts(
    {
      drafts: parsed.drafts,
      flawed: parsed.flawed,
      claimed: parsed.claimed,
      partial: parsed.diagnostics.length === 0 ? 'whole' : 'partial',
    },
    parsed.spanOf,
    { ...options, imported },
  );
  return sortDiagnostics([...parsed.diagnostics, ...findings.diagnostics, ...checked]);
}

/** K010 where what an import needs at home has a name that another statement has here. */
function collide(parsed: Parsed, path: string, graph: ImportGraph): readonly Diagnostic[] {
  const findings = new Findings(parsed.spanOf);
  const { document, text } = parsed;
  const imports = document.statements.filter((statement) => statement.kind === 'import');
  for (const name of collisions(merge(graph.documents, { path, text, document }))) {
    const own = document.statements.find((s) => 'name' in s && s.kind !== 'grade' && s.name === name);
    const node = own ?? imports[imports.length - 1];
    if (node === undefined) continue;
    findings.add({
      code: 'K010',
      node,
      part: own === undefined ? 'path' : 'name',
      message: `an import brings another statement named \`${name}\` with it`,
      hint: 'give one of them another name',
    });
  }
  return findings.diagnostics;
}

function resolveImports(parsed: Parsed, options: ValidateOptions, graph: ImportGraph, findings: Findings) {
  if (options.imports !== 'refuse') return graph.names(parsed, rootPath(options), findings);
  const imported = new Map<string, 'any'>();
  for (const draft of parsed.drafts) {
    if (draft.kind !== 'import') continue;
    for (const name of draft.names) imported.set(name, 'any');
    findings.add({
      code: 'K013',
      node: draft,
      part: 'path',
      message: `\`${draft.path}\` is outside this document: here a document stands alone`,
      hint: 'write what it says into the document',
    });
  }
  return imported;
}

/** Why the imported document cannot be used: a cycle or a path of its own under its own code, else K011. */
function faultOf(parsed: Parsed, options: ValidateOptions, graph: ImportGraph): Fault | undefined {
  const errors = diagnose(parsed, options, graph).filter((d) => d.severity === 'error');
  const first = errors[0];
  if (first === undefined) return undefined;
  const linking = errors.find((d) => d.code === 'K012' || d.code === 'K013');
  if (linking !== undefined) {
    return { code: linking.code as 'K012' | 'K013', message: `in \`${options.path}\`: ${linking.message}` };
  }
  const where = `line ${first.span.line}: ${first.code}, ${first.message}`;
  return { code: 'K011', message: `\`${options.path}\` has ${errors.length} error(s); ${where}` };
}
