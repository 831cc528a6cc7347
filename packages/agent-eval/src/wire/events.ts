/** Trace events out of a request's bytes: each checked on its own, each kept as it came. */
import { isUtf8 } from 'node:buffer';
import type { EventBatch } from '../store/ports.ts';
import { WireError } from './errors.ts';
import { validateEvent } from './generated/validate-event.ts';
import { arrayElements, deepest, isDeeper, JsonBytesError, objectFields } from './json-bytes.ts';
import { REJECT_TEXT_MAX, type WireLimits } from './limits.ts';
import type { Params } from './method.ts';
import { shortened } from './params.ts';

export interface RejectedEvent {
  /** Its `eventId`, or `#index` or `line N` where it has none to go by. */
  readonly eventId: string;
  readonly message: string;
}

export interface EventReading {
  readonly batch: EventBatch;
  readonly rejects: readonly RejectedEvent[];
}

/** Above this many bytes an event's nesting is looked at before it is parsed. */
const PARSE_FIRST_BYTES_MAX = 65_536;

/** @throws WireError validation_error for a body that holds no list of events at all */
export function readEvents(params: Params, limits: WireLimits): EventReading {
  switch (params.kind) {
    case 'ndjson':
      return readLines(params.bytes, limits);
    case 'json':
      return readArray(params.bytes, limits);
    case 'value':
      return readArray(bytesOfValue(params.value, limits), limits);
    case 'none':
      return readArray(Buffer.from('{}'), limits);
    default:
      return params satisfies never;
  }
}

function bytesOfValue(value: unknown, limits: WireLimits): Buffer {
  // Two levels are the wrapping object and its list.
  if (isDeeper(value, limits.depthMax + 2)) {
    throw new WireError('validation_error', `the events nest deeper than ${limits.depthMax} levels`);
  }
  return Buffer.from(JSON.stringify(value) ?? 'null');
}

function readArray(bytes: Buffer, limits: WireLimits): EventReading {
  if (!isUtf8(bytes)) throw new WireError('validation_error', 'the body is not JSON: it is not UTF-8');
  let ends: number[] | null;
  try {
    const fields = objectFields(bytes);
    const events = fields?.get('events');
    ends = events === undefined ? null : arrayElements(bytes, events, limits.eventsMax);
    if (fields === null) checkWord(bytes);
    else {
      for (const [name, { start, end }] of fields) if (name !== 'events') checkValue(bytes, start, end, limits);
    }
  } catch (cause) {
    if (!(cause instanceof JsonBytesError)) throw cause;
    throw new WireError('validation_error', `the body is not JSON: ${cause.message}`, { cause });
  }
  if (ends === null) {
    throw new WireError(
      'validation_error',
      '{"events": [...]} is wanted, or application/x-ndjson with one event a line',
    );
  }
  checkCount(ends.length / 2, limits);
  const reader = new BatchReader(bytes, ends.length / 2, limits);
  for (let i = 0; i < ends.length; i += 2) {
    const at = i / 2;
    const fault = reader.read(ends[i]!, ends[i + 1]!);
    if (fault === NOT_JSON) throw new WireError('validation_error', `the body is not JSON: events[${at}] is not`);
    if (fault !== null) reader.reject(`#${at}`, fault);
  }
  return reader.finish();
}

function readLines(bytes: Buffer, limits: WireLimits): EventReading {
  const isText = isUtf8(bytes);
  const lines = lineSpans(bytes, limits.eventsMax);
  checkCount(lines.length / 3, limits);
  const reader = new BatchReader(bytes, lines.length / 3, limits);
  for (let i = 0; i < lines.length; i += 3) {
    const start = lines[i]!;
    const end = lines[i + 1]!;
    const name = lines[i + 2]!;
    if (!isText && !isUtf8(bytes.subarray(start, end))) {
      reader.reject(`line ${name}`, 'the line is not UTF-8');
      continue;
    }
    const fault = reader.read(start, end);
    if (fault !== null) reader.reject(`line ${name}`, fault === NOT_JSON ? 'one JSON object a line is wanted' : fault);
  }
  return reader.finish();
}

/** Start, end and number of each line that is not blank; one more than `max` at most. */
function lineSpans(bytes: Buffer, max: number): number[] {
  const lines: number[] = [];
  const begin = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  for (let at = begin, name = 1; at < bytes.length; name++) {
    const feed = bytes.indexOf(0x0a, at);
    const next = feed < 0 ? bytes.length : feed;
    let start = at;
    let end = next;
    while (start < end && isSpace(bytes[start]!)) start++;
    while (end > start && isSpace(bytes[end - 1]!)) end--;
    if (start < end) lines.push(start, end, name);
    if (lines.length > 3 * max) break;
    at = next + 1;
  }
  return lines;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0d || byte === 0x09;
}

function checkCount(count: number, { eventsMax }: WireLimits): void {
  if (count === 0) throw new WireError('validation_error', 'at least one event is wanted, got none');
  if (count > eventsMax) {
    throw new WireError('validation_error', `at most ${eventsMax} events a call; send bigger streams in chunks`);
  }
}

