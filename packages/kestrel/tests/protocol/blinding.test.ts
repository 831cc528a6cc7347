/** Every op on every masked subject, asked rightly and wrongly: no answer and no refusal tells the day behind it. */
import { describe, expect, test } from 'vitest';
import { Kind } from '../../src/market/index.ts';
import { synthTape } from '../../src/market/synth/index.ts';
import { createAgent, type Host, refusalLine } from '../../src/protocol/index.ts';
import { FRAME_FORMS, isFrameShape, RECIPES, renderFrame } from '../../src/session/index.ts';
import { memoryStore, newHost } from './streams.ts';

const PASS = { kind: 'pass' };
const authored = (document: string) => ({ kind: 'authored', document });
const plan = (name: string, when: string, rest = ''): string =>
  `PLAN ${name} budget 0.3R ttl 15:50\n  WHEN ${when}\n  DO buy 5 shares @ ask + 2c\n  EXIT T-15 @ bid - 5c\n${rest}`;

/** Documents that are wrong in as many ways as refer to a day, a symbol or a price. */
const WRONG = [
  'PLAN',
  plan('x', 'spot > 1').replace('15:50', '16:30'),
  plan('x', 'spot > 1').replace('15:50', '09:29'),
  plan('x', 'spot > 1').replace('0.3R', '0.000001R'),
  plan('x', 'spot[SYN] > 1'),
  plan('x', 'spot[AAA] > p99999'),
  plan('x', 'iv > 10'),
  plan('x', 'rvol(5m) > p95'),
  `USING signal SYN exec SYN\n${plan('x', 'spot > 1')}`,
  `USING signal AAA exec AAA 0dte\n${plan('x', 'spot > 1')}`,
  'PLAN x budget 0.3R ttl 15:50\n  DO buy 1 ATM C 0dte @ fair\n',
  'PLAN x budget 0.3R ttl 15:50\n  DO buy 1 100 C 2001-01-05 @ fair\n',
  'PLAN x budget 0.3R ttl 15:50\n  DO buy 999999999 shares @ ask\n',
  'PLAN x budget 0.3R ttl 15:50\n  DO buy 1 shares @ intrinsic\n',
  'GRADE plan x OVER 2000-01-03..2000-01-03 FILL strict-cross-v1\n',
  'WAKE w WHEN gap > 1 DELIVER nothing\n',
  'IMPORT x FROM ./x.kes\n',
];
/** Right documents that ask about everything a series can tell. */
const RIGHT = [
  plan('a', 'spot > prior.close OR spot <= prior.close'),
  plan('b', 'open > 1 AND gap > -10000'),
  plan('c', 'velocity(5m) >= p99 OR range(5m) >= p99'),
  plan('d', 'spot > 100000000'),
  'VIEW v tape(5m) levels plans news\nWAKE w WHEN velocity(5m) > 5 DELIVER v budget 3 wakes/day cooldown 10m\n',
];

