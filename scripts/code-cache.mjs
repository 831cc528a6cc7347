/**
 * Run by the build as a process of its own: loads one bundled door as its loader does, lets it answer once, and keeps
 * V8's compiled code of all that ran beside it. V8 itself refuses the cache of another version, of other flags, or of
 * another source.
 *
 * `node code-cache.mjs CODE-FILE CACHE-FILE EXPORT ARGUMENT…`, the door's input on stdin.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';

const [code, cache, call, ...argv] = process.argv.slice(2);
const script = new Script(wrapped(readFileSync(code, 'utf8')), { filename: code });
const module = { exports: {} };
process.argv = [process.argv[0], code, ...argv];
script.runInThisContext()(module.exports, createRequire(code), module, code, dirname(code));
await module.exports[call](argv);
const draft = `${cache}.${process.pid}`;
writeFileSync(draft, script.createCachedData());
renameSync(draft, cache);
// A door may have left a server or a timer behind; what it compiled is kept by now.
process.exit(0);

function wrapped(source) {
  return `(function(exports,require,module,__filename,__dirname){${source}\n})`;
}
