/** The tidy test is only as good as its eyes: what it takes for an import, a comment and a literal. */
import { expect, test } from 'vitest';
import { codeOf, importsOf, withoutComments } from './sources.ts';

const specifiers = (text: string): string[] =>
  importsOf('packages/kestrel/src/lang/x.ts', text).map((found) => found.specifier);

test.each([
  ["import { a } from './a.ts';", ['./a.ts']],
  ["import type { A } from '../b/a.ts';", ['../b/a.ts']],
  ["import {\n  a,\n  type B,\n} from './many.ts';", ['./many.ts']],
  ["export * from './all.ts';\nexport type * from './types.ts';", ['./all.ts', './types.ts']],
  ["import './effect.ts';", ['./effect.ts']],
  ["const a = await import('./lazy.ts');", ['./lazy.ts']],
  ["type A = import('./type.ts').A;", ['./type.ts']],
  ["// import { a } from './a.ts';\n/* import './b.ts' */", []],
  ["export const from = 'x';", []],
])('imports of %j', (text, expected) => {
  expect(specifiers(text)).toEqual(expected);
});

test('an import knows its line and its target', () => {
  const [found] = importsOf('packages/kestrel/src/lang/x.ts', "// one\n\nimport { a } from '../market/a.ts';");
  expect(found).toMatchObject({ line: 3, to: 'packages/kestrel/src/market/a.ts' });
});

/** `{code}` inside a template, spelled so that it is none here. */
const hole = (code: string): string => '$' + `{${code}}`;

test.each([
  ["const a = 'Date'; Date.now(); // Date", ['const a = ', '; Date.now(); ']],
  [`const a = \`Date ${hole('Date.now()')} Date\`;`, [hole('Date.now()')]],
  [`const a = \`x ${hole(` {a: \`y ${hole('Math.pow(1, 2)')}\`} `)}\`; b();`, [hole('Math.pow(1, 2)'), 'b();']],
  ['const a = /[/"]Date/.test(s); Date();', ['.test(s); Date();']],
  ['const a = b / c; Date(); // /', ['b / c; Date();']],
  ["const a = 'it\\'s Date'; Date();", ['; Date();']],
])('code of %j keeps what runs', (text, kept) => {
  const code = codeOf(text);
  for (const piece of kept) expect(code).toContain(piece);
  expect(code.length).toBe(text.length);
});

test.each([
  "const a = 'Date'; // Date",
  `const a = \`Date ${hole('x')} Date\`;`,
  'const a = /Date/u.test(s);',
  '/** Date */',
])('code of %j has no Date', (text) => {
  expect(codeOf(text)).not.toContain('Date');
});

test('comments go, strings stay', () => {
  expect(withoutComments("a('// no'); // yes")).toBe("a('// no');       ");
});
