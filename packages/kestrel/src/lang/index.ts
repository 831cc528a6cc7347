// The public list of the language: model, parser, printer, validator and the tables they are made from.
export { and, held, not, or, priceOf, ticketOf, triggerOf, within } from './build.ts';
export { card, cardExample } from './card.ts';
export { type CheckOptions, check, defaultSession } from './check.ts';
export { type CodeRow, codes } from './codes.ts';
export type { SessionHours } from './constancy.ts';
export { definitions, joinPath, type LinkedDocument, merge, type Resolver } from './imports.ts';
export * from './limits.ts';
export {
  amountText,
  clockS,
  clockText,
  decimalText,
  durationS,
  durationText,
  moneyText,
  seriesText,
} from './literals.ts';
export type * from './model.ts';
export type { KnownNames, NameKind } from './names.ts';
export { editDistance, nearest } from './nearest.ts';
export { type Parsed, parse } from './parse.ts';
export { instrumentText, planClauseText, priceExprText, priceText, print, ticketText, triggerText } from './print.ts';
export { literalUnits, type SeriesRow, type SeriesUnit, series, seriesNames } from './series.ts';
export type { SpanOf } from './spans.ts';
export { fillTables, languageTables } from './tables.ts';
export { type LeafKind, leavesOf, type TreeLeaf, type TreeNode, treeOf, treeText } from './tree.ts';
export { type Linked, link, type ValidateOptions, type Validation, validate } from './validate.ts';
export {
  anchorNames,
  anchors,
  armStates,
  dimensions,
  feeSchedules,
  fillModels,
  isDate,
  isMonth,
  isName,
  isPath,
  isSymbol,
  type PaneRow,
  panes,
  phases,
  planHeads,
  planStates,
  regimes,
  statementHeads,
} from './vocabulary.ts';
export { checkModel, checkTriggerModel, ModelFault } from './wellformed.ts';
