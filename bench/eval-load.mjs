/** A load generator for HTTP over plain sockets: ready-made requests, one in flight a connection. */
import net from 'node:net';

/** The bytes of one POST. */
export function post(path, body, contentType, headers = '') {
  const bytes = Buffer.from(body);
  const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: ${contentType}\r\n${headers}content-length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}

/**
 * @param {object} options
 * @param {number} options.port
 * @param {number} options.connections
 * @param {number} options.seconds
 * @param {(connection: number, n: number) => Buffer} options.request the next request
 * @param {number} [options.ratePerSecond] all connections together; absent: as fast as answers come
 * @param {(status: number, body: string, tag: unknown) => void} [options.onAnswer]
 * @returns {Promise<{ answers: number, ok: number, statuses: Map<number, number>, latenciesMs: Float64Array, seconds: number, broken: number }>}
 */
export async function load({ port, connections, seconds, request, ratePerSecond, onAnswer }) {
  const statuses = new Map();
  const latencies = [];
  let broken = 0;
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1000;
  const gapMs = ratePerSecond === undefined ? 0 : (connections / ratePerSecond) * 1000;
  await Promise.all(Array.from({ length: connections }, (_, i) => drive(i)));
  const took = (performance.now() - startedMs) / 1000;
  const answers = latencies.length;
  return {
    answers,
    ok: statuses.get(200) ?? 0,
    statuses,
    latenciesMs: Float64Array.from(latencies).sort(),
    seconds: took,
    broken,
  };

  async function drive(connection) {
    let n = 0;
    let due = startedMs + (gapMs * connection) / connections;
    while (performance.now() < endMs) {
      const socket = await open(port).catch(() => null);
      if (socket === null) {
        broken++;
        await wait(20);
        continue;
      }
      await new Promise((resolve) => {
        let got = null;
        let sentMs = 0;
        let tag;
        const send = () => {
          if (performance.now() >= endMs) {
            socket.destroy();
            return;
          }
          const go = () => {
            sentMs = ratePerSecond === undefined ? performance.now() : due;
            due += gapMs;
            const bytes = request(connection, n++);
            tag = bytes.tag;
            socket.write(bytes);
          };
          const waitMs = ratePerSecond === undefined ? 0 : due - performance.now();
          if (waitMs > 1) setTimeout(go, waitMs);
          else go();
        };
        socket.on('data', (chunk) => {
          got = got === null ? chunk : Buffer.concat([got, chunk]);
          const headEnd = got.indexOf('\r\n\r\n');
          if (headEnd < 0) return;
          const head = got.latin1Slice(0, headEnd);
          const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
          if (got.length < headEnd + 4 + length) return;
          const status = Number(head.slice(9, 12));
          latencies.push(performance.now() - sentMs);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          onAnswer?.(status, got.utf8Slice(headEnd + 4, headEnd + 4 + length), tag);
          got = null;
          if (/connection: close/i.test(head)) socket.destroy();
          else send();
        });
        socket.on('error', () => {
          broken++;
        });
        socket.on('close', resolve);
        send();
      });
    }
  }
}

function open(port) {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** NDJSON of `count` events of about 265 bytes each, all of one run. */
export function ndjson(runId, first, count) {
  const filler = 'lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt';
  let text = '';
  for (let i = first; i < first + count; i++) {
    const line = `{"eventId":"evt_${runId}_${String(i).padStart(10, '0')}","runId":"${runId}","spanId":"span_${i % 97}","kind":"log","timestamp":${1_732_556_400_000 + i},"payload":{"message":"${filler}","level":"info","step":${i},"tokens":${(i * 7919) % 4096}}}`;
    text += `${line}\n`;
  }
  return text;
}
