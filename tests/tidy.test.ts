/** The invariants of ARCHITECTURE.md, each a test that bears its name. */
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codeOf, filesUnder, importsOf, root, textOf, withoutComments } from './sources.ts';

/** Floors of each package, lowest first; folders on one floor do not know each other. */
const FLOORS: Record<string, readonly (readonly string[])[]> = {
  ground: [['.']],
  kestrel: [
    ['lang', 'market'],
    ['engine'],
    ['session', 'store'],
    ['protocol'],
    ['cli', 'mcp', 'serve', 'client'],
    ['bin'],
  ],
  'agent-eval': [['rubric'], ['judge', 'store'], ['wire', 'dispatch'], ['cli'], ['bin']],
};

/** Where a program or a library begins; whatever none of them reaches is dead. */
const ENTRIES: Record<string, readonly string[]> = {
  kestrel: [
    'src/bin/main.ts',
    'src/lang/index.ts',
    'src/market/index.ts',
    'src/engine/index.ts',
    'src/session/index.ts',
  ],
  'agent-eval': [],
};

const FIXTURE_BYTES_MAX = 16_384;

/** Rooms that see no clock, disk, network, environment or randomness. */
const PURE = [
  'packages/kestrel/src/lang',
  'packages/kestrel/src/engine',
  'packages/kestrel/src/session',
  'packages/agent-eval/src/rubric',
];

