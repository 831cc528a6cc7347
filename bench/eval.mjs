/**
 * The evaluation service's figures, against the built package: ingest, judge, start-up, memory, reading, kills.
 * Shorter by `EVAL_BENCH=short`, which also says so in each measure's name.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load, ndjson, percentile, post } from './eval-load.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, '../packages/agent-eval/dist');
const bin = join(dist, 'bin/agent-eval.js');
const isShort = process.env.EVAL_BENCH === 'short';
const FULL_EVENTS = isShort ? 500_000 : 10_000_000;
const KILLS = isShort ? 10 : 200;
const SECONDS = isShort ? 3 : 8;
const SATURATED_SECONDS = isShort ? 10 : 60;
const BATCH = 1_000;
const NDJSON = 'application/x-ndjson';

/** The extra authorities of a machine cost every Node start 30 ms, which is none of ours. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(NODE_EXTRA_CA_CERTS|AGENT_EVAL_|OPENAI_|ANTHROPIC_)/.test(name)),
);

async function start(program, args) {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'ignore'], env });
  const line = await new Promise((resolve) => child.stdout.once('data', (chunk) => resolve(String(chunk))));
  return { child, port: Number(/:(\d+)\s*$/.exec(line)[1]) };
}

function serve(dir) {
  return start(bin, ['serve', '--port', '0', '--store', dir]);
}

function stop(child, signal = 'SIGTERM') {
  return new Promise((resolve) => {
    child.once('exit', resolve);
    child.kill(signal);
  });
}

/** 64 ready batches of 1,000 events, eight runs. */
const batches = Array.from({ length: 64 }, (_, i) =>
  post('/v1/traces/ingest', ndjson(`run_${i % 8}`, i * BATCH, BATCH), NDJSON),
);
const batchOf = (connection, n) => batches[(connection * 7 + n) % batches.length];

function rateOf({ ok, seconds }) {
  return Math.round((ok * BATCH) / seconds);
}

const ingest = (port, more = {}) => load({ port, connections: 8, seconds: SECONDS, request: batchOf, ...more });

export async function bench() {
  if (!existsSync(bin)) throw new Error('the package is not built; npm run build makes it');
  const home = mkdtempSync(join(tmpdir(), 'agent-eval-bench-'));
  const rows = [];
  const row = (measure, value, unit, target, ratio) => {
    rows.push({
      measure: isShort ? `${measure} (short)` : measure,
      value,
      unit,
      target,
      ...(ratio === undefined ? {} : { ratio }),
    });
  };
  try {
    await ingestRows(home, row);
    await saturatedRows(home, row);
    await judgeRows(row);
    startRows(row);
    await killRows(home, row);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  return rows;
}

async function ingestRows(home, row) {
  const dir = join(home, 'ingest');
  const { child, port } = await serve(dir);
  await ingest(port, { seconds: 1 });
  const fresh = median(await rounds(3, async () => rateOf(await ingest(port))));
  row('ingest, fresh store, 8 connections, synced', fresh, 'events/s', '>= 150000', fresh / 150_000);
  const half = await ingest(port, { ratePerSecond: 75 });
  const p99 = percentile(half.latenciesMs, 0.99);
  row('ingest at 75,000 events/s: p99', round(p99), 'ms', '< 60', p99 / 60);
  const lone = Array.from({ length: 64 }, (_, i) =>
    post('/v1/traces/ingest', JSON.stringify({ events: [JSON.parse(ndjson(`lone_${i}`, 0, 1))] }), 'application/json'),
  );
  const ones = median(
    await rounds(3, async () => {
      const { ok, seconds } = await load({ port, connections: 64, seconds: SECONDS, request: (i) => lone[i] });
      return Math.round(ok / seconds);
    }),
  );
  row('lone one-event requests, 64 connections, synced', ones, 'requests/s', '>= 5000', ones / 5_000);
  await fill(port, dir);
  const full = median(await rounds(3, async () => rateOf(await ingest(port))));
  row(`ingest with ${FULL_EVENTS.toLocaleString('en')} events stored`, full, 'events/s', '>= 60000', full / 60_000);
  await stop(child);
  const first = median(await rounds(5, () => firstRow(dir)));
  row(
    `first row of a run of 100,000 among ${FULL_EVENTS.toLocaleString('en')}`,
    round(first),
    'ms',
    '<= 20',
    first / 20,
  );
}

/** Runs of 100,000 events, each in batches of its own, spread over the whole store. */
async function fill(port, dir) {
  const { events } = statsOf(dir);
  const missing = Math.max(0, FULL_EVENTS - events);
  const runs = Math.max(1, Math.floor(missing / 100_000));
  const ready = Array.from({ length: Math.min(runs, 100) }, (_, run) =>
    post('/v1/traces/ingest', ndjson(`full_${run}`, 0, BATCH), NDJSON),
  );
  let sent = 0;
  const wanted = Math.ceil(missing / BATCH);
  while (sent < wanted) {
    const { ok } = await load({
      port,
      connections: 8,
      seconds: 5,
      request: (_, n) => ready[(sent + n) % ready.length],
    });
    sent += ok;
  }
}

function statsOf(dir) {
  return JSON.parse(
    spawnSync(process.execPath, [bin, 'stats', '--json', '--store', dir], { env, encoding: 'utf8' }).stdout,
  );
}

async function firstRow(dir) {
  const { sqliteReading } = await import(join(dist, 'index.js'));
  const store = sqliteReading(dir);
  await store.traces.stats();
  const startedMs = performance.now();
  for await (const event of store.traces.read({ view: 'all', runId: 'full_0' })) {
    if (event.runId !== 'full_0') throw new Error('another run came back');
    break;
  }
  const took = performance.now() - startedMs;
  await store.close();
  return took;
}

async function saturatedRows(home, row) {
  const dir = join(home, 'saturated');
  const { child, port } = await serve(dir);
  let peakKb = 0;
  const watch = setInterval(() => {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    peakKb = Math.max(peakKb, Number(/VmRSS:\s+(\d+)/.exec(status)[1]));
  }, 100);
  let accepted = 0;
  let health = 0;
  const probe = setInterval(() => {
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ status }) => {
        if (status === 200) health++;
      },
      () => {},
    );
  }, 1_000);
  const seen = await load({
    port,
    connections: 512,
    seconds: SATURATED_SECONDS,
    request: batchOf,
    onAnswer: (status, body) => {
      if (status === 200) accepted += JSON.parse(body).accepted;
    },
  });
  clearInterval(watch);
  clearInterval(probe);
  await stop(child);
  const { events } = statsOf(dir);
  const others = [...seen.statuses].filter(([status]) => ![200, 429, 503].includes(status));
  const said = [...seen.statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
  const peakMib = Math.round(peakKb / 1024);
  row(
    `resident memory, 512 saturating connections (${said}; ${health} health answers)`,
    peakMib,
    'MiB',
    '<= 512',
    peakMib / 512,
  );
  row('accepted events missing afterwards', Math.max(0, accepted - events) + others.length, 'events', '0');
}

