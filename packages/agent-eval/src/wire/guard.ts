/** Who may call: the bearer token, the Host header on loopback, and the origins of web pages. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { WireError } from './errors.ts';

export interface GuardOptions {
  /** Null lets everyone in. */
  readonly token: string | null;
  /** `loopback` refuses names that a web page could point at this machine. */
  readonly hosts: 'loopback' | 'any';
  readonly corsOrigins: readonly string[];
}

type Header = (name: string) => string | undefined;

/** @throws WireError forbidden_host */
export function checkHost({ hosts }: GuardOptions, header: Header): void {
  const host = header('host');
  if (hosts === 'any' || host === undefined || isLoopbackHost(host)) return;
  throw new WireError(
    'forbidden_host',
    `this server listens on loopback and does not answer for the host "${host.slice(0, 100)}"`,
  );
}

/** @param host a Host header: name or address, with an optional port */
function isLoopbackHost(host: string): boolean {
  const name = host.replace(/:\d{1,5}$/, '').toLowerCase();
  return name === 'localhost' || name === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name);
}

/** @returns a check of an Authorization header, equally slow for every wrong token. @throws WireError unauthorized */
export function tokenCheck({ token }: GuardOptions): (header: Header) => void {
  if (token === null) return () => {};
  const wanted = digest(token);
  return (header) => {
    const given = /^bearer +(.+)$/i.exec(header('authorization') ?? '')?.[1];
    if (given !== undefined && timingSafeEqual(digest(given.trim()), wanted)) return;
    throw new WireError('unauthorized', 'a bearer token is wanted: Authorization: Bearer <token>', {
      headers: { 'www-authenticate': 'Bearer' },
    });
  };
}

/** Headers for a page of an origin that was named; none for any other. */
export function corsHeaders({ corsOrigins }: GuardOptions, header: Header): Readonly<Record<string, string>> {
  if (corsOrigins.length === 0) return {};
  const origin = header('origin');
  if (origin === undefined || !corsOrigins.includes(origin)) return { vary: 'Origin' };
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'ETag, Retry-After, WWW-Authenticate',
    vary: 'Origin',
  };
}

export const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'Authorization, Content-Type, Content-Encoding, If-Match, If-None-Match',
  'access-control-max-age': '600',
};

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
