/** Streamable HTTP: each client has a connection of its own, and with it a stream of requests of its own. */
import { randomUUID } from 'node:crypto';
import { type McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';

/** Connections that are kept; the one unused longest is closed for a new one. */
export const CONNECTIONS_MAX = 256;
const HEADER = 'mcp-session-id';

export interface McpHttp {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly close: () => Promise<void>;
}

export function mcpHttp(newServer: () => McpServer): McpHttp {
  const connections = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const opened = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => {
        connections.set(id, transport);
        if (connections.size <= CONNECTIONS_MAX) return;
        const [oldest, other] = connections.entries().next().value!;
        connections.delete(oldest);
        void other.close();
      },
      onsessionclosed: (id) => {
        connections.delete(id);
      },
    });
    await newServer().connect(transport);
    return transport;
  };
  return {
    async fetch(request) {
      if (new URL(request.url).pathname !== '/mcp') return new Response('not here: /mcp\n', { status: 404 });
      // A page in a browser must not reach a server on this machine.
      const origin = request.headers.get('origin');
      if (origin !== null && !/^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?$/.test(origin)) {
        return new Response('origin refused\n', { status: 403 });
      }
      const id = request.headers.get(HEADER);
      if (id === null) return (await opened()).handleRequest(request);
      const transport = connections.get(id);
      if (transport === undefined) return new Response('no such connection\n', { status: 404 });
      connections.delete(id);
      connections.set(id, transport);
      return transport.handleRequest(request);
    },
    async close() {
      for (const transport of connections.values()) await transport.close();
      connections.clear();
    },
  };
}
