// The smaller parts: card, tree, builders, well-formed models, nearest words, names of the session.
import assert from 'node:assert/strict';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, it } from 'vitest';
import {
  and,
  card,
  cardExample,
  checkModel,
  codes,
  diagnosticsMax,
  documentBytesMax,
  editDistance,
  held,
  type KestrelDocument,
  leavesOf,
  ModelFault,
  nearest,
  not,
  or,
  type Plan,
  panes,
  parse,
  priceOf,
  priceText,
  print,
  series,
  statementsMax,
  type TreeLeaf,
  type TreeNode,
  ticketOf,
  ticketText,
  treeOf,
  triggerOf,
  triggerText,
  validate,
  within,
} from '../../src/lang/index.ts';

describe('card', () => {
  it('holds the whole language in less than 3,000 tokens', () => {
    const tokens = encode(card()).length;
    assert.ok(tokens > 500 && tokens < 3_000, `${tokens} tokens`);
    for (const row of series.values()) assert.ok(card().includes(row.form), row.form);
    for (const row of panes.values()) assert.ok(card().includes(row.form), row.form);
    for (const code of codes.keys()) assert.ok(card().includes(code), code);
  });

  it('shows an example that validates without a finding and uses most clauses', () => {
    assert.deepEqual(validate(cardExample), { ok: true, diagnostics: [] });
    for (const word of ['USING', 'VIEW', 'WAKE', 'PLAN', 'GRADE', 'RELOAD', 'TP', 'EXIT', 'INVALIDATE', 'ARM']) {
      assert.ok(cardExample.includes(word), word);
    }
  });
});

describe('tree', () => {
  const text = 'PLAN p budget 1R ttl +5m # c\r\n  WHEN spot > 5\r\n  DO buy 1 shares @ fair - 2c\r\n';

  it('nests the tokens in the nodes of the model', () => {
    const outline = (node: TreeNode | TreeLeaf): string => {
      if ('leaf' in node) return node.leaf === 'space' ? '' : JSON.stringify(text.slice(node.start, node.end));
      return `${node.node}(${node.children.map(outline).filter(Boolean).join(' ')})`;
    };
    assert.equal(
      outline(treeOf(parse(text))),
      'document(plan("PLAN" "p" "budget" "1R" "ttl" relative(duration("+5m")) "# c" ' +
        'when("WHEN" compare(series("spot") ">" number("5"))) ' +
        'do("DO" ticket("buy" "1" shares("shares") "@" price(sum(anchor("fair") step("-" offset("2c"))))))))',
    );
  });

  it('has a leaf for every character, also where nothing parses', () => {
    for (const source of [text, '', '\ufeff', ' # x \n', 'PLAN (\u0000 \ud800\n\n  # y', '\t\n\r\n']) {
      let at = 0;
      for (const leaf of leavesOf(source)) {
        assert.equal(leaf.start, at);
        assert.ok(leaf.end > leaf.start);
        at = leaf.end;
      }
      assert.equal(at, source.length);
    }
  });
});

describe('spans', () => {
  it('of nodes and of their parts, by identity', () => {
    const text = '\ufeff# c\r\n\tVIEW\nPLAN p in main budget 1R ttl +5m\n\tDO buy 10 shares @ fair\n';
    const { drafts, spanOf } = parse(text.replace('\tVIEW\n', ''));
    const source = text.replace('\tVIEW\n', '');
    const plan = drafts[0] as Plan;
    const covered = (node: object, part?: string): string => {
      const span = spanOf(node, part)!;
      return `${span.line}:${span.column} ${source.slice(span.start, span.end)}`;
    };
    assert.equal(covered(plan, 'name'), '2:6 p');
    assert.equal(covered(plan, 'book'), '2:11 main');
    assert.equal(covered(plan, 'budget'), '2:23 1R');
    assert.equal(covered(plan.ttl), '2:30 +5m');
    assert.equal(covered(plan.do.ticket, 'qty'), '3:9 10');
    assert.equal(covered(plan.do.ticket.price.expr), '3:21 fair');
    assert.equal(covered(plan.do.ticket), '3:5 buy 10 shares @ fair');
    assert.equal(spanOf({}), undefined);
  });
});

