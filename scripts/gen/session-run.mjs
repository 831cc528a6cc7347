/** The sessions that README.md and docs/guide-agents.md show: requests, and the lines that `kestrel agent` answers them with. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const SUBJECT = 'choppy-1101-strict';
const WATCHED = 'range-strict';
/** Characters of an answer that are shown; the rest is `…`. */
const SHOWN = 124;

const PLAN = `PLAN dip budget 0.3R ttl 15:30
  WHEN spot < VWAP - 10bps held 30s
  DO buy 10 shares @ ask + 1c
  TP 1.001x @ bid
  INVALIDATE T-30 -> flat
`;

export async function generate({ load }) {
  const { localTransport } = await load('packages/kestrel/src/cli/agent-local.ts');
  const { newStream } = await load('packages/kestrel/src/protocol/light.ts');
  const { runSessions } = await load('packages/kestrel/src/cli/session-door.ts');
  const before = process.env.KESTREL_HOME;
  const home = mkdtempSync(join(tmpdir(), 'kestrel-gen-'));
  process.env.KESTREL_HOME = home;
  try {
    const stream = async (requests) => {
      const transport = localTransport(newStream());
      const lines = [];
      for (const request of requests) {
        const { line, refusal } = await transport.handle(JSON.stringify(request));
        if (line === undefined) throw refusal;
        lines.push(line);
      }
      transport.sync();
      return lines;
    };
    const verb = async (...argv) => {
      let said = '';
      await runSessions(argv, {
        write: (text) => (said += text),
        say: () => {},
        env: process.env,
        watched: () => false,
      });
      return said;
    };
    /** A session that waits at the first slot after half past eleven, passed until then. */
    const midday = async () => {
      const pass = { op: 'advance', response: { kind: 'pass' } };
      const requests = [{ op: 'openSession', subject: { kind: 'catalog', id: WATCHED } }, { op: 'start' }];
      const { sessionId } = JSON.parse((await stream(requests))[0]).value;
      const again = { op: 'openSession', subject: { kind: 'session', id: sessionId } };
      for (let slot = 0; slot < 32; slot++) {
        const { value } = JSON.parse((await stream([again, { op: 'start' }])).at(-1));
        if (value.frame.clock >= '11:30:00') return sessionId;
        await stream([again, { op: 'start' }, pass]);
      }
      throw new Error(`${WATCHED} has no slot after 11:30`);
    };
    const subject = { kind: 'catalog', id: SUBJECT };
    const opening = [
      { op: 'openSession', subject },
      { op: 'start' },
      { op: 'advance', response: { kind: 'authored', document: PLAN } },
    ];
    const opened = await stream(opening);
    const { sessionId } = JSON.parse(opened[0]).value;
    const taking = [
      { op: 'openSession', subject: { kind: 'session', id: sessionId } },
      { op: 'start' },
      { op: 'advance', response: { kind: 'pass' } },
      { op: 'finalize' },
    ];
    const taken = await stream(taking);
    const watched = await midday();
    const verified = await verb('verify', sessionId);
    const text = {
      'README.md': [
        'A session begins; its process ends with its input, at a pending slot:\n',
        exchange(opening, opened),
        'Another process, minutes or days later, takes it up by its id. `start` shows the slot that waits, byte for byte:\n',
        exchange(taking, taken),
        'What came of it is replayed from its pins, leaf by leaf:\n',
        block(`$ kestrel verify ${sessionId}\n${verified}`),
      ],
      'docs/guide-agents.md': [block(`$ kestrel frame ${watched}\n${await verb('frame', watched)}`)],
    };
    return Object.entries(text).map(([path, parts]) => ({ path, text: between(path, parts.join('\n')) }));
  } finally {
    if (before === undefined) delete process.env.KESTREL_HOME;
    else process.env.KESTREL_HOME = before;
    rmSync(home, { recursive: true, force: true });
  }
}

/** As one would type it, and what stands on standard output then. */
function exchange(requests, lines) {
  const asked = requests.map((request) => JSON.stringify(request)).join('\n');
  return block(`$ kestrel agent <<'EOF'\n${asked}\nEOF\n${lines.map(shortened).join('\n')}`);
}

const shortened = (line) => (line.length <= SHOWN ? line : `${line.slice(0, SHOWN)} …`);
const block = (text) => `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`;

function between(path, made) {
  const text = readFileSync(join(root, path), 'utf8');
  const [begin, end] = ['<!-- session: begin -->', '<!-- session: end -->'].map((mark) => text.indexOf(mark));
  if (begin < 0 || end < begin) throw new Error(`${path} misses its marks`);
  return `${text.slice(0, begin)}<!-- session: begin -->\n\n${made}\n${text.slice(end)}`;
}
