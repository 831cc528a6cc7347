/** The repository as the tidy test sees it: files, their imports, and their code without comments and literals. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const SKIPPED = new Set([
  'node_modules',
  'dist',
  '.git',
  '.cache',
  '.venv',
  '__pycache__',
  '.pytest_cache',
  '.hypothesis',
]);

/** Paths relative to the root, with `/`, in order. */
export function filesUnder(folder: string): string[] {
  const found: string[] = [];
  const start = join(root, folder);
  if (!existsSync(start)) return found;
  const todo = [start];
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      if (SKIPPED.has(entry.name)) continue;
      const path = join(at, entry.name);
      if (entry.isDirectory()) todo.push(path);
      else found.push(relative(root, path).split(sep).join('/'));
    }
  }
  return found.sort();
}

export const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

export interface Import {
  readonly from: string;
  /** As written. */
  readonly specifier: string;
  /** Relative to the root; absent for packages and node: modules. */
  readonly to?: string;
  readonly line: number;
}

const IMPORT = /^[ \t]*(?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*(['"])([^'"\n]+)\1|\bimport\(\s*(['"])([^'"\n]+)\3/gm;

/** Every import of a file: static, type-only, re-export, and dynamic or type `import('…')`. */
export function importsOf(path: string, text = textOf(path)): Import[] {
  const bare = withoutComments(text);
  return [...bare.matchAll(IMPORT)].map((match) => {
    const specifier = (match[2] ?? match[4])!;
    const to = targetOf(path, specifier);
    const line = bare.slice(0, match.index).split('\n').length;
    return { from: path, specifier, line, ...(to === undefined ? {} : { to }) };
  });
}

function targetOf(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('ground/')) return `packages/ground/src/${specifier.slice('ground/'.length)}.ts`;
  if (!specifier.startsWith('.')) return undefined;
  return join(dirname(from), specifier).split(sep).join('/');
}

/** The same text with comments blanked out, line ends kept. */
export const withoutComments = (text: string): string => blank(text, 'comments');

/** The same text with comments and the insides of strings, templates and regular expressions blanked out. */
export const codeOf = (text: string): string => blank(text, 'comments-and-literals');

/** Before a `/` that begins a regular expression stands one of these, or a word of the list. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|void|throw))\s*$/;

function blank(text: string, what: 'comments' | 'comments-and-literals'): string {
  const literals = what === 'comments-and-literals';
  let out = '';
  let at = 0;
  /** Depth of braces inside each open `${`. */
  const holes: number[] = [];
  const hide = (end: number, hidden: boolean): void => {
    const piece = text.slice(at, end);
    out += hidden ? piece.replace(/[^\n]/g, ' ') : piece;
    at = end;
  };
  const template = (): void => {
    let end = at;
    while (end < text.length && text[end] !== '`' && !text.startsWith('${', end)) end += text[end] === '\\' ? 2 : 1;
    hide(end, literals);
    if (text[at] === '`') hide(at + 1, false);
    else if (at < text.length) {
      holes.push(0);
      hide(at + 2, false);
    }
  };
  while (at < text.length) {
    const char = text[at]!;
    if (text.startsWith('//', at) || (at === 0 && text.startsWith('#!'))) {
      const end = text.indexOf('\n', at);
      hide(end < 0 ? text.length : end, true);
    } else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      hide(end < 0 ? text.length : end + 2, true);
    } else if (char === "'" || char === '"') {
      let end = at + 1;
      while (end < text.length && text[end] !== char && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1;
      hide(at + 1, false);
      hide(end, literals);
      hide(Math.min(end + 1, text.length), false);
    } else if (char === '`') {
      hide(at + 1, false);
      template();
    } else if (char === '/' && BEFORE_REGEX.test(out.slice(-40))) {
      let end = at + 1;
      let inClass = false;
      while (end < text.length && text[end] !== '\n' && (inClass || text[end] !== '/')) {
        if (text[end] === '[') inClass = true;
        if (text[end] === ']') inClass = false;
        end += text[end] === '\\' ? 2 : 1;
      }
      hide(at + 1, false);
      hide(end, literals);
      hide(Math.min(end + 1, text.length), false);
    } else if (holes.length > 0 && char === '{') {
      holes[holes.length - 1]!++;
      hide(at + 1, false);
    } else if (holes.length > 0 && char === '}') {
      if (holes.at(-1) === 0) {
        holes.pop();
        hide(at + 1, false);
        template();
      } else {
        holes[holes.length - 1]!--;
        hide(at + 1, false);
      }
    } else hide(at + 1, false);
  }
  return out;
}
