/**
 * The evaluation service's figures, against the built package: ingest, judge, start-up, memory, reading, kills.
 * Shorter by `EVAL_BENCH=short`, which also says so in each measure's name; some parts alone by `EVAL_ONLY=judge,kills`.
 */
import { fork, spawn, spawnSync } from 'node:child_process';
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
const SECONDS = isShort ? 3 : 6;
const SATURATED_SECONDS = isShort ? 10 : 60;
const BATCH = 1_000;
const NDJSON = 'application/x-ndjson';

/** What a bare node:http server does with the same requests, in turns with ours: a loaded machine slows both. */
const BARE = `
import { createServer } from 'node:http';
const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString());
    const body = JSON.stringify({ composite: 0.6, dimensions: { buyer_quality: 1, voice: 0, signal: 0.5 }, rationale: 'x' });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));
`;

const BARE_LINES = `
const out = [];
let bytes = 0;
const flush = () => { process.stdout.write(out.join('')); out.length = 0; bytes = 0; };
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const text = JSON.stringify({ result: { package: 'p', version: 'v', wireVersion: '1.0.0', apiSurface: [], ...JSON.parse(line) } }) + '\\n';
  out.push(text);
  if ((bytes += text.length) > 65536) flush();
}).on('close', flush);
`;

/** The extra authorities of a machine cost every Node start 30 ms, which is none of ours. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(NODE_EXTRA_CA_CERTS|AGENT_EVAL_|OPENAI_|ANTHROPIC_)/.test(name)),
);

async function start(program, args, more = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...env, ...more },
  });
  const line = await new Promise((resolve) => child.stdout.once('data', (chunk) => resolve(String(chunk))));
  return { child, port: Number(/:(\d+)\s*$/.exec(line)[1]) };
}

function serve(dir, flags = [], more = {}) {
  return start(bin, ['serve', '--port', '0', '--store', dir, ...flags], more);
}

/** Processor time of a process so far, in microseconds; of Linux. */
function cpuUsOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
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
    const parts = { ingest: ingestRows, saturated: saturatedRows, judge: judgeRows, start: startRows, kills: killRows };
    const only = process.env.EVAL_ONLY?.split(',') ?? Object.keys(parts);
    for (const [name, part] of Object.entries(parts)) if (only.includes(name)) await part(row, home);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  return rows;
}

