/**
 * A scripted agent: it looks at the first half hour, writes one plan, and lets it stand.
 *
 *   node --experimental-strip-types examples/agents/scripted.ts     (Node 22; or bundle it first)
 */
// In a project of your own: 'kestrel.markets/client', 'kestrel.markets/lang', 'kestrel.markets/session'.
import { type Delivery, inProcess, type KestrelClient } from '../../packages/kestrel/src/client/index.ts';

export interface Outcome {
  readonly slots: number;
  readonly tipHash: string;
  readonly netR: string;
}

/** Plays a subject from its open to its end. */
export async function play(client: KestrelClient, subject: string): Promise<Outcome> {
  const opened = await client.openSession({ kind: 'catalog', id: subject });
  if (opened.gated) throw new Error(`the server asks for payment: ${opened.payment.how}`);
  let delivery: Delivery | undefined = await client.start();
  let slots = 0;
  let authored = false;
  while (delivery !== undefined) {
    slots++;
    const document: string | undefined = authored ? undefined : planFor(delivery);
    authored ||= document !== undefined;
    const answer = await client.advance(document === undefined ? { kind: 'pass' } : { kind: 'authored', document });
    if (answer.turn.verdict === 'refused') throw new Error(answer.turn.diagnostics.map((d) => d.message).join('; '));
    delivery = answer.state === 'pending' ? answer.delivery : undefined;
  }
  const { tipHash, blotter } = await client.finalize();
  return { slots, tipHash, netR: blotter.totals.netR };
}

/** Buys the day's average from above once the opening range is known. */
export function planFor({ frame }: Delivery): string | undefined {
  const level = (name: string) => frame.levels.find((l) => l.name === name)?.valueE4;
  const [high, vwap] = [level('ORH(30m)'), level('VWAP')];
  if (high === undefined || vwap === undefined || high <= vwap) return undefined;
  return `PLAN back-to-average budget 0.3R ttl +4h
  WHEN spot < VWAP - 8bps held 30s
  DO buy 10 shares @ ask + 1c
  TP 1.001x @ bid
  EXIT spot < VWAP - 50bps held 60s @ bid - 3c
  INVALIDATE T-30 -> flat
`;
}

if (process.argv[1]?.endsWith('scripted.ts') === true) {
  const client = await inProcess();
  console.log(await play(client, process.argv[2] ?? 'trend-up-strict'));
  await client.close();
}
