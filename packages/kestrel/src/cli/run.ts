/** `kestrel run`: plans over a market day, and the blotter that comes out. */
import { join } from 'node:path';
import { jcs } from 'ground/jcs';
import {
  type Blotter,
  type Bracket,
  blotterOf,
  type Days,
  documentHash,
  Engine,
  runBracket,
  runDays,
} from '../engine/index.ts';
import type { Tape } from '../market/index.ts';
import { amountE4 } from './amounts.ts';
import type { Arguments } from './arguments.ts';
import { dayTape } from './day-tape.ts';
import { EXITS } from './exits.ts';
import { Failure } from './failure.ts';
import { writeWhole } from './files.ts';
import { type DocumentText, judgedPlans, readDocuments } from './plans.ts';
import { bracketOf, type DayFacts, daysOf, reportOf } from './report.ts';
import type { Streams } from './streams.ts';
import { openTape } from './tape-source.ts';
import { type Paint, paintFor, paintOf, progressFor } from './terminal.ts';
import type { FEE_SCHEDULES, FILL_MODELS } from './verbs.ts';

/** Rows between two steps of the bar. */
const PROGRESS_ROWS = 200_000;

export interface Play {
  readonly tape: Tape;
  readonly texts: readonly DocumentText[];
  readonly fill: Exclude<(typeof FILL_MODELS)[number], 'bracket'>;
  readonly fees: (typeof FEE_SCHEDULES)[number];
  /** What 1R is, in 1e-4 of the currency. */
  readonly rUsdE4: number;
  readonly form: 'text' | 'json';
  /** The session's budget in 1e-4 R; absent: no limit beyond the plans'. */
  readonly sessionRE4?: number;
}

export function run({ values }: Arguments, streams: Streams): number {
  const one = (flag: string): string | undefined => values.get(flag)?.[0];
  const rUsdE4 = amountE4('r-usd', one('r-usd')!);
  const sessionR = one('session-r');
  const sessionRE4 = sessionR === undefined ? undefined : amountE4('session-r', sessionR);
  const texts = readDocuments(values.get('plans')!, streams);
  const tapes = values
    .get('tape')!
    .map((name) => openTape(name, streams, values.has('lenient') ? { badLines: 'skip' } : {}));
  const tape = tapes[0]!;
  const given: Omit<Play, 'fill'> = {
    tape,
    texts,
    fees: (one('fees') ?? 'none') as Play['fees'],
    rUsdE4,
    form: values.has('json') ? 'json' : 'text',
    ...(sessionRE4 === undefined ? {} : { sessionRE4 }),
  };
  const fill = one('fill') as (typeof FILL_MODELS)[number];
  if (tapes.length > 1) {
    if (fill === 'bracket' || values.has('follow'))
      throw oneDayOnly(fill === 'bracket' ? '--fill bracket' : '--follow');
    return several({ ...given, fill }, { tapes, ...(one('out') === undefined ? {} : { out: one('out')! }) }, streams);
  }
  if (fill === 'bracket') return bracket(given, { ...(one('out') === undefined ? {} : { out: one('out')! }) }, streams);
  const blotter = play({ ...given, fill }, streams);
  const text = `${jcs(blotter)}\n`;
  const out = one('out');
  if (out !== undefined) {
    writeWhole([
      { path: join(out, 'blotter.json'), bytes: text },
      { path: join(out, 'report.txt'), bytes: reportOf(blotter, factsOf(tape), paintOf('plain')) },
    ]);
  }
  if (values.has('json')) streams.write(text);
  else tell({ tape, blotter, follow: values.has('follow') ? 'day' : 'none' }, paintFor(streams), streams);
  return EXITS.ok;
}

function oneDayOnly(flag: string): Failure {
  return new Failure({
    code: 'usage',
    message: `${flag} is for a run of one day`,
    expected: `one --tape, or several without ${flag}`,
    next: 'kestrel run --help shows an example',
  });
}

