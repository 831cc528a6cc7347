/**
 * Benchmarks of options: a synthetic day of two million events of the share and two million quotes of its chain under a
 * hundred armed plans on contracts and verticals, and a real chain day from zips to columns and through a run. Beside the
 * first stands a bare loop that reads the same columns and does nothing else, timed in the same rounds.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blotterOf, Engine } from '../packages/kestrel/dist/engine.js';
import { parse } from '../packages/kestrel/dist/lang.js';
import { importTape, synthTape } from '../packages/kestrel/dist/market.js';
import { median } from './clock.mjs';

const R_E4 = 100_000_000;
const SHARE_EVENTS = 2_000_000;
const OPTION_QUOTES = 2_000_000;
const PLANS = 100;
const ROUNDS = 7;
const RATE_LEAST = 5;
const IMPORT_MS_MOST = 2_000;
const RUN_MS_MOST = 50;

/** Reads what each row holds and writes a slot: no engine can do less. */
function bareLoop({ t, kind, inst, a, b, c, d }) {
  const slots = new Float64Array(65_536);
  let sum = 0;
  for (let i = 0; i < t.length; i++) {
    if (kind[i] === 1) sum += a[i] * b[i];
    else if (a[i] > 0 && c[i] > a[i] && b[i] > 0 && d[i] > 0) slots[inst[i]] = i;
  }
  return sum + slots[1];
}

/** Plans armed at levels all over the day's range: a third each on a contract, a credit and a debit vertical. */
function plansOf(tape) {
  const { kind, a, inst } = tape.columns;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < kind.length; i++) {
    if (kind[i] !== 1 || inst[i] !== 0) continue;
    low = Math.min(low, a[i]);
    high = Math.max(high, a[i]);
  }
  const level = (share) => ((low + (high - low) * share) / 1e4).toFixed(2);
  const texts = [];
  for (let i = 0; i < PLANS; i++) {
    const at = level(((i * 37) % 100) / 100);
    const out = level((((i * 37) % 100) / 100 + 0.35) % 1);
    const ticket = [
      'buy 2 -1 P @ lean(bid, fair, 0.5) cap ask',
      'sell 1 -2/-4 P @ bid',
      'buy 1 ATM/+2 C @ min(fair, mid) peg cap fair',
    ][i % 3];
    const multiple = i % 3 === 1 ? '0.5x' : '1.5x';
    texts.push(
      `PLAN p${i} budget 1R ttl 15:45\n  WHEN spot crosses ${i % 2 === 0 ? 'above' : 'below'} ${at}\n  DO ${ticket}\n` +
        `  TP ${multiple} frac 0.5 @ fair\n  EXIT spot crosses ${i % 2 === 0 ? 'below' : 'above'} ${out} @ ${i % 3 === 1 ? 'ask' : 'bid'}\n`,
    );
  }
  return texts.map((text) => {
    const parsed = parse(text);
    const error = parsed.diagnostics.find((d) => d.severity === 'error');
    if (error !== undefined) throw new Error(`the benchmark's plans do not parse: ${error.message}`);
    return parsed.document;
  });
}

function timed(job) {
  const begun = performance.now();
  const result = job();
  return { ms: performance.now() - begun, result };
}

function chainDay() {
  const tape = synthTape({
    seed: 'bench-options',
    date: '2024-03-11',
    regime: 'choppy',
    symbol: 'SYN',
    events: SHARE_EVENTS,
    chain: '0dte,7dte',
    optionQuotes: OPTION_QUOTES,
  });
  const documents = plansOf(tape);
  const events = tape.columns.length;
  const runs = [];
  const ratios = [];
  let fired = 0;
  let fills = 0;
  for (let round = -1; round < ROUNDS; round++) {
    const before = timed(() => bareLoop(tape.columns)).ms;
    const engine = new Engine({ tape, fill: 'maker-v1', fees: 'us-options-v1', rE4: R_E4 });
    engine.author(documents);
    const { ms } = timed(() => engine.finish());
    const after = timed(() => bareLoop(tape.columns)).ms;
    fired = engine.plans.filter((p) => p.firedAt !== null).length;
    fills = engine.plans.reduce((n, p) => n + p.fills.length, 0);
    if (round < 0) continue;
    runs.push(ms);
    ratios.push((2 * ms) / (before + after));
  }
  if (fired < PLANS / 5 || fills < PLANS / 5) throw new Error(`only ${fired} plans fired and ${fills} orders filled`);
  return [
    {
      measure: `${(events / 1e6).toFixed(1)}M rows of share and chain, ${PLANS} option plans (${fired} fire, ${fills} fills)`,
      value: Number((events / median(runs) / 1e3).toFixed(2)),
      unit: 'M events/s',
      target: RATE_LEAST,
      ratio: `${median(ratios).toFixed(1)} x a bare loop`,
    },
  ];
}

async function realDay() {
  const data = process.env.KESTREL_DATA ?? join(import.meta.dirname, '..', '..', 'shared', 'data');
  const folder = join(data, 'lean', 'option', 'usa', 'minute', 'goog');
  const share = join(data, 'lean', 'equity', 'usa', 'minute', 'goog', '20151223_trade.zip');
  if (!existsSync(folder) || !existsSync(share)) {
    console.error(`skipped: no GOOG chain day under ${data}`);
    return [];
  }
  const files = [...readdirSync(folder).map((name) => join(folder, name)), share].map((name) => ({
    name,
    bytes: readFileSync(name),
  }));
  const text =
    'PLAN a budget 5R ttl 15:30\n  WHEN time >= 10:25\n  DO buy 1 ATM P @ lean(bid, fair, 0.5) peg\n  TP 1.5x @ fair\n' +
    'PLAN b budget 5R ttl 15:30\n  WHEN time >= 10:25\n  DO sell 1 -1/-2 P @ bid\n  TP 0.5x @ fair\n';
  const { document } = parse(text);
  const imports = [];
  const runs = [];
  let events = 0;
  for (let round = -1; round < ROUNDS; round++) {
    const begun = performance.now();
    const { tape } = await importTape(files);
    const importMs = performance.now() - begun;
    events = tape.columns.length;
    const ran = timed(() => {
      const engine = new Engine({ tape, fill: 'maker-v1', fees: 'us-options-v1', rE4: R_E4 });
      engine.author([document]);
      engine.finish();
      return blotterOf(engine, { document: null, thinkMs: null, subject: null });
    });
    if (round < 0) {
      if (ran.result.totals.fills === 0) throw new Error('nothing filled on the real day');
      continue;
    }
    imports.push(importMs);
    runs.push(ran.ms);
  }
  const row = (measure, ms, most) => ({ measure, value: Number(ms.toFixed(1)), unit: 'ms', target: most });
  return [
    row(`GOOG 2015-12-23, ${events} rows: zips to columns and identity`, median(imports), IMPORT_MS_MOST),
    row('the same day through a run of two plans, blotter and hash', median(runs), RUN_MS_MOST),
  ];
}

export async function bench() {
  return [...chainDay(), ...(await realDay())];
}
