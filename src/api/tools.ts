export { chooseTools, TOOL_PRESETS, type ToolPresets, UnknownToolChoiceError } from '../assembly/choose-tools.js'
export { type Assembly, type AssemblyTool, createAssembly } from '../assembly/create-assembly.js'
export { readEnvironment } from '../assembly/read-environment.js'
export { registerTools } from '../assembly/register-tools.js'
export { type PoolDefinitions, toolDefinitions } from '../assembly/tool-definitions.js'
export type { BuildFlag, Flag } from '../contract/build-flags.js'
export type { FileForUser, MessageToUser, UserMessaged } from '../contract/events.js'
export {
  ENVIRONMENT_FLAGS,
  type Environment,
  type EnvironmentFlag,
  RUNTIME_FLAGS,
  type RuntimeFlag,
  type VariableFlag,
} from '../contract/flags.js'
export type { ContentReplacementState, HostState } from '../contract/host/host-state.js'
export { type ObjectValue, resolveSchema, type SchemaIssue, type SchemaResult } from '../contract/schema.js'
export type {
  ContextModifier,
  ContextOptions,
  CoreContext,
  LayeredContext,
  SlashCommand,
} from '../contract/tool/context.js'
export {
  type ConvertForeignInput,
  type ForeignNames,
  type ToolIdentity,
  type ToolLoading,
  toolMatchesName,
} from '../contract/tool/identity.js'
export { inputJSONSchemaOf } from '../contract/tool/input-json-schema.js'
export type {
  ToolBehaviour,
  ToolCoreContext,
  ToolExecution,
  ToolObservedInput,
  ToolPermission,
  ToolScheduling,
  ToolSchemas,
  ToolSerialisation,
} from '../contract/tool/tool.js'
export {
  checkCallPermissions,
  hasDefault,
  isCallConcurrencySafe,
  isCallDestructive,
  isCallReadOnly,
  isToolEnabled,
} from '../contract/tool/traits.js'
