/**
 * A lean HTTP client for benchmarks: one connection, one request at a time. What stands in for ten clients on the same
 * two cores must not cost more than the server that it measures.
 */
import { connect } from 'node:net';

/**
 * @param url of the server @param token its bearer capability
 * @returns posts a request of the protocol and answers with its value; `close` ends the connection
 */
export function lineClient(url, token) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  socket.setEncoding('latin1');
  let stream = '-';
  let text = '';
  let waiting;
  const settle = (finish) => {
    const { resolve, reject } = waiting;
    waiting = undefined;
    finish({ resolve, reject });
  };
  socket.on('data', (chunk) => {
    text += chunk;
    const headEnd = text.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = text.slice(0, headEnd);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    if (text.length < headEnd + 4 + length) return;
    const body = Buffer.from(text.slice(headEnd + 4, headEnd + 4 + length), 'latin1').toString('utf8');
    text = text.slice(headEnd + 4 + length);
    stream = /^kestrel-stream: (.*)$/im.exec(head)?.[1]?.trim() ?? stream;
    settle(({ resolve, reject }) => (head.startsWith('HTTP/1.1 200') ? resolve(body) : reject(new Error(body))));
  });
  socket.on('error', (error) => waiting !== undefined && settle(({ reject }) => reject(error)));
  // A server closes connections that were idle for a while.
  socket.on('close', () => waiting !== undefined && settle(({ reject }) => reject(new Error('the connection closed'))));
  const post = (request) =>
    new Promise((resolve, reject) => {
      waiting = { resolve, reject };
      const body = JSON.stringify(request);
      socket.write(
        `POST /v1/requests HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${token}\r\nkestrel-stream: ${stream}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    });
  return { post, close: () => socket.destroy() };
}
