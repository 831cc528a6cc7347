/** `kestrel demo`: briefing, the day with what the plan did in it, the blotter, and the command to run next. */
import { bundledDay } from '../market/synth/index.ts';
import { EXITS } from './exits.ts';
import { counted } from './figures.ts';
import { type Play, play, tell } from './run.ts';
import { STARTER_DAY, STARTER_PLAN } from './starter.ts';
import type { Streams } from './streams.ts';
import { paintFor } from './terminal.ts';

const FILL: Play['fill'] = 'strict-cross-v1';
const R_USD = 10_000;

export function demo(streams: Streams): number {
  const paint = paintFor(streams);
  const tape = bundledDay(STARTER_DAY);
  const texts = [{ source: '-', text: STARTER_PLAN }];
  const blotter = play({ tape, texts, fill: FILL, fees: 'none', rUsdE4: R_USD * 10_000, form: 'text' }, streams);
  const briefing = [
    paint.bold('Briefing'),
    '  A plan is judgment written in advance: when to act, with how much, and every way out. The engine carries it out at the',
    '  tick, inside its budget, and keeps a blotter that comes out the same, byte for byte, on every machine.',
    `  The day is synthetic, "${STARTER_DAY}" of the bundled ones: ${tape.date}, ${counted(tape.columns.length, 'event')}. 1R is $${R_USD}.`,
    '',
    paint.bold('Plan'),
    ...STARTER_PLAN.trimEnd()
      .split('\n')
      .map((line) => `  ${line.startsWith('#') ? paint.dim(line) : line}`),
    '',
    paint.bold('Day'),
  ];
  streams.write(`${briefing.join('\n')}\n`);
  tell({ tape, blotter, follow: 'day' }, paint, streams);
  const next = [
    '',
    paint.bold('Next, on your own data'),
    '  kestrel tape import YOUR-FILE.csv --out day.jsonl.gz     (kestrel tape import --help shows what it reads)',
    `  kestrel run --tape day.jsonl.gz --plans examples/fade-flush.kes --fill ${FILL} --r-usd ${R_USD}`,
  ];
  streams.write(`${next.join('\n')}\n`);
  return EXITS.ok;
}
