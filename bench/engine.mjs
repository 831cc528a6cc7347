/**
 * Benchmarks of the engine: a synthetic day of two million events under 1 to 10,000 armed plans, the slope of cost from
 * one to the other, the day cold and warm from the cache, and what the loop allocates. Every figure stands beside a bare
 * loop that reads the same columns and does nothing else, timed in the same rounds.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blotterOf, Engine, runDay } from '../packages/kestrel/dist/engine.js';
import { parse } from '../packages/kestrel/dist/lang.js';
import { loadTape, memoryOf, synthTape, tapeChunks } from '../packages/kestrel/dist/market.js';
import { median } from './clock.mjs';
import { benchmarkPlans } from './plans.mjs';

const EVENTS = 2_000_000;
const R_E4 = 100_000_000;
const TARGETS = { 1: 20, 10: 15, 100: 8, 1000: 6, 10000: 4 };
const ROUNDS = { 1: 11, 10: 9, 100: 7, 1000: 5, 10000: 3 };

/** Reads what a quote or a print holds, and writes a slot: no engine can do less. */
function bareLoop({ t, kind, a, b, c, d }) {
  const slot = new Float64Array(4);
  let sum = 0;
  for (let i = 0; i < t.length; i++) {
    if (kind[i] === 0) {
      slot[0] = a[i];
      slot[1] = b[i];
      slot[2] = c[i];
      slot[3] = d[i];
      if (a[i] > 0 && c[i] > a[i]) sum += t[i];
    } else sum += a[i] * b[i];
  }
  return sum;
}

function rangeOf({ kind, a }) {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < kind.length; i++) {
    if (kind[i] !== 1) continue;
    low = Math.min(low, a[i]);
    high = Math.max(high, a[i]);
  }
  return { low: low / 1e4, high: high / 1e4 };
}

function timed(job) {
  const begun = performance.now();
  const result = job();
  return { ms: performance.now() - begun, result };
}

export async function bench() {
  const tape = synthTape({ seed: 'bench-engine', date: '2024-03-11', regime: 'choppy', symbol: 'SYN', events: EVENTS });
  const range = rangeOf(tape.columns);
  const rows = [];
  const rate = (ms) => Number((EVENTS / ms / 1e3).toFixed(2));
  const perEvent = {};
  for (const count of Object.keys(TARGETS).map(Number)) {
    const documents = benchmarkPlans(count, range).map((text) => {
      const parsed = parse(text);
      const error = parsed.diagnostics.find((d) => d.severity === 'error');
      if (error !== undefined) throw new Error(`the benchmark's plans do not parse: ${error.message}`);
      return parsed.document;
    });
    const runs = [];
    const ratios = [];
    let fired = 0;
    for (let round = -1; round < ROUNDS[count]; round++) {
      const before = timed(() => bareLoop(tape.columns)).ms;
      const engine = new Engine({ tape, fill: 'strict-cross-v1', rE4: R_E4 });
      engine.author(documents);
      const { ms } = timed(() => engine.finish());
      const after = timed(() => bareLoop(tape.columns)).ms;
      fired = engine.plans.filter((p) => p.firedAt !== null).length;
      if (round < 0) continue;
      runs.push(ms);
      ratios.push((2 * ms) / (before + after));
    }
    if (fired < count * 0.2) throw new Error(`only ${fired} of ${count} plans fired`);
    perEvent[count] = (median(runs) * 1e6) / EVENTS;
    rows.push({
      measure: `${count} armed plans (${fired} fire)`,
      value: rate(median(runs)),
      unit: 'M events/s',
      target: TARGETS[count],
      ratio: `${median(ratios).toFixed(1)} x a bare loop`,
    });
  }
  rows.push({
    measure: 'slope, 1 to 10,000 plans',
    value: Number(((perEvent[10_000] - perEvent[1]) / 9_999).toFixed(4)),
    unit: 'ns an event and plan',
  });
  rows.push({
    measure: 'memory of the columns',
    value: Number((memoryOf(tape.columns) / (EVENTS / 1e6) / 1e6).toFixed(1)),
    unit: 'MB per million events',
    target: 28,
  });
  rows.push(allocation(tape, range));
  rows.push(...(await wholeDay(tape, range)));
  return rows;
}

/** Bytes that a second pass over the day adds to the heap, per event: with garbage collected before and none during. */
function allocation(tape, range) {
  const documents = benchmarkPlans(1, range).map((text) => parse(text).document);
  const measure = () => {
    const engine = new Engine({ tape, fill: 'strict-cross-v1', rE4: R_E4 });
    engine.author(documents);
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    engine.finish();
    return process.memoryUsage().heapUsed - before;
  };
  measure();
  return {
    measure: 'heap grown by a run, 1 plan',
    value: Number((measure() / EVENTS).toFixed(3)),
    unit: 'bytes an event',
  };
}

async function wholeDay(tape, range) {
  const folder = mkdtempSync(join(tmpdir(), 'kestrel-bench-'));
  try {
    const path = join(folder, 'day.jsonl');
    writeFileSync(path, Buffer.concat([...tapeChunks(tape)].map((chunk) => Buffer.from(chunk))));
    loadTape(path);
    const documents = benchmarkPlans(10, range).map((text) => parse(text).document);
    const whole = () => {
      const loaded = loadTape(path);
      const blotter = runDay({ tape: loaded.tape ?? loaded, documents, fill: 'strict-cross-v1', rUsd: R_E4 / 1e4 });
      return JSON.stringify(blotter).length;
    };
    const cold = timed(whole).ms;
    const warm = [];
    for (let round = 0; round < 7; round++) warm.push(timed(whole).ms);
    const engineOnly = [];
    for (let round = 0; round < 7; round++) {
      engineOnly.push(
        timed(() => {
          const engine = new Engine({ tape, fill: 'strict-cross-v1', rE4: R_E4 });
          engine.author(documents);
          engine.finish();
          return JSON.stringify(blotterOf(engine, { document: null, thinkMs: null, subject: null })).length;
        }).ms,
      );
    }
    return [
      { measure: 'cached tape to blotter JSON, 10 plans, first', value: Math.round(cold), unit: 'ms', target: 500 },
      { measure: 'the same, warm', value: Math.round(median(warm)), unit: 'ms' },
      {
        measure: 'tape in memory to blotter JSON, warm',
        value: Math.round(median(engineOnly)),
        unit: 'ms',
        target: 150,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
