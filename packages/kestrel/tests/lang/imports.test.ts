// Imports: the graph under one root, its refusals, its order, and what the documents say together.
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { importsMax, link, print, validate } from '../../src/lang/index.ts';

type Folder = Readonly<Record<string, string>>;

const plan = (name: string, more = ''): string =>
  `PLAN ${name} budget 1R ttl +5m\n  WHEN spot > 5\n  DO buy 1 shares @ fair\n  TP 2x @ fair\n${more}`;
const waits = (name: string, on: string): string => plan(name).replace('spot > 5', `plan(${on}).done`);

function resolver(folder: Folder): (path: string) => string | undefined {
  const files = new Map(Object.entries(folder));
  return (path) => files.get(path);
}

/** Codes with line and covered text, for the document `main` beside the files of `folder`. */
function check(
  input: { readonly main: string; readonly folder: Folder; readonly path?: string },
  expected: string[],
): void {
  const { main, folder, path } = input;
  const options = { resolve: resolver(folder), ...(path === undefined ? {} : { path }) };
  const got = validate(main, options).diagnostics.map(
    (d) => `${d.code} ${d.span.line}:${d.span.column} ${main.slice(d.span.start, d.span.end)}`,
  );
  assert.deepEqual(got, expected);
}

describe('imports', () => {
  it('a name from another document', () => {
    check({ main: `IMPORT a FROM ./lib/a.kestrel\n${waits('b', 'a')}`, folder: { 'lib/a.kestrel': plan('a') } }, []);
  });

  it('K011: no such document, no such name, a document with an error, a name of another kind', () => {
    check({ main: `IMPORT a FROM ./a.kestrel\n${waits('b', 'a')}`, folder: {} }, ['K011 1:15 ./a.kestrel']);
    check({ main: `IMPORT aa FROM ./a.kestrel\n${waits('b', 'aa')}`, folder: { 'a.kestrel': plan('a') } }, [
      'K011 1:8 aa',
    ]);
    check({ main: `IMPORT a FROM ./a.kestrel\n${waits('b', 'a')}`, folder: { 'a.kestrel': `${plan('a')}FOO\n` } }, [
      'K011 1:15 ./a.kestrel',
    ]);
    check({ main: `IMPORT v FROM ./v.kestrel\n${waits('b', 'v')}`, folder: { 'v.kestrel': 'VIEW v levels\n' } }, [
      'K011 3:13 v',
    ]);
    check(
      {
        main: `IMPORT v FROM ./v.kestrel\nWAKE w WHEN spot > 1 DELIVER v\n`,
        folder: { 'v.kestrel': 'VIEW v levels\n' },
      },
      [],
    );
  });

  it('K010: an import and a statement of one name', () => {
    check({ main: `IMPORT a FROM ./a.kestrel\n${waits('a', 'a')}`, folder: { 'a.kestrel': plan('a') } }, [
      'K010 2:6 a',
    ]);
  });

  it('K010: what an import needs at home meets a name here', () => {
    const folder = {
      'a.kestrel': `${plan('a', '  ARM helper\n')}${plan('helper')}`,
      'b.kestrel': `${plan('b', '  ARM helper\n')}${plan('helper')}`,
    };
    check({ main: `IMPORT a FROM ./a.kestrel\n${waits('helper', 'a')}`, folder }, ['K010 2:6 helper']);
    const both = `IMPORT a FROM ./a.kestrel\nIMPORT b FROM ./b.kestrel\n${plan('c').replace('spot > 5', 'plan(a).done OR plan(b).done')}`;
    check({ main: both, folder }, ['K010 2:15 ./b.kestrel']);
  });

  it('K012: a cycle, however long, and a document that imports itself', () => {
    const folder = {
      'a.kestrel': `IMPORT b FROM ./b.kestrel\n${waits('a', 'b')}`,
      'b.kestrel': `IMPORT a FROM ./a.kestrel\n${waits('b', 'a')}`,
      'self.kestrel': `IMPORT s FROM ./self.kestrel\n${waits('t', 's')}`,
    };
    check({ main: `IMPORT a FROM ./a.kestrel\n${waits('c', 'a')}`, folder }, ['K012 1:15 ./a.kestrel']);
    check({ main: folder['a.kestrel'], folder, path: 'a.kestrel' }, ['K012 1:15 ./b.kestrel']);
    check({ main: folder['self.kestrel'], folder, path: 'self.kestrel' }, ['K012 1:15 ./self.kestrel']);
  });

  it('one document by two ways is no cycle', () => {
    const folder = {
      'a.kestrel': `IMPORT c FROM ./c.kestrel\n${waits('a', 'c')}`,
      'b.kestrel': `IMPORT c FROM ./x/../c.kestrel\n${waits('b', 'c')}`,
      'c.kestrel': plan('c'),
    };
    const main = `IMPORT a FROM ./a.kestrel\nIMPORT b FROM ./b.kestrel\n${plan('d').replace('spot > 5', 'plan(a).done AND plan(b).done')}`;
    check({ main, folder }, []);
    const linked = link(main, { resolve: resolver(folder) });
    assert.deepEqual(
      linked.documents.map((d) => d.path),
      ['c.kestrel', 'a.kestrel', 'b.kestrel', ''],
    );
  });

  it('K013: a path that climbs above the root, here or in an import', () => {
    const folder = { 'x/a.kestrel': `IMPORT b FROM ../b.kestrel\n${waits('a', 'b')}`, 'b.kestrel': plan('b') };
    check({ main: `IMPORT a FROM ./x/a.kestrel\n${waits('c', 'a')}`, folder }, []);
    check({ main: `IMPORT b FROM ../b.kestrel\n${waits('c', 'b')}`, folder }, ['K013 1:15 ../b.kestrel']);
    const above = { 'x/a.kestrel': `IMPORT b FROM ../../b.kestrel\n${waits('a', 'b')}` };
    check({ main: `IMPORT a FROM ./x/a.kestrel\n${waits('c', 'a')}`, folder: above }, ['K013 1:15 ./x/a.kestrel']);
  });

  it('K002: a graph of too many documents ends', () => {
    const folder: Record<string, string> = {};
    for (let k = 0; k < importsMax + 20; k++) {
      folder[`d${k}.kestrel`] = `IMPORT p${k + 1} FROM ./d${k + 1}.kestrel\n${waits(`p${k}`, `p${k + 1}`)}`;
    }
    const { ok, diagnostics } = validate(folder['d0.kestrel']!, { resolve: resolver(folder), path: 'd0.kestrel' });
    assert.equal(ok, false);
    assert.match(diagnostics[0]!.message, new RegExp(`more than ${importsMax} documents`));
  });

  it('names like those of prototypes are names', () => {
    check(
      { main: `IMPORT constructor FROM ./a.kestrel\n${waits('b', 'constructor')}`, folder: { 'a.kestrel': plan('a') } },
      ['K011 1:8 constructor'],
    );
    check({ main: 'IMPORT a FROM ./toString\nWAKE w WHEN plan(a).done DELIVER valueOf\n', folder: {} }, [
      'K011 1:15 ./toString',
      'K001 2:34 valueOf',
    ]);
  });

  it('what the documents say together: named statements with what they need, and the USING they had at home', () => {
    const folder = {
      'lib.kestrel': `USING signal SPX exec SPY 0dte\n${plan('a', '  ARM helper\n')}${plan('helper')}${plan('other')}VIEW v levels\n`,
    };
    const main = `IMPORT a, v FROM ./lib.kestrel\nUSING signal QQQ exec QQQ\n${waits('b', 'a')}WAKE w WHEN spot > 1 DELIVER v\n`;
    const linked = link(main, { resolve: resolver(folder) });
    assert.deepEqual(linked.diagnostics, []);
    assert.equal(
      print(linked.document),
      [
        'PLAN a budget 1R ttl +5m',
        '  USING signal SPX exec SPY 0dte',
        '  WHEN spot > 5',
        '  DO buy 1 shares @ fair',
        '  TP 2x @ fair',
        '  ARM helper',
        'PLAN helper budget 1R ttl +5m',
        '  USING signal SPX exec SPY 0dte',
        '  WHEN spot > 5',
        '  DO buy 1 shares @ fair',
        '  TP 2x @ fair',
        'VIEW v levels',
        'PLAN b budget 1R ttl +5m',
        '  USING signal QQQ exec QQQ',
        '  WHEN plan(a).done',
        '  DO buy 1 shares @ fair',
        '  TP 2x @ fair',
        'WAKE w WHEN spot > 1 DELIVER v',
        '',
      ].join('\n'),
    );
  });

  it('with an error the documents say nothing together', () => {
    const linked = link(`${plan('a')}FOO\n`, {});
    assert.equal(linked.ok, false);
    assert.deepEqual(linked.document, { statements: [] });
  });
});
