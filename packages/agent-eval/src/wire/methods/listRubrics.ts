/** listRubrics: the rubrics that this server knows by name. */
import type { RubricCatalog } from '../../rubric/index.ts';
import type { Method } from '../method.ts';

export const listRubrics: Method = {
  name: 'listRubrics',
  verb: 'GET',
  path: '/v1/rubrics',
  summary: 'Discover the rubrics that are registered',
  description: 'Built-in rubrics and those of --rubrics, each with its identity.',
  media: [],
  access: 'guarded',
  codes: [],
  request: null,
  response: 'ListRubricsResponseSchema',
  example: {
    rubrics: [
      {
        name: 'r',
        description: 'd',
        dimensions: [{ id: 'd1', description: 'x', weight: 1 }],
        failureModes: [],
        rubricVersion: 'r@sha256-rfc8785:0581cba4523ccaa2abf044a3a5c7688988abdd4aef9194f4befce16ba3a2e8d0',
      },
    ],
  },
  async call({ service }) {
    return { value: { rubrics: listed(service.rubrics) } };
  },
};

function listed(catalog: RubricCatalog) {
  return [...catalog.values()].map(({ rubric, version }) => ({
    name: rubric.name,
    description: rubric.description,
    dimensions: rubric.dimensions.map(({ id, description, weight }) => ({ id, description, weight })),
    failureModes: rubric.failureModes.map(({ id }) => id),
    rubricVersion: version,
  }));
}
