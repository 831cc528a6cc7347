// Benchmarks of the language: how fast text is parsed with its comments kept, and a plan validated.

import { cardExample, parse, print, treeOf, treeText, validate } from '../packages/kestrel/dist/lang.js';
import { interleaved } from './clock.mjs';

/** A document near the limit of size, made of the example with names of its own and comments. */
function largeDocument() {
  const parts = [];
  let bytes = 0;
  for (let k = 0; bytes < 240 * 1024; k++) {
    const part = cardExample.replaceAll('fade-flush', `fade-${k}`).replaceAll('bounce', `bounce-${k}`);
    parts.push(part.replaceAll('cockpit', `cockpit-${k}`).replaceAll('shock', `shock-${k}`));
    bytes += part.length;
  }
  return parts.join('\n');
}

/** One plan of about 1 kB that uses most of the language. */
const plan = `# Thesis: range day. A flush below support is a gift; add into it, and stop when it breaks.
PLAN fade-flush budget 0.4R ttl 15:30 regime {intraday: range, vol: calm} priority 2
  USING signal SPX exec SPY 0dte
  WHEN spot crosses below 5150 AND time >= 09:45 AND NOT phase close
  DO buy 1 -1 P @ lean(bid, fair, 0.5) cap 1.80 esc ask 30s cancel-if spot > 5160  # rest between bid and worth
  ALSO buy 1 5100/5090 P @ min(mid, fair) - 2c
  RELOAD WHEN spot crosses below 5146 AND velocity(5m) < p10 buy 1 -2 P @ lean(bid, fair, 0.5)
  RELOAD every $4 down, up to 2
  TP 2x frac 0.5 @ fair
  TP 3x frac 0.25 @ max(fair, basis + 50%)
  EXIT (spot < 5120 held 120s) OR spot > ema(20, 1m) + 10bps @ bid - 2c floor 0.05
  EXIT rsi(14, 1m) > 70 AND range(30m) >= p90 AND position.qty > 1 @ fair
  INVALIDATE spot > 5185 held 120s -> halt, ride
  INVALIDATE pnl.realized < -0.3R -> flat  # enough is enough
  CANCEL-IF T-20 OR spread > 10c within 1m
`;

export async function bench() {
  const large = largeDocument();
  const parsed = parse(large);
  const validated = validate(plan);
  if (parsed.diagnostics.length > 0 || validated.diagnostics.length > 0) {
    throw new Error(`the benchmark's documents have findings: ${JSON.stringify(validated.diagnostics)}`);
  }
  if (treeText(treeOf(parsed), large) !== large) throw new Error('the tree does not give its source back');
  const batch = 50;
  const ms = await interleaved(
    {
      parse: () => parse(large),
      print: () => print(parsed.document),
      tree: () => treeOf(parsed),
      validate: () => {
        for (let k = 0; k < batch; k++) validate(plan);
      },
    },
    { rounds: 41, warmups: 40 },
  );
  const megabytes = Buffer.byteLength(large) / 1e6;
  const rate = (took) => Number((megabytes / (took / 1e3)).toFixed(1));
  return [
    row('parse, comments kept', rate(ms.parse), 'MB/s', 20),
    row('print', rate(ms.print), 'MB/s'),
    row('lossless tree', rate(ms.tree), 'MB/s'),
    row(`validate a plan of ${Buffer.byteLength(plan)} bytes`, Number((ms.validate / batch).toFixed(4)), 'ms', 0.2),
  ];
}

function row(measure, value, unit, target) {
  return target === undefined ? { measure, value, unit } : { measure, value, unit, target };
}
