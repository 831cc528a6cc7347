/** version: which package and protocol this is. */
import type { Method } from '../method.ts';
import { PACKAGE_NAME, PACKAGE_VERSION, WIRE_VERSION } from '../version.ts';

/** In the seed's order; a test holds it to the list of methods. */
const API_SURFACE = ['judge', 'listRubrics', 'version', 'feedback.ingest', 'traces.ingest'];

const ANSWER = {
  package: PACKAGE_NAME,
  version: PACKAGE_VERSION,
  wireVersion: WIRE_VERSION,
  apiSurface: API_SURFACE,
};

export const version: Method = {
  name: 'version',
  verb: 'GET',
  path: '/v1/version',
  summary: 'Server and wire-protocol versions',
  description: 'What a client probes before it uses HTTP. Needs no token.',
  media: [],
  access: 'open',
  codes: [],
  request: null,
  response: 'VersionResponseSchema',
  example: ANSWER,
  async call() {
    return { value: ANSWER };
  },
};
