/** The cases of oracle.json, which oracle.py makes, by name of field. */
import { readFileSync } from 'node:fs';

export interface OracleCase {
  readonly fE4: number;
  readonly kE4: number;
  readonly sigma: number;
  readonly tYears: number;
  readonly volYears: number;
  readonly call: number;
  readonly put: number;
  readonly deltaCall: number;
  readonly deltaPut: number;
  readonly gamma: number;
  readonly vega: number;
  readonly thetaDay: number;
  /** The volatility that the out-of-the-money price above implies; null where it is too small to say. */
  readonly implied: number | null;
}

const file: { readonly fields: readonly string[]; readonly rows: readonly (number | null)[][] } = JSON.parse(
  readFileSync(new URL('oracle.json', import.meta.url), 'utf8'),
);

export const ORACLE = file.rows.map((row) =>
  Object.fromEntries(file.fields.map((field, i) => [field, row[i]])),
) as unknown as readonly OracleCase[];
