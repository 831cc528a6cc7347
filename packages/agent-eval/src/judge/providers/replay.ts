/**
 * Recorded answers in place of a model: a JSON Lines file, one `{ "answer": "<text>" }` a line, with an optional
 * `match: { rubric?, content? }` and `finish`. The first call that fits a line gets its answer; a later equal call gets
 * the next line that fits, and the last one that fits goes on answering.
 */
import { readFileSync } from 'node:fs';
import { type JudgeModel, ModelFailure } from '../model.ts';

export const REPLAY_BYTES_MAX = 64 * 1024 * 1024;
/** Distinct calls whose place in the record is kept; beyond, the oldest starts anew. */
export const REPLAY_PLACES_MAX = 10_000;

interface RecordedAnswer {
  readonly answer: string;
  readonly finish: 'stop' | 'length' | 'refusal' | 'other';
  /** A rubric's name or its whole version. */
  readonly rubric: string | null;
  readonly content: string | null;
}

/** @throws Error naming the line when the file is no record */
export function replayFile(path: string): JudgeModel {
  const bytes = readFileSync(path);
  if (bytes.length > REPLAY_BYTES_MAX) throw new Error(`${path}: a record has at most ${REPLAY_BYTES_MAX} bytes`);
  return replay(parseRecord(bytes.toString('utf8'), path));
}

export function parseRecord(text: string, name: string): RecordedAnswer[] {
  const record: RecordedAnswer[] = [];
  text.split('\n').forEach((line, i) => {
    if (line.trim() === '') return;
    record.push(parseLine(line, `${name}, line ${i + 1}`));
  });
  if (record.length === 0) throw new Error(`${name}: a record holds at least one line {"answer": "<text>"}`);
  return record;
}

function parseLine(line: string, where: string): RecordedAnswer {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Error(`${where}: a JSON object is wanted`);
  }
  const { answer, match, finish } = (value ?? {}) as Record<string, unknown>;
  if (typeof answer !== 'string') throw new Error(`${where}: {"answer": "<text>"} is wanted`);
  const { rubric, content } = (match ?? {}) as Record<string, unknown>;
  const isText = (field: unknown): field is string | undefined => field === undefined || typeof field === 'string';
  if (!isText(rubric) || !isText(content)) throw new Error(`${where}: match.rubric and match.content are texts`);
  const known = ['stop', 'length', 'refusal', 'other'] as const;
  const finished = known.find((one) => one === (finish ?? 'stop'));
  if (finished === undefined) throw new Error(`${where}: finish is one of ${known.join(', ')}`);
  return { answer, finish: finished, rubric: rubric ?? null, content: content ?? null };
}

export function replay(record: readonly RecordedAnswer[]): JudgeModel {
  const places = new Map<string, number>();
  return {
    defaultModel: 'replay',
    async answer({ subject, signal }) {
      signal.throwIfAborted();
      const { rubricVersion, content } = subject;
      const fitting = record.filter(
        (line) =>
          (line.content === null || line.content === content) &&
          (line.rubric === null || line.rubric === rubricVersion || rubricVersion.startsWith(`${line.rubric}@`)),
      );
      const key = `${rubricVersion}\n${content}`;
      const place = places.get(key) ?? 0;
      const line = fitting[Math.min(place, fitting.length - 1)];
      if (line === undefined) throw new ModelFailure('unavailable', 'no recorded answer fits this rubric and content');
      places.delete(key);
      places.set(key, place + 1);
      if (places.size > REPLAY_PLACES_MAX) places.delete(places.keys().next().value!);
      return { text: line.answer, finish: line.finish };
    },
  };
}
