/** Start-up of the programs, process start to end, against an empty script. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interleaved } from './clock.mjs';

const packages = join(dirname(fileURLToPath(import.meta.url)), '../packages');

const PLAN = `PLAN fade budget 0.4R ttl 15:30
  WHEN spot crosses below 150
  DO buy 10 shares @ lean(bid, fair, 0.5)
  TP 2x @ fair
  INVALIDATE spot > 152 held 120s
`;

/** @returns rows of the benchmark table */
export async function bench() {
  const folder = mkdtempSync(join(tmpdir(), 'kestrel-startup-'));
  try {
    const empty = join(folder, 'empty.cjs');
    const plan = join(folder, 'plan.kes');
    writeFileSync(empty, '');
    writeFileSync(plan, PLAN);
    const kestrel = join(packages, 'kestrel/dist/bin/kestrel.js');
    const agentEval = join(packages, 'agent-eval/dist/bin/agent-eval.js');
    const cases = [
      { name: 'kestrel parse, small file', args: [kestrel, 'parse', plan, '--json'], overMs: 20 },
      { name: 'kestrel validate, small file', args: [kestrel, 'validate', plan], overMs: 20 },
      { name: 'kestrel --help', args: [kestrel, '--help'] },
      ...(existsSync(agentEval)
        ? [{ name: 'agent-eval rpc version', args: [agentEval, 'rpc', 'version'], input: '{}\n', overMs: 15 }]
        : []),
    ];
    const jobs = { empty: () => start([empty]) };
    for (const { name, args, input } of cases) jobs[name] = () => start(args, input);
    const times = await interleaved(jobs, { rounds: 41, warmups: 3 });
    const base = { measure: 'empty script', value: times.empty, unit: 'ms' };
    const rows = cases.map(({ name, overMs }) => ({
      measure: name,
      value: times[name],
      unit: 'ms',
      ...(overMs === undefined ? {} : { target: `<= ${(times.empty + overMs).toFixed(1)} (empty + ${overMs})` }),
      ratio: `empty + ${(times[name] - times.empty).toFixed(1)}`,
    }));
    return [base, ...rows];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function start(args, input = '') {
  // Certificates that only this machine asks for would add 30 ms to every start.
  const { NODE_EXTRA_CA_CERTS, ...env } = process.env;
  const { status, stderr } = spawnSync(process.execPath, args, { input, env, stdio: ['pipe', 'ignore', 'pipe'] });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
}
