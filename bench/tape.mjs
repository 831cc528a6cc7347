// Benchmarks of the tape: JSON Lines to columns, the cache, what columns take, importers.

import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importLean, loadTape, memoryOf, parseTape, synthTape, writeTape } from '../packages/kestrel/dist/market.js';
import { interleaved } from './clock.mjs';

const EVENTS = 500_000;
const OPEN = 1_381_152_600_000_000;
const here = dirname(fileURLToPath(import.meta.url));
const data = process.env.KESTREL_DATA ?? join(here, '../../shared/data');

/** A day of quotes and trades, one in four a trade, as people write it: `{"t":…,"k":"quote",…}`. */
function dayText() {
  const header = {
    v: 'kestrel.tape/v1',
    id: 'bench',
    calendar: 'XNYS',
    date: '2013-10-07',
    instruments: [{ symbol: 'SPY', kind: 'equity', tick: 0.01 }],
  };
  const lines = [JSON.stringify(header)];
  let t = OPEN;
  let state = 7;
  for (let i = 0; i < EVENTS; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    t += state % 40_000;
    const cents = 16_800 + (state % 300);
    const bid = cents / 100;
    lines.push(
      i % 4 === 0
        ? `{"t":${t},"k":"trade","s":"SPY","p":${bid},"z":${100 + (state % 900)}}`
        : `{"t":${t},"k":"quote","s":"SPY","b":${bid},"bz":${state % 90},"a":${(cents + 1) / 100},"az":${state % 70}}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

export async function bench() {
  const folder = mkdtempSync(join(tmpdir(), 'bench-tape-'));
  try {
    return await measured(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measured(folder) {
  const asWritten = Buffer.from(dayText());
  const { tape } = parseTape(asWritten);
  const canonical = writeTape(tape);
  const spaced = Buffer.from(asWritten.toString().replaceAll(',"', ', "'));
  const unknown = Buffer.from(asWritten.toString().replaceAll(',"s":', ',"venue":"N","s":'));
  const path = join(folder, 'day.jsonl');
  writeFileSync(path, canonical);
  const options = { home: join(folder, 'home') };
  loadTape(path, options);
  // A file that was written this moment is hashed each time; a still one is known by its stamp.
  await new Promise((resolve) => setTimeout(resolve, 2_200));
  loadTape(path, options);

  const few = unknown.subarray(0, unknown.indexOf(0x0a, 5_000_000) + 1);
  const ms = await interleaved(
    {
      asWritten: () => parseTape(asWritten),
      canonical: () => parseTape(canonical),
      spaced: () => parseTape(spaced),
      unknown: () => parseTape(few),
      json: () =>
        asWritten
          .toString()
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
      write: () => writeTape(tape),
      sha: () => createHash('sha256').update(canonical).digest(),
      cached: () => loadTape(path, options),
    },
    { rounds: 9, warmups: 2 },
  );
  if (loadTape(path, options).from !== 'cache') throw new Error('the benchmark did not read its cache');
  const perSecond = (took, events = EVENTS) => Math.round((events / took) * 1_000);
  const fewEvents = few.toString().split('\n').length - 2;
  const bytes = memoryOf(tape.columns);
  return [
    row("JSON Lines to columns, identity included, names in the spec's order", perSecond(ms.asWritten), 'events/s', {
      target: 500_000,
      ratio: `${(ms.json / ms.asWritten).toFixed(1)} times as fast as JSON.parse of each line`,
    }),
    row('the same, canonical lines', perSecond(ms.canonical), 'events/s', {
      target: 500_000,
      ratio: `${(ms.canonical / ms.sha).toFixed(1)} times as long as SHA-256 of the bytes`,
    }),
    row('the same, blanks after commas', perSecond(ms.spaced), 'events/s', { target: 500_000 }),
    row('the same, a field nobody knows in each event', perSecond(ms.unknown, fewEvents), 'events/s'),
    row('columns to JSON Lines', perSecond(ms.write), 'events/s'),
    row('cached columns, checksum included', perSecond(ms.cached), 'events/s', { target: 10_000_000 }),
    row('columns of a million events', Number((bytes / EVENTS).toFixed(2)), 'MB', { target: 28 }),
    ...(await imports()),
    ...synthetic(),
  ];
}

/** Real archives, where they are at hand. */
async function imports() {
  const of = (name, paths) => ({ name, files: paths.map((path) => ({ name: path, path: join(data, 'lean', path) })) });
  const days = [
    of(
      'LEAN ticks, IBM 2013-10-07',
      ['quote', 'trade'].map((rows) => `equity/usa/tick/ibm/20131007_${rows}.zip`),
    ),
    of('LEAN chain, GOOG 2015-12-23', [
      'equity/usa/minute/goog/20151223_trade.zip',
      ...['quote', 'trade', 'openinterest'].map((rows) => `option/usa/minute/goog/20151223_${rows}_american.zip`),
    ]),
  ].filter(({ files }) => files.every(({ path }) => existsSync(path)));
  if (days.length === 0) return [];
  const read = days.map(({ files }) => files.map(({ name, path }) => ({ name, bytes: readFileSync(path) })));
  const jobs = Object.fromEntries(days.map(({ name }, i) => [name, () => importLean(read[i])]));
  const ms = await interleaved(jobs, { rounds: 5, warmups: 1 });
  return days.map(({ name }, i) => {
    const events = importLean(read[i]).tape.columns.length;
    return row(`${name}: zips to columns and identity`, Math.round(ms[name]), 'ms', {
      ...(name.includes('chain') ? { target: 2_000 } : {}),
      ratio: `${Math.round((events / ms[name]) * 1_000)} events/s`,
    });
  });
}

/** A synthetic day with options, by processor time: rows of the share and of the chain in columns, identity included. */
function synthetic() {
  const order = { seed: 'bench-tape', date: '2024-03-11', regime: 'choppy', events: 500_000 };
  const cpuMs = (wanted) => {
    const begun = process.cpuUsage();
    const events = synthTape(wanted).columns.length;
    const { user, system } = process.cpuUsage(begun);
    return { events, ms: (user + system) / 1_000 };
  };
  const chain = { ...order, chain: '0dte,7dte', optionQuotes: 500_000 };
  cpuMs({ ...chain, events: 50_000, optionQuotes: 50_000 });
  const share = cpuMs(order);
  const both = cpuMs(chain);
  const perSecond = ({ events, ms }) => Math.round((events / ms) * 1_000);
  return [
    row('a synthetic day of a share, processor time', perSecond(share), 'events/s'),
    row('the same with a chain of two expiries, as many option quotes', perSecond(both), 'events/s'),
  ];
}

function row(measure, value, unit, more = {}) {
  return { measure, value, unit, ...more };
}
