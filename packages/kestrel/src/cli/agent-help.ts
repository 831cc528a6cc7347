/** `kestrel agent --help`: every op with its shapes, from the same list as `describe`. */
import { DESCRIBED, REFUSALS } from '../protocol/light.ts';

interface Row {
  readonly op: string;
  readonly session: boolean;
  readonly args: string;
  readonly emits: string;
}

export function agentPage(): string {
  const { protocol, ops } = JSON.parse(DESCRIBED) as { protocol: string; ops: readonly Row[] };
  const names = new Map<string, string>();
  const lines = ops.map(({ op, session, args, emits }) => {
    const [value = '', ...named] = emits.split('\n');
    for (const line of named) names.set(line.slice(0, line.indexOf(' =')), line);
    return `${op}${session ? '   (needs openSession in the same stream)' : ''}\n  args   ${args}\n  value  ${value}\n`;
  });
  return `Example:
  printf '{"op":"describe"}\\n' | kestrel agent

Usage:
  kestrel agent [--api URL|default]

${protocol}: one JSON request a line on standard input, { "op": NAME, ...args }; one response a line on standard output,
{ "v": "${protocol}", "kind": OP, "value": VALUE }. The first refusal is one line on standard error and ends the stream.
Without --api (or KESTREL_API) everything runs in this process; sessions live under KESTREL_HOME.

Ops:

${lines.join('\n')}
Names:

${[...names.values()].join('\n')}

Refusals: ${Object.keys(REFUSALS).join(', ')}.
Exit status: 0 all answered, 2 a refusal, 4 not available, 1 a fault of ours.
`;
}