function checkWord(bytes: Buffer): void {
  try {
    JSON.parse(bytes.toString('utf8', 0, Math.min(bytes.length, PARSE_FIRST_BYTES_MAX)));
  } catch {
    throw new JsonBytesError('an object is wanted');
  }
}

function checkValue(bytes: Buffer, start: number, end: number, limits: WireLimits): void {
  const value = bytes.subarray(start, end);
  if (deepest(value, limits.depthMax) > limits.depthMax) {
    throw new WireError('validation_error', `the body nests deeper than ${limits.depthMax} levels`);
  }
  try {
    JSON.parse(value.toString('utf8'));
  } catch {
    throw new JsonBytesError(`no JSON value at byte ${start}`);
  }
}

const NOT_JSON = 'not JSON';

class BatchReader {
  readonly #bytes: Buffer;
  readonly #limits: WireLimits;
  readonly #spans: Uint32Array;
  readonly #timestampsMs: Float64Array;
  readonly #eventIds: string[] = [];
  readonly #runIds: string[] = [];
  readonly #rejects: RejectedEvent[] = [];
  #lastId: string | null = null;

  constructor(bytes: Buffer, count: number, limits: WireLimits) {
    this.#bytes = bytes;
    this.#limits = limits;
    this.#spans = new Uint32Array(2 * count);
    this.#timestampsMs = new Float64Array(count);
  }

  /** Takes one event in. @returns what is wrong with it, or null */
  read(start: number, end: number): string | null {
    const { depthMax } = this.#limits;
    this.#lastId = null;
    const isLong = end - start > PARSE_FIRST_BYTES_MAX;
    const tooDeep = `the event nests deeper than ${depthMax} levels`;
    if (isLong && deepest(this.#bytes.subarray(start, end), depthMax) > depthMax) return tooDeep;
    let event: { eventId: string; runId: string; timestamp: number };
    try {
      event = JSON.parse(this.#bytes.toString('utf8', start, end));
    } catch {
      return NOT_JSON;
    }
    if (!validateEvent(event)) {
      this.#lastId = nameOf(event);
      return faultOf(event);
    }
    // Braces and brackets take two bytes a level, so a short event cannot nest too deep.
    if (end - start > 2 * depthMax && isDeeper(event, depthMax)) {
      this.#lastId = event.eventId;
      return tooDeep;
    }
    const at = this.#eventIds.length;
    this.#spans[2 * at] = start;
    this.#spans[2 * at + 1] = end - start;
    this.#timestampsMs[at] = event.timestamp;
    this.#eventIds.push(event.eventId);
    this.#runIds.push(event.runId);
    return null;
  }

  reject(place: string, message: string): void {
    const id = this.#lastId;
    this.#lastId = null;
    this.#rejects.push({ eventId: id === null ? place : shortened(id), message });
  }

  finish(): EventReading {
    const count = this.#eventIds.length;
    const batch = {
      body: this.#bytes,
      spans: this.#spans.subarray(0, 2 * count),
      timestampsMs: this.#timestampsMs.subarray(0, count),
      eventIds: this.#eventIds,
      runIds: this.#runIds,
    };
    return { batch: this.#rejects.length === 0 && isTight(batch) ? batch : tightened(batch), rejects: this.#rejects };
  }
}

/** Whether little lies in the body beside the events; then it is stored as it is. */
function isTight({ body, spans }: EventBatch): boolean {
  let bytes = 0;
  for (let i = 1; i < spans.length; i += 2) bytes += spans[i]!;
  return body.length - bytes <= spans.length + 64;
}

/** The events alone, so that nothing rejected is kept. */
function tightened(batch: EventBatch): EventBatch {
  const spans = new Uint32Array(batch.spans.length);
  let bytes = 0;
  for (let i = 0; i < spans.length; i += 2) {
    spans[i] = bytes;
    spans[i + 1] = batch.spans[i + 1]!;
    bytes += spans[i + 1]!;
  }
  const body = new Uint8Array(bytes);
  for (let i = 0; i < spans.length; i += 2) {
    const from = batch.spans[i]!;
    body.set(batch.body.subarray(from, from + spans[i + 1]!), spans[i]!);
  }
  return { ...batch, body, spans };
}

function nameOf(event: unknown): string | null {
  if (event === null || typeof event !== 'object') return null;
  const { eventId } = event as { eventId?: unknown };
  return typeof eventId === 'string' && eventId !== '' ? eventId.slice(0, REJECT_TEXT_MAX) : null;
}

/** The validator's first complaint, with the field it is about and what came. */
function faultOf(event: unknown): string {
  if (event === null || typeof event !== 'object' || Array.isArray(event)) return 'an event is a JSON object';
  const first = validateEvent.errors?.[0];
  if (first === undefined) return 'the event does not fit its schema';
  const field = first.instancePath.slice(1);
  const allowed = (first.params as { allowedValues?: readonly string[] }).allowedValues;
  const wanted = allowed === undefined ? first.message : `must be one of ${allowed.join(', ')}`;
  const got = field === '' ? '' : `, got ${shown((event as Record<string, unknown>)[field])}`;
  return shortened(`${field === '' ? '' : `${field} `}${wanted}${got}`);
}

function shown(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : String(value);
}
