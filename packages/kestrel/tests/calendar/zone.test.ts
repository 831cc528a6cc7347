/** Clocks of zones against Python's zoneinfo, against the runtime's own tables, and under a host zone of no account. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CalendarRefusal, isoDateIn, isZone, localToUtc, utcToLocal } from '../../src/market/calendar.ts';

const HERE = new URL('.', import.meta.url);
const { zones } = JSON.parse(readFileSync(new URL('zone-offsets.json', HERE), 'utf8')) as {
  zones: Record<string, number[]>;
};

/** Local time as text, and the offset it implies, from the host's own arithmetic on a shifted UTC date. */
function expectedLocal(t: number, offsetSeconds: number): string {
  const us = t % 1_000_000;
  const shifted = new Date((t - us) / 1_000 + offsetSeconds * 1_000).toISOString();
  return `${shifted.slice(0, 10)} ${shifted.slice(11, 19)}.${String(us).padStart(6, '0')}`;
}

function localText(zone: string, t: number): string {
  const { date, h, m, s, us } = utcToLocal(zone, t);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date} ${two(h)}:${two(m)}:${two(s)}.${String(us).padStart(6, '0')}`;
}

function offsetSecondsAt(history: readonly number[], second: number): number {
  let offset = history[1]!;
  for (let i = 0; i < history.length && history[i]! <= second; i += 2) offset = history[i + 1]!;
  return offset;
}

describe.each(Object.entries(zones))('%s', (zone, history) => {
  test('each change of the clocks falls where zoneinfo has it', () => {
    for (let i = 2; i < history.length; i += 2) {
      const t = history[i]! * 1_000_000;
      expect(localText(zone, t - 1)).toBe(expectedLocal(t - 1, history[i - 1]!));
      expect(localText(zone, t)).toBe(expectedLocal(t, history[i + 1]!));
    }
  });

  test('property: a local time finds its way back, and a doubled one names both instants', () => {
    const changes = history.filter((_, i) => i % 2 === 0 && i > 0).map((second) => second * 1_000_000);
    const near = changes.length === 0 ? fc.constant(7e14) : fc.constantFrom(...changes);
    const instant = fc.oneof(
      fc.integer({ min: 631_238_400, max: 1_924_819_200 }).map((second) => second * 1_000_000 + 17),
      fc.tuple(near, fc.integer({ min: -7_200, max: 7_200 })).map(([t, shift]) => t + shift * 1_000_000),
    );
    fc.assert(
      fc.property(instant, (t) => {
        const local = utcToLocal(zone, t);
        expect(localText(zone, t)).toBe(expectedLocal(t, offsetSecondsAt(history, Math.floor(t / 1e6))));
        const back = localToUtc(zone, local);
        if (back.kind === 'gap') throw new Error(`${localText(zone, t)} was seen on a clock`);
        const instants = back.kind === 'exact' ? [back.t] : [back.first, back.second];
        expect(instants).toContain(t);
        for (const instant of instants) expect(utcToLocal(zone, instant)).toEqual(local);
      }),
      { numRuns: 300 },
    );
  });
});

describe('gaps and overlaps', () => {
  const at = (zone: string, date: string, h: number, m: number) => localToUtc(zone, { date, h, m, s: 0 });

  test('New York skips an hour in March and doubles one in November', () => {
    const jump = Date.UTC(2024, 2, 10, 7) * 1_000;
    expect(at('America/New_York', '2024-03-10', 1, 59)).toEqual({ kind: 'exact', t: jump - 60_000_000 });
    expect(at('America/New_York', '2024-03-10', 2, 0)).toEqual({ kind: 'gap', t: jump });
    expect(at('America/New_York', '2024-03-10', 2, 59)).toEqual({ kind: 'gap', t: jump });
    expect(at('America/New_York', '2024-03-10', 3, 0)).toEqual({ kind: 'exact', t: jump });
    const first = Date.UTC(2024, 10, 3, 5, 30) * 1_000;
    expect(at('America/New_York', '2024-11-03', 1, 30)).toEqual({ kind: 'overlap', first, second: first + 3.6e9 });
    expect(at('America/New_York', '2024-11-03', 2, 0)).toEqual({ kind: 'exact', t: first + 1.5 * 3.6e9 });
  });

  test('Lord Howe moves by half an hour, Samoa left out a day', () => {
    expect(at('Australia/Lord_Howe', '2024-10-06', 2, 15).kind).toBe('gap');
    expect(at('Australia/Lord_Howe', '2024-10-06', 2, 30).kind).toBe('exact');
    const skipped = at('Pacific/Apia', '2011-12-30', 12, 0);
    expect(skipped).toEqual({ kind: 'gap', t: Date.UTC(2011, 11, 30, 10) * 1_000 });
  });

  test('the ends of the table', () => {
    expect(at('Pacific/Apia', '1990-01-01', 0, 0).kind).toBe('exact');
    expect(localToUtc('America/New_York', { date: '2030-12-31', h: 23, m: 59, s: 59, us: 999_999 }).kind).toBe('exact');
  });
});

test("the rules written for America's zones are those of the runtime", () => {
  // Intl takes the name in any case; the written rules only in its own, so this asks the runtime.
  for (const name of ['America/New_York', 'America/Chicago']) {
    for (let day = 7_305; day < 22_280; day++) {
      for (const hour of [0, 5, 6, 7, 8, 9, 18]) {
        const t = (day * 24 + hour) * 3_600_000_000;
        const [ours, theirs] = [localText(name, t), localText(name.toLowerCase(), t)];
        if (ours !== theirs) expect(`${name} ${ours}`).toBe(theirs);
      }
    }
  }
});

test('what is no zone, clock or instant is refused with a code', () => {
  const code = (act: () => unknown) => {
    try {
      return act();
    } catch (error) {
      return error instanceof CalendarRefusal ? error.code : error;
    }
  };
  for (const zone of ['', 'Nowhere/Town', '+05:00', '__proto__', 'constructor', 'A'.repeat(10_000), '../etc', 'é']) {
    expect(code(() => utcToLocal(zone, 1.7e15))).toBe('unknown-zone');
    expect(isZone(zone)).toBe(false);
  }
  expect(isZone('Europe/Zurich')).toBe(true);
  for (const t of [Number.NaN, Number.POSITIVE_INFINITY, -1, 1.5, 1e18]) {
    expect(code(() => utcToLocal('UTC', t))).toBe('date-out-of-range');
    expect(code(() => isoDateIn('Asia/Kathmandu', t))).toBe('date-out-of-range');
  }
  const clock = { date: '2024-01-02', h: 9, m: 30, s: 0 };
  for (const wrong of [{ h: 24 }, { h: -1 }, { m: 60 }, { s: 60 }, { s: 1.5 }, { us: 1_000_000 }, { us: Number.NaN }]) {
    expect(code(() => localToUtc('America/New_York', { ...clock, ...wrong }))).toBe('bad-clock');
  }
  for (const date of ['2024-02-30', '', undefined]) {
    expect(code(() => localToUtc('Asia/Tokyo', { ...clock, date: date as string }))).toBe('bad-date');
  }
  expect(isoDateIn('Asia/Tokyo', Date.UTC(2030, 11, 31, 20) * 1_000)).toBe('2031-01-01');
  expect(code(() => localToUtc('Asia/Tokyo', { ...clock, date: '2031-01-01' }))).toBe('date-out-of-range');
});

test('more zones than are kept give the same answers', () => {
  const names = Intl.supportedValuesOf('timeZone').slice(0, 150);
  const read = () => names.map((name) => localText(name, 1_720_000_000_000_000));
  expect(read()).toEqual(read());
  expect(localText('America/New_York', 1_720_000_000_000_000)).toBe('2024-07-03 05:46:40.000000');
});

test("the host's zone and locale do not matter", async () => {
  const bundle = await build({
    entryPoints: [new URL('host-zone.child.mjs', HERE).pathname],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
  });
  const run = (env: Record<string, string>) =>
    execFileSync(process.execPath, ['--input-type=module', '-'], {
      input: bundle.outputFiles[0]!.text,
      env: { PATH: process.env.PATH ?? '', ...env },
      encoding: 'utf8',
    });
  const plain = run({ TZ: 'UTC', LANG: 'C' });
  expect(plain).toContain('2024-12-24 1735050600000000 1735063200000000');
  expect(run({ TZ: 'Pacific/Kiritimati', LANG: 'ar_EG.UTF-8', LC_ALL: 'ar_EG.UTF-8' })).toBe(plain);
  expect(run({ TZ: 'America/St_Johns', LANG: 'th_TH.UTF-8', LC_ALL: 'th_TH.UTF-8' })).toBe(plain);
});
