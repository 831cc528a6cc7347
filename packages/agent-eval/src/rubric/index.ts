/** Rubrics: shape, identity, composite and the built-in ones. Pure. */
export { BUILTIN_RUBRICS, type CatalogEntry, type RubricCatalog, rubricCatalog } from './catalog.ts';
export { composite } from './composite.ts';
export { type RubricVersion, rubricVersion } from './identity.ts';
export {
  DIMENSIONS_MAX,
  type Rubric,
  type RubricDimension,
  type RubricProblem,
  type RubricTag,
  rubricProblems,
  TAGS_MAX,
} from './rubric.ts';
