/** The calendar against facts that do not come from its own code: published closures, another library's whole table. */
import fc from 'fast-check';
import { sha256 } from 'ground/digest';
import { describe, expect, test } from 'vitest';
import {
  CalendarRefusal,
  isHalfDay,
  nthSessionAfter,
  nthSessionBefore,
  sessionOf,
  sessionsBetween,
  weekdayOf,
  zoneOf,
} from '../../src/market/calendar.ts';

const ALL = { from: '1990-01-01', to: '2030-12-31' };

/** Session in UTC, `HH:MM-HH:MM`, or `closed`. */
function hoursOf(date: string): string {
  const session = sessionOf('XNYS', date);
  if (session === undefined) return 'closed';
  const clock = (t: number) => {
    const minutes = (t / 60_000_000) % 1440;
    return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
  };
  return `${clock(session.open)}-${clock(session.close)}`;
}

describe('XNYS', () => {
  test.each([
    // Ad-hoc closures.
    ['1994-04-27', 'closed'],
    ['2001-09-10', '13:30-20:00'],
    ['2001-09-11', 'closed'],
    ['2001-09-12', 'closed'],
    ['2001-09-13', 'closed'],
    ['2001-09-14', 'closed'],
    ['2001-09-17', '13:30-20:00'],
    ['2004-06-11', 'closed'],
    ['2007-01-02', 'closed'],
    ['2012-10-29', 'closed'],
    ['2012-10-30', 'closed'],
    ['2012-10-31', '13:30-20:00'],
    ['2018-12-05', 'closed'],
    ['2025-01-09', 'closed'],
    // Half days, at two o'clock before 1993.
    ['1990-11-23', '14:30-21:00'],
    ['1991-12-24', '14:30-19:00'],
    ['1992-11-27', '14:30-19:00'],
    ['1993-11-26', '14:30-18:00'],
    ['1996-07-05', '13:30-17:00'],
    ['1997-12-26', '14:30-18:00'],
    ['2013-07-03', '13:30-17:00'],
    ['2020-07-02', '13:30-20:00'],
    ['2024-11-29', '14:30-18:00'],
    ['2024-12-24', '14:30-18:00'],
    // Rules that began, and holidays on weekends.
    ['1997-01-20', '14:30-21:00'],
    ['1998-01-19', 'closed'],
    ['2021-06-18', '13:30-20:00'],
    ['2022-06-20', 'closed'],
    ['2021-12-31', '14:30-21:00'],
    ['2022-01-03', '14:30-21:00'],
    // Both sides of a change of the clocks.
    ['2006-03-31', '14:30-21:00'],
    ['2006-04-03', '13:30-20:00'],
    ['2024-03-08', '14:30-21:00'],
    ['2024-03-11', '13:30-20:00'],
    ['2024-11-01', '13:30-20:00'],
    ['2024-11-04', '14:30-21:00'],
    ['2024-11-02', 'closed'],
  ])('%s is %s UTC', (date, expected) => {
    expect(hoursOf(date)).toBe(expected);
  });

  test('the whole table is that of exchange_calendars 4.13.2, computed there', () => {
    const dates = sessionsBetween('XNYS', ALL);
    expect(dates.length).toBe(10_322);
    const lines = dates.map((date) => `${date} ${sessionOf('XNYS', date)!.open} ${sessionOf('XNYS', date)!.close}\n`);
    expect(sha256(lines.join(''))).toBe('557dd2633e446346c0c11072bcb216cfbdb312bcf7825c6a674057f1c7693fa4');
  });

  test('sessions a year', () => {
    const count = (year: number) => sessionsBetween('XNYS', { from: `${year}-01-01`, to: `${year}-12-31` }).length;
    expect([1990, 1996, 2001, 2012, 2018, 2020, 2024, 2025, 2030].map(count)).toEqual([
      253, 254, 248, 250, 251, 253, 252, 250, 251,
    ]);
  });

  test('half days are told from whole ones and from closed ones', () => {
    expect(sessionsBetween('XNYS', ALL).filter((date) => isHalfDay('XNYS', date))).toHaveLength(88);
    expect(['2024-12-24', '2024-12-23', '2024-12-25'].map((date) => isHalfDay('XNYS', date))).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('the n-th session after a date', () => {
    expect(nthSessionAfter('XNYS', '2013-10-07', 0)).toBe('2013-10-07');
    expect(nthSessionAfter('XNYS', '2013-10-11', 1)).toBe('2013-10-14');
    expect(nthSessionAfter('XNYS', '2001-09-10', 1)).toBe('2001-09-17');
    expect(nthSessionAfter('XNYS', '2024-12-24', 1)).toBe('2024-12-26');
    expect(nthSessionAfter('XNYS', '2024-12-28', 1)).toBe('2024-12-30');
    expect(nthSessionBefore('XNYS', '2001-09-17', 1)).toBe('2001-09-10');
    expect(nthSessionBefore('XNYS', '2025-01-10', 1)).toBe('2025-01-08');
  });

  test('property: the n-th session before the n-th session after a session is that session', () => {
    const dates = sessionsBetween('XNYS', { from: '1991-01-01', to: '2029-12-31' });
    fc.assert(
      fc.property(fc.constantFrom(...dates), fc.nat({ max: 200 }), (date, n) => {
        const later = nthSessionAfter('XNYS', date, n);
        expect(sessionsBetween('XNYS', { from: date, to: later }).length).toBe(n + 1);
        expect(nthSessionBefore('XNYS', later, n)).toBe(date);
      }),
      { numRuns: 200 },
    );
  });

  test('weekdays are ISO numbers', () => {
    expect(['2024-02-29', '2013-10-07', '2000-01-01', '2026-11-29'].map(weekdayOf)).toEqual([4, 1, 6, 7]);
  });
});

test('ALWAYS is a session a UTC day, weekends included', () => {
  expect(zoneOf('ALWAYS')).toBe('UTC');
  expect(sessionOf('ALWAYS', '2024-08-10')).toEqual({ open: 1_723_248_000_000_000, close: 1_723_334_400_000_000 });
  expect(sessionsBetween('ALWAYS', { from: '2024-02-28', to: '2024-03-01' })).toHaveLength(3);
  expect(nthSessionAfter('ALWAYS', '2024-12-31', 1)).toBe('2025-01-01');
});

describe('what is no calendar, date or session is refused with a code', () => {
  const cases: [string, () => unknown, string][] = [
    ['a calendar nobody knows', () => sessionOf('XLON', '2024-01-02'), 'unknown-calendar'],
    ['a name of every object', () => zoneOf('__proto__'), 'unknown-calendar'],
    ['a day before the table', () => sessionOf('XNYS', '1989-12-29'), 'date-out-of-range'],
    ['a day after the table', () => sessionOf('XNYS', '2031-01-02'), 'date-out-of-range'],
    ['a session past the table', () => nthSessionAfter('XNYS', '2030-12-30', 2), 'date-out-of-range'],
    ['a count that no table holds', () => nthSessionAfter('XNYS', '2024-01-02', 1e9), 'date-out-of-range'],
    ['half a session', () => nthSessionAfter('XNYS', '2024-01-02', 0.5), 'date-out-of-range'],
    ['February 30th', () => sessionOf('XNYS', '2024-02-30'), 'bad-date'],
    ['a leap day of a common year', () => sessionOf('XNYS', '2023-02-29'), 'bad-date'],
    ['month 13', () => sessionOf('XNYS', '2024-13-01'), 'bad-date'],
    ['month 0', () => sessionOf('XNYS', '2024-00-10'), 'bad-date'],
    ['day 0', () => sessionOf('XNYS', '2024-01-00'), 'bad-date'],
    ['slashes', () => sessionOf('XNYS', '2024/01/02'), 'bad-date'],
    ['a line end', () => sessionOf('XNYS', '2024-01-02\n'), 'bad-date'],
    ['other digits', () => sessionOf('XNYS', '２０24-01-02'), 'bad-date'],
    ['no string', () => sessionOf('XNYS', 20240102 as unknown as string), 'bad-date'],
  ];
  test.each(cases)('%s', (_, act, code) => {
    let refusal: unknown;
    try {
      act();
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(CalendarRefusal);
    expect((refusal as CalendarRefusal).code).toBe(code);
    expect((refusal as CalendarRefusal).message).toMatch(/is wanted, got .*: ./s);
  });

  test('property: no text makes anything but a session, nothing, or a refusal', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/)), (text) => {
        try {
          const session = sessionOf('XNYS', text);
          if (session !== undefined) expect(session.close).toBeGreaterThan(session.open);
        } catch (error) {
          expect(error).toBeInstanceOf(CalendarRefusal);
        }
      }),
    );
  });
});
