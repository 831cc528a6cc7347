/** The verbs that read: rubrics, the OpenAPI document, and what a store holds. */

import { once } from 'node:events';
import { existsSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Table from 'cli-table3';
import type { EventQuery, FeedbackQuery, FeedbackRecord, StoredEvent } from '../store/ports.ts';
import { sqliteReading } from '../store/sqlite/store.ts';
import { makeService } from '../wire/context.ts';
import { openapiText } from '../wire/openapi.ts';
import { callRpc } from '../wire/rpc.ts';
import { PACKAGE_VERSION, WIRE_VERSION } from '../wire/version.ts';
import { ownRubrics } from './own-rubrics.ts';
import { homeDir } from './surroundings.ts';
import { parseTime, UsageError, wholeNumber } from './usage.ts';

/** Rows of a list unless someone wants more. */
const LIST_ROWS = 50;
const SHOWN_CHARS = 60;

export async function version({ json }: { json?: true }): Promise<number> {
  if (json === true) return answer('version');
  await print(`agent-eval ${PACKAGE_VERSION}, wire protocol ${WIRE_VERSION}\n`);
  return 0;
}

export async function rubrics(flags: { json?: true; rubrics?: string }): Promise<number> {
  const own = flags.rubrics === undefined ? [] : ownRubrics(flags.rubrics);
  const service = makeService({ rubrics: own });
  if (flags.json === true) return answer('listRubrics', service);
  const table = plainTable(['name', 'dimensions', 'version']);
  for (const { rubric, version: identity } of service.rubrics.values()) {
    table.push([rubric.name, rubric.dimensions.map(({ id }) => id).join(' '), identity]);
  }
  await print(`${table.toString()}\n`);
  return 0;
}

async function answer(method: string, service = makeService()): Promise<number> {
  const answered = await callRpc(method, { kind: 'none' }, service);
  await print(`${JSON.stringify('result' in answered ? answered.result : answered)}\n`);
  return 0;
}

export async function openapi({ out }: { out?: string }): Promise<number> {
  const text = openapiText();
  if (out === undefined) {
    await print(text);
    return 0;
  }
  try {
    const half = `${out}.${process.pid}.part`;
    writeFileSync(half, text);
    renameSync(half, out);
  } catch (error) {
    throw new UsageError(`--out: ${(error as Error).message}`);
  }
  return 0;
}

interface TraceFlags {
  readonly store?: string;
  readonly run?: string;
  readonly kind?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: string;
  readonly distinct?: true;
}

export async function traces(verb: 'list' | 'export', flags: TraceFlags): Promise<number> {
  const query = queryOf(verb, flags);
  const store = sqliteReading(flags.store ?? homeDir());
  try {
    if (verb === 'list') await listEvents(store.traces.read(query));
    else await exportLines(store.traces.read(query));
    if (flags.distinct === true) {
      for await (const { eventId, firstOrdinal, ordinal, kind } of store.traces.repeats()) {
        if (kind !== 'conflict') continue;
        process.stderr.write(
          `conflict: event ${ordinal} repeats ${JSON.stringify(eventId)} of event ${firstOrdinal} and says something else\n`,
        );
      }
    }
  } finally {
    await store.close();
  }
  return 0;
}

function queryOf(verb: 'list' | 'export', flags: TraceFlags): EventQuery {
  const rows = rowsOf(verb, flags.limit);
  return {
    view: flags.distinct === true ? 'distinct' : 'all',
    ...(flags.run === undefined ? {} : { runId: flags.run }),
    ...(flags.kind === undefined ? {} : { kind: flags.kind }),
    ...(flags.since === undefined ? {} : { sinceMs: parseTime('--since', flags.since) }),
    ...(flags.until === undefined ? {} : { untilMs: parseTime('--until', flags.until) }),
    ...(rows === null ? {} : { limit: rows }),
  };
}

/** Null for all. */
function rowsOf(verb: 'list' | 'export', limit: string | undefined): number | null {
  if (limit !== undefined) return wholeNumber('--limit', limit, 0, Number.MAX_SAFE_INTEGER);
  return verb === 'list' ? LIST_ROWS : null;
}

async function listEvents(events: AsyncIterable<StoredEvent>): Promise<void> {
  const table = plainTable(['event', 'run', 'kind', 'timestamp', 'eventId', 'payload']);
  for await (const event of events) {
    const payload = JSON.stringify(JSON.parse(textOf(event)).payload);
    const time = new Date(event.timestampMs);
    const timestamp = Number.isNaN(time.getTime()) ? event.timestampMs : time.toISOString();
    table.push([event.ordinal, shown(event.runId), event.kind, timestamp, shown(event.eventId), shown(payload)]);
  }
  await print(`${table.toString()}\n`);
}

async function exportLines(items: AsyncIterable<{ readonly bytes: Uint8Array }>): Promise<void> {
  let out = '';
  for await (const item of items) {
    out += `${textOf(item)}\n`;
    if (out.length < 65_536) continue;
    await print(out);
    out = '';
  }
  await print(out);
}

/** On one line: a line end can stand in JSON only between its tokens. */
function textOf({ bytes }: { readonly bytes: Uint8Array }): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('utf8')
    .replace(/[\r\n]/g, ' ');
}