async function ingestRows(row, home) {
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
  for (const view of ['all', 'distinct']) {
    const first = median(await rounds(7, () => firstRow(dir, view)));
    const what = view === 'all' ? '' : ', each eventId once';
    row(
      `first row of a run of 100,000 among ${FULL_EVENTS.toLocaleString('en')}${what}`,
      round(first),
      'ms',
      '<= 20',
      first / 20,
    );
  }
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

async function firstRow(dir, view) {
  const { sqliteReading } = await import(join(dist, 'index.js'));
  const store = sqliteReading(dir);
  await store.traces.stats();
  const startedMs = performance.now();
  for await (const event of store.traces.read({ view, runId: 'full_0' })) {
    if (event.runId !== 'full_0') throw new Error('another run came back');
    break;
  }
  const took = performance.now() - startedMs;
  await store.close();
  return took;
}

async function saturatedRows(row, home) {
  const wide = await saturated(join(home, 'wide'), SATURATED_SECONDS, ['--judge-queue', '32']);
  row(
    `resident memory, 512 saturating connections for ${SATURATED_SECONDS} s (${wide.said})`,
    wide.peakMib,
    'MiB',
    '<= 512',
    wide.peakMib / 512,
  );
  row(
    `health meanwhile: the slowest of ${wide.health.length} answers (${wide.missed} missed)`,
    round(wide.slowest),
    'ms',
  );
  // The same with room for a third of what is sent, so that much of it is refused.
  const narrow = await saturated(join(home, 'narrow'), SECONDS, ['--judge-queue', '16', '--in-flight-mib', '16']);
  row(
    `the same for ${SECONDS} s with --in-flight-mib 16 --judge-queue 16 (${narrow.said})`,
    narrow.peakMib,
    'MiB',
    '<= 512',
    narrow.peakMib / 512,
  );
  row('accepted events missing after both, and answers of other statuses', wide.lost + narrow.lost, '', '0');
  for (const status of [429, 503]) {
    if (!narrow.statuses.has(status)) row(`no ${status} was provoked`, 0, 'answers', '> 0');
  }
}

/** 448 connections that ingest half a megabyte a request, and 64 that ask for more judgements than may wait. */
async function saturated(dir, seconds, flags) {
  const around = fork(join(here, 'eval-surroundings.mjs'), { stdio: ['ignore', 'pipe', 'inherit', 'ipc'], env });
  const model = await new Promise((resolve) => around.stdout.once('data', (chunk) => resolve(String(chunk).trim())));
  const { child, port } = await serve(dir, flags, {
    AGENT_EVAL_LLM_BASE_URL: `${model}/v1`,
    AGENT_EVAL_LLM_API_KEY: 'none',
  });
  let peakKb = 0;
  const watch = setInterval(() => {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    peakKb = Math.max(peakKb, Number(/VmHWM:\s+(\d+)/.exec(status)[1]));
  }, 500);
  const big = Array.from({ length: 24 }, (_, i) =>
    post('/v1/traces/ingest', ndjson(`run_${i % 8}`, i * 2 * BATCH, 2 * BATCH), NDJSON),
  );
  const question = post('/v1/judge', '{"rubricName":"anti-slop","content":"x"}', 'application/json');
  question.tag = 'judge';
  let accepted = 0;
  around.send(`http://127.0.0.1:${port}`);
  const { statuses } = await load({
    port,
    connections: 512,
    seconds,
    request: (connection, n) => (connection % 8 === 0 ? question : big[(connection * 7 + n) % big.length]),
    onAnswer: (status, body, tag) => {
      if (status === 200 && tag !== 'judge') accepted += JSON.parse(body).accepted;
    },
  });
  clearInterval(watch);
  const { tookMs, missed } = await new Promise((resolve) => {
    around.once('message', resolve);
    around.send('stop');
  });
  await stop(child);
  const { events } = statsOf(dir);
  const others = [...statuses].reduce((sum, [status, n]) => ([200, 429, 503].includes(status) ? sum : sum + n), 0);
  return {
    statuses,
    said: [...statuses].map(([status, count]) => `${count} × ${status}`).join(', '),
    peakMib: Math.round(peakKb / 1024),
    lost: Math.max(0, accepted - events) + others,
    health: tookMs,
    slowest: tookMs.reduce((most, ms) => Math.max(most, ms), 0),
    missed,
  };
}

async function judgeRows(row) {
  const bareFile = join(mkdtempSync(join(tmpdir(), 'agent-eval-bare-')), 'bare.mjs');
  writeFileSync(bareFile, BARE);
  const bare = await start(bareFile, []);
  const ours = await start(join(here, 'eval-judge-server.mjs'), []);
  const request = post(
    '/v1/judge',
    '{"rubricName":"anti-slop","content":"We just shipped zero-copy IO"}',
    'application/json',
  );
  const seconds = SECONDS / 2;
  const run = async ({ child, port }) => {
    const cpuUs = cpuUsOf(child.pid);
    const seen = await load({ port, connections: 10, seconds, request: () => request });
    return {
      rate: seen.ok / seen.seconds,
      p99: percentile(seen.latenciesMs, 0.99),
      cpuUs: (cpuUsOf(child.pid) - cpuUs) / seen.ok,
    };
  };
  for (const server of [bare, ours]) await run(server);
  const pairs = await rounds(5, async () => ({ bare: await run(bare), ours: await run(ours) }));
  const of = (who, what) => median(pairs.map((pair) => pair[who][what]));
  const rate = Math.round(of('ours', 'rate'));
  const share = (what) => `${round(median(pairs.map((pair) => pair.ours[what] / pair.bare[what])))} x bare node:http`;
  row('judge with an instant model, 10 connections', rate, 'requests/s', '>= 12000', share('rate'));
  row('judge: p99', round(of('ours', 'p99')), 'ms', '<= 5', share('p99'));
  row('judge: processor time a request', round(of('ours', 'cpuUs')), 'µs', '', share('cpuUs'));
  row('bare node:http, the same requests', Math.round(of('bare', 'rate')), 'requests/s');
  for (const { child } of [bare, ours]) await stop(child, 'SIGKILL');
  rmSync(dirname(bareFile), { recursive: true });
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
  const bareLines = join(mkdtempSync(join(tmpdir(), 'agent-eval-lines-')), 'lines.cjs');
  writeFileSync(bareLines, BARE_LINES);
  const rate = (program) => {
    const startedMs = performance.now();
    const { stdout } = spawnSync(process.execPath, program, { env, input, maxBuffer: 1e9 });
    if (stdout.length < lines) throw new Error('answers are missing');
    return Math.round(lines / ((performance.now() - startedMs) / 1_000));
  };
  const pairs = Array.from({ length: 3 }, () => ({
    bare: rate([bareLines]),
    ours: rate([bin, 'rpc-batch', 'version']),
  }));
  rmSync(dirname(bareLines), { recursive: true });
  row(
    'rpc-batch version',
    median(pairs.map(({ ours }) => ours)),
    'lines/s',
    '>= 50000',
    `${round(median(pairs.map(({ bare, ours }) => ours / bare)))} x readline and JSON alone`,
  );
}

/** Under full ingest, killed at a random instant, again and again, on one store. */
async function killRows(row, home) {
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
