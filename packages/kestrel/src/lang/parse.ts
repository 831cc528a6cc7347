// The parser: text to statements, going on at the next clause or statement after an error.
import { Cursor, type Draftable, exceedsBytes } from './cursor.ts';
import type { Draft } from './draft.ts';
import { sortDiagnostics } from './findings.ts';
import { type Block, Layout } from './layout.ts';
import { documentBytesMax, statementsMax } from './limits.ts';
import type { Diagnostic, KestrelDocument, ParseResult, Statement, Using } from './model.ts';
import { attempt, claim, finishStatement } from './parse-block.ts';
import { parseGrade } from './parse-grade.ts';
import { parseImport, parseUsing, parseView, parseWake } from './parse-line.ts';
import { parsePlan } from './parse-plan.ts';
import { parsePod } from './parse-pod.ts';
import { scan, Tokens } from './scan.ts';
import { type SpanOf, Spans } from './spans.ts';
import { planHeads, statementHeads } from './vocabulary.ts';

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
  /** `cut`: a limit was met, and what follows has not been read. */
  readonly reach: 'whole' | 'cut';
}

/** Filled by each parse and read by none after it, so that parsing does not begin with megabytes of new arrays. */
const columns = new Tokens(4_096);

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
  let reach: Parsed['reach'] = 'whole';
  for (let block = layout.next(); block !== undefined; block = layout.next()) {
    if (++count > statementsMax) {
      c.enter(block.head.from, block.head.to);
      c.report('K002', c.i, c.i + 1, `more than ${statementsMax} statements in one document`, {
        hint: 'split the document',
      });
      reach = 'cut';
      break;
    }
    if (c.full) {
      reach = 'cut';
      break;
    }
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
    reach,
  };
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
    reach: 'cut',
  };
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
