/** Documents that a document imports: files under its own folder, which is the root that no path may leave. */
import { isUtf8 } from 'node:buffer';
import { realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { documentBytesMax, type ValidateOptions } from '../lang/index.ts';
import type { Source, Streams } from './streams.ts';

/** @returns the options under which `validate` and `link` resolve the imports of the document at `source` */
export function importsBeside(source: Source, streams: Streams): Pick<ValidateOptions, 'path' | 'resolve'> {
  if (source === '-') return {};
  const root = dirname(source);
  return { path: basename(source), resolve: (path) => textUnder(root, path, streams) };
}

/** What cannot be read is not there: the language says so at the IMPORT that wanted it. */
function textUnder(root: string, path: string, streams: Streams): string | undefined {
  try {
    const place = realpathSync(join(root, path));
    // A link may not lead where a path may not.
    if (!place.startsWith(withEnd(realpathSync(root)))) return undefined;
    const { bytes, cut } = streams.read(place, documentBytesMax * 4);
    return cut || isUtf8(bytes) ? Buffer.from(bytes).toString('utf8') : undefined;
  } catch {
    return undefined;
  }
}

const withEnd = (folder: string): string => (folder.endsWith(sep) ? folder : folder + sep);