async function judgeRows(row) {
  const { child, port } = await start(join(here, 'eval-judge-server.mjs'), []);
  const request = post(
    '/v1/judge',
    '{"rubricName":"anti-slop","content":"We just shipped zero-copy IO"}',
    'application/json',
  );
  const run = (seconds) => load({ port, connections: 10, seconds, request: () => request });
  await run(2);
  const results = await rounds(3, () => run(SECONDS));
  const rate = median(results.map(({ ok, seconds }) => Math.round(ok / seconds)));
  const p99 = median(results.map(({ latenciesMs }) => percentile(latenciesMs, 0.99)));
  row('judge with an instant model, 10 connections', rate, 'requests/s', '>= 12000', rate / 12_000);
  row('judge: p99', round(p99), 'ms', '<= 5', p99 / 5);
  await stop(child, 'SIGKILL');
}

function startRows(row) {
  const empty = join(mkdtempSync(join(tmpdir(), 'agent-eval-empty-')), 'empty.cjs');
  writeFileSync(empty, '');
  const time = (args) => {
    const startedMs = performance.now();
    spawnSync(process.execPath, args, { env, input: '{}' });
    return performance.now() - startedMs;
  };
  const floors = [];
  const starts = [];
  for (let i = 0; i < (isShort ? 11 : 41); i++) {
    floors.push(time([empty]));
    starts.push(time([bin, 'rpc', 'version']));
  }
  rmSync(dirname(empty), { recursive: true });
  const over = median(starts) - median(floors);
  row(`rpc version over an empty script (${round(median(floors))} ms)`, round(over), 'ms', '<= 15', over / 15);
  const lines = isShort ? 100_000 : 500_000;
  const input = '{}\n'.repeat(lines);
  const rates = Array.from({ length: 3 }, () => {
    const startedMs = performance.now();
    const { stdout } = spawnSync(process.execPath, [bin, 'rpc-batch', 'version'], { env, input, maxBuffer: 1e9 });
    if (stdout.length < lines) throw new Error('answers are missing');
    return Math.round(lines / ((performance.now() - startedMs) / 1_000));
  });
  row('rpc-batch version', median(rates), 'lines/s', '>= 50000', median(rates) / 50_000);
}

/** Under full ingest, killed at a random instant, again and again, on one store. */
async function killRows(home, row) {
  const dir = join(home, 'kills');
  let missing = 0;
  let strange = 0;
  let acknowledged = 0;
  for (let round = 0; round < KILLS; round++) {
    const { child, port } = await serve(dir);
    const before = new Set();
    const known = new Set();
    let serial = 0;
    const driving = load({
      port,
      connections: 8,
      seconds: 0.6,
      request: () => {
        const run = `k${round}_${serial++}`;
        const bytes = post('/v1/traces/ingest', ndjson(run, 0, 200), NDJSON);
        bytes.tag = run;
        before.add(run);
        return bytes;
      },
      onAnswer: (status, _, run) => {
        if (status === 200) known.add(run);
        else if (status !== 503) strange++;
      },
    });
    await new Promise((resolve) => setTimeout(resolve, 100 + ((round * 7919) % 400)));
    await stop(child, 'SIGKILL');
    await driving;
    acknowledged += known.size * 200;
    missing += await missingOf(dir, known);
  }
  row(
    `accepted events missing after ${KILLS} kills (${acknowledged} accepted, other statuses ${strange})`,
    missing + strange,
    'events',
    '0',
  );
}

async function missingOf(dir, runs) {
  const { sqliteReading } = await import(join(dist, 'index.js'));
  const store = sqliteReading(dir);
  let missing = 0;
  for (const runId of runs) {
    const ids = new Set();
    for await (const { eventId } of store.traces.read({ view: 'all', runId })) ids.add(eventId);
    missing += 200 - ids.size;
  }
  await store.close();
  return missing;
}

async function rounds(count, work) {
  const results = [];
  for (let i = 0; i < count; i++) results.push(await work());
  return results;
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function round(value) {
  return Math.round(value * 10) / 10;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await bench());