describe('builders', () => {
  it('read fragments of text', () => {
    assert.equal(triggerText(triggerOf('spot>5 AND  NOT phase open held 5s')), 'spot > 5 AND NOT phase open held 5s');
    assert.equal(priceText(priceOf('lean(bid,fair,0.5) peg cap 1.20')), 'lean(bid, fair, 0.5) peg cap 1.2');
    assert.equal(ticketText(ticketOf('buy 1 ATM/-2 P 0dte @ fair - 2c')), 'buy 1 ATM/-2 P 0dte @ fair - 2c');
    for (const bad of ['', 'spot >', 'spot > 5 x', 'spot > 5m', '(spot > 5']) {
      assert.throws(() => triggerOf(bad), ModelFault, bad);
    }
    assert.throws(() => ticketOf('buy 0 shares @ fair'), ModelFault);
  });

  it('add the parentheses that the parts need, and no others', () => {
    const a = triggerOf('spot > 1');
    const b = triggerOf('spot > 2');
    const ab = or(a, b);
    const wait = { n: 5, unit: 's' } as const;
    assert.equal(triggerText(and(ab, a)), '(spot > 1 OR spot > 2) AND spot > 1');
    assert.equal(triggerText(or(and(a, b), a)), 'spot > 1 AND spot > 2 OR spot > 1');
    assert.equal(triggerText(not(held(a, wait))), 'NOT (spot > 1 held 5s)');
    assert.equal(triggerText(held(not(a), wait)), 'NOT spot > 1 held 5s');
    assert.equal(triggerText(within(held(ab, wait), wait)), '((spot > 1 OR spot > 2) held 5s) within 5s');
    for (const built of [and(ab, a), or(and(a, b), a), not(held(a, wait)), held(not(a), wait), not(not(a))]) {
      assert.deepEqual(triggerOf(triggerText(built)), built);
    }
    assert.throws(() => and(a), ModelFault);
  });
});

describe('well-formed models', () => {
  const source = 'PLAN p budget 1R ttl +5m\n  WHEN spot > 5\n  DO buy 1 +1 C @ fair + 1c\n  TP 2x @ fair\n';
  const good = parse(source).document;

  /** The document with the value at a path replaced. */
  function put(path: string, value: unknown): KestrelDocument {
    const copy = structuredClone(good) as unknown as Record<string, unknown>;
    const keys = path.split('.');
    const last = keys.pop()!;
    const at = keys.reduce((node, key) => node[key] as Record<string, unknown>, copy);
    at[last] = value;
    return copy as unknown as KestrelDocument;
  }

  const wrong: readonly (readonly [string, unknown])[] = [
    ['statements.0.name', 'Fade'],
    ['statements.0.name', 'atomic'],
    ['statements.0.name', 'a\nPLAN b'],
    ['statements.0.kind', 'plam'],
    ['statements.0.blank', undefined],
    ['statements.0.budget', 0.5],
    ['statements.0.budget', -1],
    ['statements.0.budget', -0],
    ['statements.0.budget', Number.NaN],
    ['statements.0.budget', 1e14],
    ['statements.0.priority', 1.5],
    ['statements.0.regime', []],
    ['statements.0.do', undefined],
    ['statements.0.do.ticket.qty', 0],
    ['statements.0.do.ticket.qty', 1.5],
    ['statements.0.do.ticket.side', 'short'],
    ['statements.0.do.ticket.instrument.strike.n', 0],
    ['statements.0.do.ticket.instrument.right', 'X'],
    ['statements.0.do.ticket.price.expr.terms', []],
    ['statements.0.do.ticket.price.expr.base', { kind: 'sum', base: { kind: 'anchor', name: 'fair' }, terms: [] }],
    ['statements.0.do.ticket.price.expr.base', { kind: 'anchor', name: '__proto__' }],
    ['statements.0.do.ticket.price.modifiers', [{ kind: 'peck' }]],
    ['statements.0.when.when', { kind: 'and', of: [] }],
    ['statements.0.when.when', { kind: 'not', of: { kind: 'not', of: { kind: 'phase', phase: 'open' } } }],
    ['statements.0.when.when', { kind: 'phase', phase: 'lunch' }],
    ['statements.0.when.when', { kind: 'time', cmp: '>=', clock: { kind: 'clock', h: 24, m: 0 } }],
    ['statements.0.when.when.left.name', 'phase'],
    ['statements.0.when.when.left.name', 'spot or'],
    ['statements.0.when.when.left.symbol', 'spy'],
    ['statements.0.when.when.cmp', '=>'],
    ['statements.0.ttl.duration', { n: 5, unit: 'd' }],
    ['statements.0.leading', ['no hash']],
    ['statements.0.leading', ['# two\nlines']],
    ['statements.0.leading', []],
    ['statements.0.trailing', '# space at its end '],
    ['statements.0.clauses.0.frac', 0.5],
    ['statements', {}],
  ];

  it('print; others are refused, with the place and the shape', () => {
    checkModel(good);
    assert.equal(print(good), source);
    for (const [path, value] of wrong) {
      assert.throws(
        () => print(put(path, value)),
        (thrown: unknown) => thrown instanceof ModelFault && thrown.expected.length > 0,
        `${path} = ${JSON.stringify(value)}`,
      );
    }
  });

  it('nest no deeper than the parser reads', () => {
    const nest = (levels: number): KestrelDocument => {
      let expr: object = { kind: 'anchor', name: 'fair' };
      for (let k = 0; k < levels; k++) expr = { kind: 'group', of: expr };
      return put('statements.0.do.ticket.price.expr', expr);
    };
    const deepest = nest(64);
    assert.deepEqual(parse(print(deepest)).document, deepest);
    assert.throws(() => print(nest(65)), ModelFault);
    assert.throws(() => print(nest(20_000)), ModelFault);
  });
});