interface FeedbackFlags {
  readonly store?: string;
  readonly id?: string;
  readonly versions?: true;
  readonly limit?: string;
}

export async function feedback(verb: 'list' | 'export', flags: FeedbackFlags): Promise<number> {
  const limit = rowsOf(verb, flags.limit);
  const query: FeedbackQuery = {
    view: flags.versions === true ? 'versions' : 'newest',
    ...(flags.id === undefined ? {} : { id: flags.id }),
  };
  const store = sqliteReading(flags.store ?? homeDir());
  try {
    if (verb === 'export') {
      const records = firstOf(store.feedback.list(query), limit);
      await exportLines(flags.versions === true ? withVersion(records) : records);
      return 0;
    }
    const table = plainTable(['id', 'version', 'received', 'intent']);
    for await (const record of firstOf(store.feedback.list(query), limit)) {
      const { task } = JSON.parse(textOf(record));
      const received = new Date(record.receivedMs).toISOString();
      table.push([shown(record.id), record.version, received, shown(String(task.intent))]);
    }
    await print(`${table.toString()}\n`);
  } finally {
    await store.close();
  }
  return 0;
}

async function* firstOf<T>(items: AsyncIterable<T>, limit: number | null): AsyncIterable<T> {
  let left = limit ?? Number.POSITIVE_INFINITY;
  if (left <= 0) return;
  for await (const item of items) {
    yield item;
    if (--left <= 0) return;
  }
}

/** A record does not say its own version: the line around it does, and holds the record as it came. */
async function* withVersion(records: AsyncIterable<FeedbackRecord>): AsyncIterable<{ readonly bytes: Uint8Array }> {
  for await (const { version, receivedMs, bytes } of records) {
    const head = Buffer.from(`{"version":${version},"receivedMs":${receivedMs},"record":`);
    yield { bytes: Buffer.concat([head, bytes, Buffer.from('}')]) };
  }
}

export async function stats(flags: { store?: string; json?: true }): Promise<number> {
  const dir = flags.store ?? homeDir();
  const store = sqliteReading(dir);
  try {
    const { events, bytes, firstReceivedMs, lastReceivedMs } = await store.traces.stats();
    let records = 0;
    for await (const _ of store.feedback.list()) records++;
    const files = ['agent-eval.db', 'agent-eval.db-wal']
      .map((name) => join(dir, name))
      .filter((file) => existsSync(file));
    const diskBytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
    const told = { events, eventBytes: bytes, feedback: records, diskBytes, firstReceivedMs, lastReceivedMs };
    if (flags.json === true) await print(`${JSON.stringify(told)}\n`);
    else {
      const table = plainTable(['what', 'how much']);
      for (const [name, value] of Object.entries(told)) {
        const isTime = name.endsWith('Ms') && value !== null;
        table.push([name, isTime ? new Date(value).toISOString() : String(value ?? '-')]);
      }
      await print(`${table.toString()}\n`);
    }
  } finally {
    await store.close();
  }
  return 0;
}

export async function check(flags: { store?: string }): Promise<number> {
  const store = sqliteReading(flags.store ?? homeDir());
  try {
    const problems = await store.problems();
    await print(problems.length === 0 ? 'the store is whole\n' : `${problems.join('\n')}\n`);
    return problems.length === 0 ? 0 : 1;
  } finally {
    await store.close();
  }
}

export async function backup(file: string, flags: { store?: string }): Promise<number> {
  if (existsSync(file)) throw new UsageError(`${file} is there already; name a new file`);
  const store = sqliteReading(flags.store ?? homeDir());
  try {
    await store.backup(file);
    return 0;
  } finally {
    await store.close();
  }
}

/** Columns apart by spaces, which every terminal and every tool understands. */
function plainTable(head: string[]): Table.Table {
  const none = [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
  ];
  const chars = Object.fromEntries([...none.map((name) => [name, '']), ['middle', '  ']]);
  return new Table({ head, chars, style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] } });
}

/** What a terminal might obey is shown, not sent. */
function shown(text: string): string {
  const cut = text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS - 1)}…`;
  return cut.replace(
    /[\u0000-\u001f\u007f-\u009f]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

async function print(text: string): Promise<void> {
  if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
}
