/** A rubric's identity: scores compare only where it is the same. */
import { hashOf } from 'ground/digest';
import type { Rubric } from './rubric.ts';

/** `<name>@sha256-rfc8785:<64 hex digits>` */
export type RubricVersion = string & { readonly __brand: 'rubric-version' };

/**
 * Hashes the rubric as judged by: defaults applied, unknown keys gone. Field by field, so that a key which someone
 * adds to an object in passing never changes an identity.
 */
export function rubricVersion(rubric: Rubric): RubricVersion {
  const tags = (list: Rubric['wins']) => list.map(({ id, description }) => ({ id, description }));
  const hash = hashOf({
    name: rubric.name,
    description: rubric.description,
    systemPrompt: rubric.systemPrompt,
    dimensions: rubric.dimensions.map(({ id, description, weight, min, max }) => ({
      id,
      description,
      weight,
      min,
      max,
    })),
    failureModes: tags(rubric.failureModes),
    wins: tags(rubric.wins),
  });
  return `${rubric.name}@sha256-rfc8785:${hash}` as RubricVersion;
}
