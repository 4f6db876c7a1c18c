export { filterToolsByDenyRules } from '../assembly/filter-tools-by-deny-rules.js'
export type { DenialTracking, ToolDecision } from '../contract/host/host-state.js'
export {
  createPermissionContext,
  RULE_SOURCES,
  type RuleSource,
  type RulesBySource,
  type ToolPermissionContext,
  type WorkingDirectory,
} from '../contract/permission/context.js'
export type { DecisionReason, UpdateDestination } from '../contract/permission/result.js'
export type { CanUseToolFunction } from '../contract/tool/context.js'
export { ruleNamesOf } from '../contract/tool/rule-names.js'
export type { Classifier, ClassifierAnswer, ClassifierRequest } from '../permissions/auto-mode/classifier.js'
export { createModelClassifier } from '../permissions/auto-mode/model-classifier.js'
export type { AppliedUpdates } from '../runtime/permissions/permission-state.js'
