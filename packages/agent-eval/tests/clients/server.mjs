/** The service for generated clients: stores in memory, and a model that always gives the verdict it is asked for. */
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packageRoot = join(dirname(fileURLToPath(import.meta.url)), '../..');
export const root = join(packageRoot, '../..');
export const program = join(packageRoot, 'dist/bin/agent-eval.js');

/** Scores everything at the lowest of its range, which the schema's descriptions give. */
const agreeable = {
  defaultModel: 'agreeable',
  async answer({ schema }) {
    const dimensions = Object.entries(schema.properties.dimensions.properties).map(([id, { description }]) => [
      id,
      Number(/^from (\S+) to/.exec(description)[1]),
    ]);
    const text = JSON.stringify({ dimensions: Object.fromEntries(dimensions), rationale: 'as asked' });
    return { text, finish: 'stop' };
  },
};

export function build() {
  execFileSync(process.execPath, ['scripts/build.mjs', 'agent-eval', '--no-types'], { cwd: root, stdio: 'ignore' });
}

export async function startAgreeable(options = {}) {
  const { memoryStore, startServer } = await import('../../dist/index.js');
  return startServer({ port: 0, model: agreeable, store: memoryStore(), ...options });
}
