// Bundled and run by golden.test.ts in a process of its own, under a host zone and locale that must not matter.
import { bundledDay } from '../../src/market/synth/index.ts';
import { bytesOf, MODELS, playDay } from './golden-run.ts';

const host = new Intl.DateTimeFormat().resolvedOptions();
const tape = bundledDay('trend');
const blotters = JSON.parse(process.env.GOLDEN_PLANS).flatMap((plan) =>
  MODELS.map((fill) => bytesOf(playDay(tape, plan, fill))),
);
process.stdout.write(JSON.stringify({ timeZone: host.timeZone, locale: host.locale, blotters }));