/** Everything one subject can be made to say, one text a line. */
function saidBy(id: string, host: Host): string[] {
  const said: string[] = [];
  const agent = createAgent(host);
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  const ask = (request: unknown): any => {
    const outcome = agent.handle(typeof request === 'string' ? request : JSON.stringify(request));
    if (outcome.kind === 'refusal') {
      said.push(refusalLine(outcome.refusal, { op: outcome.op, line: 1 }));
      return undefined;
    }
    said.push(outcome.line);
    const { value } = JSON.parse(outcome.line);
    const frame = value?.frame ?? value?.delivery?.frame;
    if (isFrameShape(frame)) for (const form of FRAME_FORMS) said.push(renderFrame(frame, { form }));
    return value;
  };
  said.push(JSON.stringify(ask({ op: 'catalog' }).filter((entry: { id: string }) => entry.id === id)));
  said.splice(0, said.length - 1);
  ask({ op: 'openSession', subject: { kind: 'catalog', id: `${id}x` } });
  const { sessionId } = ask({ op: 'openSession', subject: { kind: 'catalog', id } });
  for (const op of ['advance', 'finalize', 'openSession', 'resume']) ask({ op });
  let delivery = ask({ op: 'start' });
  const documents = [...WRONG, ...RIGHT];
  for (let turn = 0; delivery !== undefined && turn < 400; turn++) {
    const document = documents[turn];
    if (document !== undefined) ask({ op: 'validate', document });
    for (const field of ['parentHash', 'frameRoot', 'ordinal']) {
      ask({ op: 'submit', response: { ...delivery.slot, body: PASS, [field]: field === 'ordinal' ? 999 : 'x' } });
    }
    const op = turn % 3 === 0 && turn < 12 ? 'revise' : 'advance';
    delivery = ask({ op, response: document === undefined ? PASS : authored(document) })?.delivery;
  }
  const { artifacts } = ask({ op: 'finalize' });
  ask({ op: 'resume' });
  ask({ op: 'start' });
  for (const ref of artifacts) ask({ op: 'artifact', ref });
  ask({ op: 'grade', blotters: [sessionId] });
  for (const key of ['start', '1', '2', 'finalize', 'nothing']) {
    ask({ op: 'resumeOperation', operationId: `${sessionId}/${key}` });
  }
  return said;
}

describe.each(RECIPES.filter(({ mask }) => mask !== undefined).map((recipe) => [recipe.id, recipe] as const))(
  '%s',
  (id, recipe) => {
    const hidden = synthTape(recipe.day);
    const said = saidBy(id, newHost(memoryStore()));

    test('says a great deal', () => {
      expect(said.length).toBeGreaterThan(150);
      const codes = new Set(said.join('\n').match(/"code":"[a-zK0-9-]+"/g));
      expect(codes.size).toBeGreaterThan(15);
    });

    test('and in all of it neither date, symbol, name, identity nor factor', () => {
      const factor = recipe.mask!.factorPermille;
      const secrets = [
        hidden.date,
        hidden.date.replaceAll('-', ''),
        hidden.date.slice(0, 7),
        hidden.id,
        hidden.identity,
        `"${factor}"`,
        String(factor / 1_000),
        recipe.day.regime === 'shock' ? 'Synthetic news' : 'ynthetic',
        String(Math.floor(hidden.session.open / 1_000_000)).slice(0, 6),
      ];
      for (const text of said) {
        for (const secret of secrets) {
          const at = text.indexOf(secret);
          expect([secret, at < 0 ? '' : text.slice(Math.max(0, at - 80), at + 40)]).toEqual([secret, '']);
        }
        // The real symbol stands only where it is quoted from what the author wrote himself.
        const own = text.replaceAll(/signal SYN exec SYN|spot\[SYN\]|(symbol|named) "?SYN"?/g, '');
        expect(own.match(/.{0,60}\bSYN\b.{0,20}/)?.[0]).toBeUndefined();
      }
    });

    test('no price is one of the hidden day', () => {
      const real = new Set<number>();
      const { columns } = hidden;
      for (let i = 0; i < columns.length; i++) if (columns.kind[i] === Kind.trade) real.add(columns.a[i]!);
      const low = Math.min(...real);
      const high = Math.max(...real);
      expect(real.size).toBeGreaterThan(50);
      let prices = 0;
      for (const text of said) {
        for (const [, value] of text.matchAll(
          /"(?:lastE4|bidE4|askE4|priceE4|limitE4|basisE4|markE4|anchorE4|valueE4|o|h|l|c)":(\d+)/g,
        )) {
          prices++;
          const e4 = Number(value);
          expect([text.slice(0, 40), e4 >= low && e4 <= high ? e4 : 0]).toEqual([text.slice(0, 40), 0]);
        }
      }
      expect(prices).toBeGreaterThan(1_000);
    });
  },
);
