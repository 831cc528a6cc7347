/** Whose capability a remote stream uses: one that was chosen is never given up for a trial, and a kept trial is kept. */
import { expect, test } from 'vitest';
import { newStream, Remote, type RemoteOptions } from '../../src/protocol/index.ts';

const LINE = '{"op":"describe"}';

/** A server that knows some capabilities and mints `new`. */
function served(known: Set<string>) {
  const asked: string[] = [];
  const fetch = (async (url: string, init: RequestInit) => {
    asked.push(new URL(url).pathname);
    if (url.endsWith('/v1/trials')) {
      known.add('new');
      return new Response('{"token":"new"}', { status: 201 });
    }
    const token = new Headers(init.headers).get('authorization')?.replace('Bearer ', '') ?? '';
    return new Response('{}', { status: known.has(token) ? 200 : 401 });
  }) as typeof globalThis.fetch;
  return { asked, fetch };
}

async function ask(known: string[], options: Omit<RemoteOptions, 'url' | 'fetch' | 'onMint'>) {
  const minted: string[] = [];
  const { asked, fetch } = served(new Set(known));
  const remote = new Remote({ url: 'http://x', fetch, onMint: (token) => minted.push(token), ...options });
  const { refusal } = await remote.handle(LINE, newStream());
  return { asked, minted, refusal };
}

test('a capability that was chosen and is refused is told, and no trial is minted', async () => {
  const { asked, minted, refusal } = await ask([], { token: 'wrong', trial: 'kept' });
  expect(asked).toEqual(['/v1/requests']);
  expect(minted).toEqual([]);
  expect(refusal).toMatchObject({ code: 'unavailable', shape: { path: 'KESTREL_TOKEN' } });
});

test.each([
  ['none', [], {}, ['/v1/trials', '/v1/requests'], ['new']],
  ['a kept trial', ['kept'], { trial: 'kept' }, ['/v1/requests'], []],
  ['a trial the server has forgotten', [], { trial: 'kept' }, ['/v1/requests', '/v1/trials', '/v1/requests'], ['new']],
  ['a chosen one beside a kept trial', ['mine', 'kept'], { token: 'mine', trial: 'kept' }, ['/v1/requests'], []],
])('with %s', async (_what, known, options, asked, minted) => {
  expect(await ask(known, options)).toEqual({ asked, minted, refusal: undefined });
});

test('a trial that was taken is not replaced later', async () => {
  const known = new Set(['kept']);
  const minted: string[] = [];
  const { asked, fetch } = served(known);
  const remote = new Remote({ url: 'http://x', fetch, trial: 'kept', onMint: (token) => minted.push(token) });
  const stream = newStream();
  expect((await remote.handle(LINE, stream)).refusal).toBeUndefined();
  known.delete('kept');
  expect((await remote.handle(LINE, stream)).refusal?.code).toBe('unavailable');
  expect([asked, minted]).toEqual([['/v1/requests', '/v1/requests'], []]);
});