/** Plans over several days, with what is owned at a close carried to the next. */
function several(
  given: Play,
  { tapes, out }: { readonly tapes: readonly Tape[]; readonly out?: string },
  streams: Streams,
): number {
  const { documents, sources } = judgedPlans(given.texts, given, streams);
  const { fill, fees, rUsdE4, sessionRE4 } = given;
  const rows = tapes.map((_, k) => tapes.slice(0, k + 1).reduce((n, each) => n + each.columns.length, 0));
  const progress = progressFor(streams, { what: 'running', total: rows.at(-1)! });
  let run: Days;
  try {
    run = runDays({
      tapes,
      fill,
      fees,
      rE4: rUsdE4,
      documents,
      document: documentHash(sources),
      ...(sessionRE4 === undefined ? {} : { sessionR: sessionRE4 }),
      onDay: (days) => progress.at(rows[days - 1]!),
    });
  } finally {
    progress.stop();
  }
  const text = `${jcs(run)}\n`;
  const report = (paint: Paint): string =>
    `${run.days.map((blotter, k) => reportOf(blotter, factsOf(tapes[k]!), paint)).join('\n')}\n${daysOf(run, paint)}`;
  if (out !== undefined) {
    writeWhole([
      { path: join(out, 'blotter.json'), bytes: text },
      { path: join(out, 'report.txt'), bytes: report(paintOf('plain')) },
    ]);
  }
  streams.write(given.form === 'json' ? text : report(paintFor(streams)));
  return EXITS.ok;
}

/** Three books over one day; the report is that of the pessimistic one, with the others' results under it. */
function bracket(given: Omit<Play, 'fill'>, { out }: { readonly out?: string }, streams: Streams): number {
  const { documents, sources } = judgedPlans(given.texts, given, streams);
  const { tape, fees, rUsdE4, sessionRE4 } = given;
  const progress = progressFor(streams, { what: 'running', total: tape.columns.length });
  let books: Bracket;
  try {
    books = runBracket({
      tape,
      fees,
      rE4: rUsdE4,
      documents,
      document: documentHash(sources),
      ...(sessionRE4 === undefined ? {} : { sessionR: sessionRE4 }),
      ...(progress.shown ? { onProgress: (row) => progress.at(row) } : {}),
    });
  } finally {
    progress.stop();
  }
  const text = `${jcs(books)}\n`;
  const report = (paint: Paint): string =>
    `${reportOf(books.pessimistic, factsOf(tape), paint)}\n${bracketOf(books, paint)}`;
  if (out !== undefined) {
    writeWhole([
      { path: join(out, 'blotter.json'), bytes: text },
      { path: join(out, 'report.txt'), bytes: report(paintOf('plain')) },
    ]);
  }
  streams.write(given.form === 'json' ? text : report(paintFor(streams)));
  return EXITS.ok;
}

/** @throws Failure on a refused document; EngineRefusal on what this engine does not run */
export function play(given: Play, streams: Streams): Blotter {
  const { documents, sources } = judgedPlans(given.texts, given, streams);
  const { tape, fill, fees, rUsdE4, sessionRE4 } = given;
  const engine = new Engine({
    tape,
    fill,
    fees,
    rE4: rUsdE4,
    ...(sessionRE4 === undefined ? {} : { sessionR: sessionRE4 }),
  });
  engine.author(documents);
  const progress = progressFor(streams, { what: 'running', total: tape.columns.length });
  try {
    const { t, length } = tape.columns;
    for (let row = PROGRESS_ROWS; progress.shown && row < length; row += PROGRESS_ROWS) {
      // A stop inside one instant would split it; one just before it does not.
      engine.runTo(t[row]! - 1);
      progress.at(row);
    }
    engine.finish();
  } finally {
    progress.stop();
  }
  // The pin covers what was read, imports included, as it was written.
  return blotterOf(engine, { document: documentHash(sources), thinkMs: null, subject: null });
}

export interface Told {
  readonly tape: Tape;
  readonly blotter: Blotter;
  /** `day`: the day as a text tape first. */
  readonly follow: 'day' | 'none';
}

export function tell({ tape, blotter, follow }: Told, paint: Paint, streams: Streams): void {
  if (follow === 'day') {
    for (const line of dayTape(tape, blotter, paint)) streams.write(`${line}\n`);
    streams.write('\n');
  }
  streams.write(reportOf(blotter, factsOf(tape), paint));
}

function factsOf(tape: Tape): DayFacts {
  const source = tape.header.source;
  return {
    id: tape.id,
    date: tape.date,
    zone: tape.zone,
    events: tape.columns.length,
    source: typeof source === 'string' ? source : '',
  };
}
