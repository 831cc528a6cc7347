// Bundled and run by calendar.test.ts in a process of its own, under a host zone that must not matter.
import { isoDateIn, localToUtc, sessionOf, sessionsBetween, utcToLocal } from '../../src/market/calendar.ts';

const lines = [];
for (const date of sessionsBetween('XNYS', { from: '2024-01-01', to: '2024-12-31' })) {
  const { open, close } = sessionOf('XNYS', date);
  lines.push(`${date} ${open} ${close} ${JSON.stringify(utcToLocal('America/New_York', open))}`);
  lines.push(`${isoDateIn('Europe/London', close)} ${JSON.stringify(utcToLocal('Australia/Lord_Howe', close))}`);
}
lines.push(JSON.stringify(localToUtc('Europe/London', { date: '2024-10-27', h: 1, m: 30, s: 0 })));
process.stdout.write(lines.join('\n'));