/** What a pure room may not name, outside comments and literals. */
const IMPURE =
  /(?<![\w.$'#])(Date|process|performance|globalThis|fetch|setTimeout|setInterval|setImmediate|crypto|Intl|navigator|require|WebSocket|XMLHttpRequest)\b(?!\s*\??:)/;
/** Host functions whose last bit no standard fixes, and those that differ from run to run or host to host. */
const UNFIXED =
  /\bMath\.(random|exp|expm1|log|log2|log10|log1p|pow|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|cbrt|hypot)\b|\.toLocale\w*|\.localeCompare\b/;

const sources = Object.keys(FLOORS).flatMap((name) =>
  filesUnder(`packages/${name}/src`).filter((path) => path.endsWith('.ts')),
);
const owned = filesUnder('.').filter((path) => !path.startsWith('clients/'));
const written = owned.filter((path) => /\.(ts|mjs|js|json|md|kes|ya?ml|py|sh|html|css)$|(^|\/)run$/.test(path));

/** `packages/kestrel/src/lang/parse.ts` -> kestrel, lang */
function placeOf(path: string): { pkg: string; room: string; floor: number } {
  const [, pkg, , ...rest] = path.split('/') as [string, string, string, ...string[]];
  const room = rest.length > 1 ? rest[0]! : '.';
  return { pkg, room, floor: FLOORS[pkg]!.findIndex((rooms) => rooms.includes(room)) };
}

const allImports = sources.flatMap((path) => importsOf(path));

/** Fails with the list of what breaks the rule; the list is the message. */
function none(broken: readonly string[]): void {
  expect(broken).toEqual([]);
}

describe('imports point down, types too', () => {
  test('every room stands on a floor', () => {
    none(sources.filter((path) => placeOf(path).floor < 0));
  });

  test('no import points up or sideways', () => {
    none(
      allImports.flatMap(({ from, to, line }) => {
        if (to === undefined || !to.startsWith('packages/')) return [];
        const a = placeOf(from);
        const b = placeOf(to);
        if (b.pkg === 'ground' || to.endsWith('package.json')) return [];
        if (a.pkg !== b.pkg) return [`${from}:${line} reaches into ${b.pkg}`];
        if (a.room === b.room || b.floor < a.floor) return [];
        return [`${from}:${line} ${a.room} (floor ${a.floor + 1}) imports ${b.room} (floor ${b.floor + 1})`];
      }),
    );
  });

  test('doors do not know each other', () => {
    const doors = new Set(['cli', 'mcp', 'serve', 'client']);
    none(
      allImports.flatMap(({ from, to }) => {
        if (to === undefined || !to.startsWith('packages/')) return [];
        const [a, b] = [placeOf(from).room, placeOf(to).room];
        return doors.has(a) && doors.has(b) && a !== b ? [`${from} imports ${to}`] : [];
      }),
    );
  });

  test('ground names no product', () => {
    const product = /\b(kestrel|plan|tape|blotter|order|fill|rubric|judge|verdict|session)s?\b/i;
    none(filesUnder('packages/ground/src').filter((path) => product.test(withoutComments(textOf(path)))));
  });

  test('every imported file exists', () => {
    none(
      allImports
        .filter(({ to }) => to !== undefined && !existsSync(join(root, to)))
        .map(({ from, specifier, line }) => `${from}:${line} imports ${specifier}`),
    );
  });
});

test('no cycles', () => {
  const graph = new Map(
    sources.map((path) => [path, importsOf(path).flatMap(({ to }) => (to === undefined ? [] : [to]))]),
  );
  const state = new Map<string, 'open' | 'done'>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (state.get(path) === 'done') return;
    if (state.get(path) === 'open') {
      cycles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
      return;
    }
    state.set(path, 'open');
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
    state.set(path, 'done');
  };
  for (const path of graph.keys()) visit(path, []);
  none(cycles);
});

test("a folder's index.ts is its public list", () => {
  none(
    allImports.flatMap(({ from, to, line }) => {
      if (to === undefined || !to.startsWith('packages/') || !to.endsWith('.ts')) return [];
      const [a, b] = [placeOf(from), placeOf(to)];
      if (b.pkg === 'ground' || a.room === b.room || basename(to) === 'index.ts') return [];
      const index = `packages/${b.pkg}/src/${b.room}/index.ts`;
      // A door is opened by its own file, so that it loads nothing of its neighbours.
      if (a.room === 'bin') return [];
      if (!existsSync(join(root, index))) return [`${from}:${line} imports ${to}, and ${b.room} has no index.ts`];
      const listed = importsOf(index).some((entry) => entry.to === to);
      return listed ? [] : [`${from}:${line} imports ${to}, which ${index} does not list`];
    }),
  );
});

test('no dead files', () => {
  const dead = Object.entries(ENTRIES).flatMap(([pkg, listed]) => {
    const own = sources.filter((path) => path.startsWith(`packages/${pkg}/src/`));
    const entries = [...listed.map((entry) => `packages/${pkg}/${entry}`), ...builtEntries(pkg)];
    const reached = new Set(entries.filter((entry) => own.includes(entry)));
    for (const path of reached)
      for (const { to } of importsOf(path)) if (to !== undefined && own.includes(to)) reached.add(to);
    return own.filter((path) => !reached.has(path));
  });
  const ground = new Set(allImports.map(({ to }) => to));
  none([...dead, ...filesUnder('packages/ground/src').filter((path) => !ground.has(path))]);
});

/** Sources that `packages/<name>/build.mjs` names. */
function builtEntries(pkg: string): string[] {
  const path = `packages/${pkg}/build.mjs`;
  if (!existsSync(join(root, path))) return [];
  return [...textOf(path).matchAll(/['"](src\/[^'"]+\.ts)['"]/g)].map((match) => `packages/${pkg}/${match[1]}`);
}

describe('pure rooms see no clock, disk, network, environment or randomness', () => {
  const pure = sources.filter(
    (path) =>
      PURE.some((room) => path.startsWith(`${room}/`)) ||
      /agent-eval\/src\/judge\/[^/]*(parse|verdict)[^/]*\.ts$/.test(path),
  );

  test('they import neither Node nor the network', () => {
    none(
      pure.flatMap((path) =>
        importsOf(path)
          .filter(
            ({ specifier }) => specifier.startsWith('node:') || ['ground/sqlite', 'ground/folder'].includes(specifier),
          )
          .map(({ specifier, line }) => `${path}:${line} imports ${specifier}`),
      ),
    );
  });

  test('they name nothing of the host', () => {
    none(pure.flatMap((path) => linesWith(path, IMPURE)));
  });

  test('they call no host function whose bits are not fixed', () => {
    const exact = sources.filter(
      (path) => pure.includes(path) || path.startsWith('packages/kestrel/src/market/synth/'),
    );
    none(exact.flatMap((path) => linesWith(path, UNFIXED)));
  });
});

function linesWith(path: string, pattern: RegExp): string[] {
  return codeOf(textOf(path))
    .split('\n')
    .flatMap((line, i) => (pattern.test(line) ? [`${path}:${i + 1} ${line.trim().slice(0, 100)}`] : []));
}

describe('one op or wire method is one file and one line in a list', () => {
  const lists = [
    {
      folder: 'packages/kestrel/src/protocol/ops',
      list: 'packages/kestrel/src/protocol/op-list.ts',
      rooms: ['protocol', 'mcp', 'serve', 'client'],
    },
    {
      folder: 'packages/agent-eval/src/wire/methods',
      list: 'packages/agent-eval/src/wire/methods/index.ts',
      rooms: ['wire', 'dispatch'],
    },
  ].filter(({ list }) => existsSync(join(root, list)));

  test.each(lists)('$folder', ({ folder, list }) => {
    const files = sources.filter((path) => path.startsWith(`${folder}/`) && basename(path) !== 'index.ts');
    expect(files.length).toBeGreaterThan(0);
    none(files.filter((path) => !new RegExp(`^ {2}name: '${basename(path, '.ts')}',$`, 'm').test(textOf(path))));
    const listed = importsOf(list).flatMap(({ to }) => (to?.startsWith(`${folder}/`) ? [to] : []));
    expect(listed.sort()).toEqual(files);
  });

  test.each(lists)('nothing beside $folder branches on a name', ({ folder, rooms }) => {
    const files = sources.filter((path) => path.startsWith(`${folder}/`) && basename(path) !== 'index.ts');
    const names = files.map((path) => basename(path, '.ts').replaceAll('.', '\\.')).join('|');
    // Some names are ordinary words (`start`): only what is compared as a name counts.
    const branch = new RegExp(
      `\\b(?:op|name|method)\\b\\)? *[=!]==? *['"](?:${names})['"]|\\bswitch \\((?:\\w+\\.)*(?:op|opName|method|methodName)(?:\\.name)?\\)`,
    );
    const pkg = folder.split('/').slice(0, 3).join('/');
    const others = sources.filter(
      (path) => rooms.some((room) => path.startsWith(`${pkg}/${room}/`)) && !files.includes(path),
    );
    none(others.flatMap((path) => rawLinesWith(path, branch)));
  });
});

describe('banned words', () => {
  test('no file is called util, helper, common or manager', () => {
    const banned = /(^|[-_.])(utils?|helpers?|common|managers?|misc)([-_.]|$)/i;
    none(owned.filter((path) => path.split('/').some((part) => banned.test(part))));
  });

  test('nothing is left for later', () => {
    const later = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X'.repeat(3), 'HA' + 'CK'].join('|')})\\b`);
    none(written.filter((path) => path !== 'package-lock.json').flatMap((path) => rawLinesWith(path, later)));
  });

  test('no path of a machine and no host of a registry', () => {
    const machine = new RegExp(`(^|[^\\w.])/(${['work', 'farm', 'root', 'home/\\w+', 'Users/\\w+'].join('|')})/`);
    const registry = new RegExp(
      `https?://(${['registry', 'files', 'deb', 'npm', 'pypi'].join('|')})\\.|registry\\.${'npmjs'}`,
    );
    const checked = written.filter((path) => path !== 'package-lock.json');
    none(checked.flatMap((path) => [...rawLinesWith(path, machine), ...rawLinesWith(path, registry)]));
  });

  test('the lockfile holds no addresses', () => {
    none(rawLinesWith('package-lock.json', /"resolved": "(?!packages\/)/));
  });

  test('no boolean parameters', () => {
    const parameter = /^export (?:async )?function \w+\((?:[^(){}]*?,)?\s*\w+\??: boolean\b/m;
    none(sources.filter((path) => parameter.test(withoutComments(textOf(path)))));
  });
});

function rawLinesWith(path: string, pattern: RegExp): string[] {
  return textOf(path)
    .split('\n')
    .flatMap((line, i) => (pattern.test(line) ? [`${path}:${i + 1} ${line.trim().slice(0, 120)}`] : []));
}

describe('the documentation', () => {
  const pages = owned.filter((path) => path.endsWith('.md'));

  test('every link of a page leads somewhere', () => {
    const link = /\]\((?!https?:|mailto:|#)([^)\s#]+)(?:#[^)]*)?\)/g;
    none(
      pages.flatMap((path) =>
        [...textOf(path).matchAll(link)]
          .filter((match) => !existsSync(join(root, dirname(path), match[1]!)))
          .map((match) => `${path} links to ${match[1]}`),
      ),
    );
  });

  test('every page of docs/ stands in its index', () => {
    const index = textOf('docs/README.md');
    none(
      pages.filter(
        (path) => /^docs\/[^/]+\.md$/.test(path) && path !== 'docs/README.md' && !index.includes(`(${basename(path)})`),
      ),
    );
  });
});

test('versions are exact', () => {
  const manifests = [
    'package.json',
    ...filesUnder('packages').filter((path) => /^packages\/[^/]+\/package\.json$/.test(path)),
  ];
  none(
    manifests.flatMap((path) => {
      const manifest = JSON.parse(textOf(path));
      const fields = ['dependencies', 'devDependencies', 'optionalDependencies'];
      const pairs = fields.flatMap((field) => Object.entries<string>(manifest[field] ?? {}));
      return pairs
        .filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))
        .map(([name, version]) => `${path}: ${name} ${version}`);
    }),
  );
});

test('every used package is a dependency', () => {
  const broken: string[] = [];
  for (const pkg of ['kestrel', 'agent-eval']) {
    const manifest = JSON.parse(textOf(`packages/${pkg}/package.json`));
    const declared = new Set(Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }));
    for (const path of sources.filter(
      (source) => source.startsWith(`packages/${pkg}/`) || source.startsWith('packages/ground/'),
    )) {
      for (const { specifier } of importsOf(path)) {
        if (specifier.startsWith('.') || specifier.startsWith('node:') || specifier.startsWith('ground/')) continue;
        const name = specifier
          .split('/')
          .slice(0, specifier.startsWith('@') ? 2 : 1)
          .join('/');
        if (!declared.has(name) && path.startsWith(`packages/${pkg}/`))
          broken.push(`${path} imports ${specifier}, undeclared`);
      }
    }
  }
  none(broken);
});

test('a file says in a line at its top what lives there', () => {
  none(sources.filter((path) => !/^(#!.*\n)?\s*(\/\*\*|\/\/|\/\*)/.test(textOf(path))));
});

test('what git tracks is small, and no market data is among it', () => {
  if (!existsSync(join(root, '.git'))) return;
  const tracked = execFileSync('git', ['ls-files', '-s', '-z'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter(Boolean);
  expect(tracked.length).toBeGreaterThan(0);
  const names = tracked.map((row) => row.slice(row.indexOf('\t') + 1));
  // A test may keep a small file of its own making; a vendor's day is larger than that.
  const isFixture = (path: string): boolean =>
    path.includes('/tests/') && statSync(join(root, path)).size <= FIXTURE_BYTES_MAX;
  none(
    names.filter(
      (path) =>
        existsSync(join(root, path)) &&
        ((/\.(zip|parquet|kcols)$/.test(path) && !isFixture(path)) || /(^|\/)(lean|derived)\/(?!.*\.ts$)/.test(path)),
    ),
  );
  none(names.filter((path) => basename(dirname(path)) === 'node_modules' || path.includes('/dist/')));
});
