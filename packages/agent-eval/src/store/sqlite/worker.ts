/** The thread of a writer: opens the store it is given, obeys one order after another. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Order, obey, type Reply, tidyQuietly } from './host.ts';
import { refusalOf } from './layout.ts';
import { Writer } from './writer.ts';

const port = parentPort!;
const say = (reply: Reply): void => port.postMessage(reply);

try {
  const writer = new Writer((workerData as { dir: string }).dir);
  port.on('message', (order: Order) => {
    say(obey(writer, order));
    if (order.kind === 'commit') tidyQuietly(writer);
  });
  say({ kind: 'ready' });
} catch (error) {
  const refusal = refusalOf(error, 'the store cannot be opened');
  say({ kind: 'refused', refusal: refusal.kind, message: refusal.message });
}
