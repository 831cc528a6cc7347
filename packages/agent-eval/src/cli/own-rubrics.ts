/** Rubrics of one's own: a folder of YAML or JSON files, one rubric each, checked before anything is served. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { type Rubric, rubricCatalog, rubricProblems } from '../rubric/index.ts';
import { RubricSchema } from '../wire/schemas.ts';
import { UsageError } from './usage.ts';

const FILES_MAX = 256;
const FILE_BYTES_MAX = 1024 * 1024;

/** @throws UsageError naming the file and what is wrong with it */
export function ownRubrics(dir: string): Rubric[] {
  let names: string[];
  try {
    names = readdirSync(dir)
      .filter((name) => /\.(?:ya?ml|json)$/i.test(name))
      .sort();
  } catch (error) {
    throw new UsageError(`--rubrics: ${(error as Error).message}`);
  }
  if (names.length === 0) throw new UsageError(`--rubrics: no .yaml, .yml or .json file in ${dir}`);
  if (names.length > FILES_MAX)
    throw new UsageError(`--rubrics: at most ${FILES_MAX} files, ${dir} has ${names.length}`);
  const rubrics = names.map((name) => readRubric(join(dir, name)));
  try {
    rubricCatalog(rubrics);
  } catch (error) {
    throw new UsageError(`--rubrics: ${(error as Error).message}`);
  }
  return rubrics;
}

function readRubric(file: string): Rubric {
  const fail = (what: string): never => {
    throw new UsageError(`--rubrics: ${file}: ${what}`);
  };
  let value: unknown;
  try {
    if (statSync(file).size > FILE_BYTES_MAX) fail(`a rubric has at most ${FILE_BYTES_MAX} bytes`);
    const text = readFileSync(file, 'utf8');
    value = file.toLowerCase().endsWith('.json') ? JSON.parse(text) : parseYaml(text);
  } catch (error) {
    return fail((error as Error).message.split('\n')[0]!);
  }
  const parsed = RubricSchema.safeParse(value);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    return fail(`${path.map(String).join('.')}: ${message}`);
  }
  const problem = rubricProblems(parsed.data)[0];
  return problem === undefined ? parsed.data : fail(`${problem.path}: ${problem.message}`);
}
