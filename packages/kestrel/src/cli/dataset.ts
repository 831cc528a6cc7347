/** `kestrel dataset add`: a tape under a name that a subject may give. */
import { jcs } from 'ground/jcs';
import { decimalE4, feeSchedule } from '../engine/index.ts';
import { writeTape } from '../market/index.ts';
import { DATASET_DEFAULTS, THINK_MS_MAX } from '../protocol/index.ts';
import { DATASET_NAME, type DatasetEntry } from '../store/index.ts';
import type { Arguments } from './arguments.ts';
import { EXITS } from './exits.ts';
import { Failure } from './failure.ts';
import { openStore } from './home.ts';
import type { Streams } from './streams.ts';
import { openTape } from './tape-source.ts';

export function datasetAdd({ operands, values }: Arguments, streams: Streams): number {
  const [name = '', source = ''] = operands;
  const one = (flag: string): string | undefined => values.get(flag)?.[0];
  if (!DATASET_NAME.test(name)) {
    throw new Failure({
      code: 'usage',
      message: 'that is no name of a dataset',
      expected: String(DATASET_NAME),
      got: name,
    });
  }
  const checkpoints = values.get('checkpoint') ?? [];
  for (const clock of checkpoints) {
    if (!/^([01][0-9]|2[0-3]):[0-5][0-9]$/.test(clock)) {
      throw new Failure({ code: 'usage', message: '--checkpoint is no clock', expected: 'HH:MM', got: clock });
    }
  }
  const think = one('think-ms') ?? '0';
  if (!/^[0-9]{1,7}$/.test(think) || Number(think) > THINK_MS_MAX) {
    throw new Failure({
      code: 'usage',
      message: '--think-ms is no wait',
      expected: `0 to ${THINK_MS_MAX}`,
      got: think,
    });
  }
  const tape = openTape(source, streams);
  const rUsd = one('r-usd');
  const entry: DatasetEntry = {
    name,
    tape: tape.identity,
    fill: one('fill') ?? DATASET_DEFAULTS.fill,
    fees: one('fees') ?? DATASET_DEFAULTS.fees,
    rUsdE4: rUsd === undefined ? DATASET_DEFAULTS.rUsdE4 : decimalE4(rUsd, 'r-usd'),
    thinkMs: Number(think),
    checkpoints: [...checkpoints].sort(),
  };
  // Refused here rather than at every session of it.
  feeSchedule(entry.fees, tape.date);
  openStore(streams.env).addDataset(entry, writeTape(tape));
  streams.write(
    values.has('json') ? `${jcs(entry)}\n` : `${name}: tape ${tape.identity}, ${tape.columns.length} events\n`,
  );
  return EXITS.ok;
}
