/** A bare socket that speaks HTTP badly on purpose. */
import net from 'node:net';

export interface Raw {
  readonly socket: net.Socket;
  /** Everything received so far. */
  text(): string;
  /** Resolves with all that was received when the other side closes, or after the wait. */
  closed(waitMs: number): Promise<string>;
}

export async function raw(port: number, send: string | Buffer = ''): Promise<Raw> {
  const socket = net.connect(port, '127.0.0.1');
  let got = '';
  socket.on('data', (chunk) => {
    got += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  const ended = new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  if (send.length > 0) socket.write(send);
  return {
    socket,
    text: () => got,
    async closed(waitMs) {
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, waitMs).unref())]);
      return got;
    },
  };
}

/** Waits until it is true. @throws Error after the wait */
export async function until(what: () => boolean | Promise<boolean>, waitMs = 10_000): Promise<void> {
  const endMs = performance.now() + waitMs;
  while (!(await what())) {
    if (performance.now() > endMs) throw new Error(`not within ${waitMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