describe('limits', () => {
  it('hold to the byte and to the statement', () => {
    const fill = documentBytesMax - 'VIEW v levels\n#'.length;
    const full = `VIEW v levels\n#${'x'.repeat(fill)}`;
    assert.equal(new TextEncoder().encode(full).length, documentBytesMax);
    assert.deepEqual(parse(full).diagnostics, []);
    for (const over of [
      `${full}x`,
      `VIEW v levels\n#${'é'.repeat(fill / 2)}xxé`,
      `#${'\u{1f600}'.repeat(documentBytesMax / 4)}`,
    ]) {
      const { diagnostics } = validate(over);
      assert.deepEqual(
        diagnostics.map((d) => [d.code, d.span.start, d.span.end]),
        [['K002', 0, over.length]],
      );
      assert.deepEqual(parse(over).document, { statements: [] });
    }
    const statements = (count: number): string =>
      Array.from({ length: count }, (_, k) => `USING signal S${k} exec S${k}\n`).join('');
    assert.deepEqual(validate(statements(statementsMax)).diagnostics, []);
    const { ok, diagnostics } = validate(statements(statementsMax + 1));
    assert.equal(ok, false);
    assert.deepEqual(
      diagnostics.map((d) => [d.code, d.span.line]),
      [['K002', statementsMax + 1]],
    );
  });

  it('hold for problems as well', () => {
    const { ok, diagnostics } = validate(`PLAN p budget 1R ttl +5m\n${'  FOO\n'.repeat(diagnosticsMax + 5)}`);
    assert.equal(ok, false);
    assert.equal(diagnostics.filter((d) => d.code === 'K001').length, diagnosticsMax);
    assert.equal(diagnostics.filter((d) => d.code === 'K002').length, 1);
  });
});

describe('nearest words', () => {
  it('by edit distance, case aside, and none where none is near', () => {
    assert.equal(editDistance('kitten', 'sitting'), 3);
    assert.equal(editDistance('sopt', 'spot'), 1);
    assert.equal(editDistance('', 'abc'), 3);
    assert.equal(nearest('vwap', ['VWAP', 'volume']), 'VWAP');
    assert.equal(nearest('velocty', ['velocity', 'volume']), 'velocity');
    assert.equal(nearest('xyzzy', ['velocity', 'volume']), undefined);
    assert.equal(nearest('q', ['a', 'b']), undefined);
    assert.equal(nearest('x'.repeat(10_000), ['x'.repeat(32)]), undefined);
  });
});

describe('names of the session', () => {
  const text = 'PLAN a budget 1R ttl +5m\n  WHEN plan(b).done\n  DO buy 1 shares @ fair\n  TP 2x @ fair\n';

  it('are known, each in its kind', () => {
    assert.equal(validate(text).diagnostics[0]?.code, 'K011');
    assert.deepEqual(validate(text, { known: { plan: new Set(['b']) } }).diagnostics, []);
    assert.equal(validate(text, { known: { view: new Set(['b']) } }).diagnostics[0]?.code, 'K011');
  });

  it('of a plan that has fired are taken', () => {
    const known = { plan: new Set(['a', 'b']) };
    assert.deepEqual(validate(text, { known }).diagnostics, []);
    const { diagnostics } = validate(text, { known, fired: new Set(['a']) });
    assert.deepEqual(
      diagnostics.map((d) => [d.code, d.span.start, d.span.end]),
      [['K010', 5, 6]],
    );
  });
});

describe('objects built in code', () => {
  it('are checked without a text', () => {
    const built: KestrelDocument = {
      statements: [
        {
          kind: 'plan',
          blank: false,
          name: 'p',
          budget: 0,
          ttl: { kind: 'clock', h: 15, m: 30 },
          do: { kind: 'do', ticket: ticketOf('sell 1 ATM P @ mid') },
          clauses: [],
        },
      ],
    };
    const { diagnostics } = validate(print(built));
    assert.deepEqual(
      diagnostics.map((d) => d.code),
      ['K070', 'K020', 'K030', 'K040'],
    );
  });
});
