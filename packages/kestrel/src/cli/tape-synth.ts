/** `kestrel tape synth`: a seeded synthetic day. */
import { type Detail, type Regime, type SynthOrder, synthTape } from '../market/synth/index.ts';
import { amountE4, wholeNumber } from './amounts.ts';
import type { Arguments } from './arguments.ts';
import { EXITS } from './exits.ts';
import type { Streams } from './streams.ts';
import { leaveTape } from './tape-out.ts';

export async function tapeSynth({ values }: Arguments, streams: Streams): Promise<number> {
  const tape = synthTape(orderOf(values));
  const path = values.get('out')?.[0];
  const form = values.has('json') ? 'json' : 'text';
  await leaveTape(tape, path === undefined ? { form } : { form, path }, streams);
  return EXITS.ok;
}

function orderOf(values: Arguments['values']): SynthOrder {
  const one = (flag: string): string | undefined => values.get(flag)?.[0];
  const [symbol, profile, direction, detail, events, prior, chain, optionQuotes] = [
    one('symbol'),
    one('profile'),
    one('direction'),
    one('detail'),
    one('events'),
    one('prior-close'),
    one('chain'),
    one('option-quotes'),
  ];
  return {
    seed: one('seed')!,
    date: one('date')!,
    regime: one('regime')! as Regime,
    ...(symbol === undefined ? {} : { symbol }),
    ...(profile === undefined ? {} : { profile }),
    ...(direction === undefined ? {} : { direction: direction as 'up' | 'down' }),
    ...(detail === undefined ? {} : { detail: detail as Detail }),
    ...(events === undefined ? {} : { events: wholeNumber('events', events) }),
    ...(prior === undefined ? {} : { priorCloseE4: amountE4('prior-close', prior) }),
    ...(chain === undefined ? {} : { chain }),
    ...(optionQuotes === undefined ? {} : { optionQuotes: wholeNumber('option-quotes', optionQuotes) }),
  };
}
