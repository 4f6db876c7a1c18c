export { chooseTools, TOOL_PRESETS, type ToolPresets, UnknownToolChoiceError } from './assembly/choose-tools.js'
export { type Assembly, type AssemblyTool, createAssembly } from './assembly/create-assembly.js'
export { filterToolsByDenyRules } from './assembly/filter-tools-by-deny-rules.js'
export { readEnvironment } from './assembly/read-environment.js'
export { registerTools } from './assembly/register-tools.js'
export { type PoolDefinitions, toolDefinitions } from './assembly/tool-definitions.js'
export type {
  AskPermission,
  NobodyToAsk,
  PermissionAnswer,
  PermissionQuestion,
  StepTimer,
} from './calls/call-environment.js'
export { MessageDiscardedError } from './calls/feed-calls.js'
export { extractLoadedSkills, type LoadedSkill, readStructuredOutput } from './contract/attachments.js'
export type { BuildFlag, Flag } from './contract/build-flags.js'
export {
  TOOL_CALL_ERRORS,
  TOOL_DEFINITION_ERRORS,
  ToolCallError,
  type ToolCallErrorCode,
  ToolDefinitionError,
  type ToolDefinitionErrorCode,
} from './contract/errors.js'
export type {
  CallEnded,
  CallProgressed,
  CallQueued,
  CallStarted,
  HookReported,
  InputRepaired,
  ModeEntered,
  PermissionAsked,
  PermissionDecided,
  ToolEvent,
} from './contract/events.js'
export {
  ENVIRONMENT_FLAGS,
  type Environment,
  type EnvironmentFlag,
  parseToolSearchMode,
  RUNTIME_FLAGS,
  type RuntimeFlag,
  type ToolSearchMode,
  type VariableFlag,
} from './contract/flags.js'
export type { ContentReplacementState, DenialTracking, HostState, ToolDecision } from './contract/host/host-state.js'
export * as limits from './contract/limits.js'
export { mcpToolName, normaliseMcpName } from './contract/mcp/name.js'
export {
  type AssistantMessage,
  type AttachmentMessage,
  type DocumentBlock,
  type ImageBlock,
  type Message,
  type SystemMessage,
  type TextBlock,
  type ThinkingBlock,
  type ToolDefinition,
  type ToolReferenceBlock,
  type ToolResultBlock,
  type ToolResultContent,
  type ToolUseBlock,
  textResult,
  type UserMessage,
} from './contract/messages.js'
export type { ModelEndpoint } from './contract/model/model.js'
export {
  createPermissionContext,
  PERMISSION_MODES,
  type PermissionMode,
  RULE_SOURCES,
  type RuleSource,
  type RulesBySource,
  type ToolPermissionContext,
  type WorkingDirectory,
} from './contract/permission/context.js'
export type {
  DecisionReason,
  PermissionAllow,
  PermissionAsk,
  PermissionBehavior,
  PermissionDecision,
  PermissionDeny,
  PermissionPassthrough,
  PermissionResult,
  PermissionUpdate,
  UpdateDestination,
} from './contract/permission/result.js'
export {
  formatPermissionRule,
  type PermissionRule,
  PermissionRuleError,
  parsePermissionRule,
} from './contract/permission/rule.js'
export type { AgentOutcome, AgentRequest, AgentsPort } from './contract/ports/agents.js'
export type { Answer, AskPort, Elicitation, ElicitationAnswer, Question } from './contract/ports/ask.js'
export type { BrowserPort } from './contract/ports/browser.js'
export type { CatalogAnswer, CatalogPort } from './contract/ports/catalog.js'
export type { CheckpointsPort, SaveCheckpointOptions } from './contract/ports/checkpoints.js'
export type { ClockPort } from './contract/ports/clock.js'
export { FileError, type FileErrorCode, isFileError } from './contract/ports/file-error.js'
export type {
  EditReport,
  ExpectedContent,
  FileChange,
  FileLine,
  FileLines,
  FileReadingLimits,
  FileStat,
  FilesPort,
  GlobLimits,
  GlobOptions,
  LineOptions,
  ReadFile,
  ReadOptions,
  WriteOptions,
  WrittenFile,
} from './contract/ports/files.js'
export type { HttpPort, HttpRequest, HttpResponse } from './contract/ports/http.js'
export { PORT_NAMES, type PortName, type Ports } from './contract/ports/index.js'
export {
  LSP_OPERATIONS,
  type LspDiagnostic,
  type LspOperation,
  type LspPort,
  type LspPosition,
} from './contract/ports/lsp.js'
export type { McpPort, McpResource, McpResourceContent } from './contract/ports/mcp.js'
export type { ModelPort } from './contract/ports/model.js'
export type { Notification, NotifyPort } from './contract/ports/notify.js'
export type { ReadFileEntry, ReadFileState } from './contract/ports/read-file-state.js'
export type { ScheduledTask, SchedulePort } from './contract/ports/schedule.js'
export {
  SearchError,
  type SearchPort,
  type SearchQuery,
  type SearchResult,
  type UnsearchedFile,
} from './contract/ports/search.js'
export type { SettingsPort } from './contract/ports/settings.js'
export type { ShellOutcome, ShellPort, ShellRequest } from './contract/ports/shell.js'
export type { AppState, AppStateUpdate, StatePort } from './contract/ports/state.js'
export type { BackgroundTask, TaskEnd, TaskStatus, TasksPort, TaskWork, WorkEnd } from './contract/ports/tasks.js'
export type { TerminalPort, TerminalSession } from './contract/ports/terminal.js'
export type { PathResource, Resource, ThingResource, ToolResources } from './contract/resources.js'
export type { AgentRuntime, ForkOptions, RunOptions, StartedRun, ToolRun, ToolRuntime } from './contract/runtime.js'
export {
  type InferOutput,
  type JsonSchema,
  LazySchema,
  lazySchema,
  type ObjectSchema,
  type ObjectValue,
  resolveSchema,
  type SchemaIssue,
  type SchemaResult,
  type StandardSchema,
} from './contract/schema.js'
export { buildTool } from './contract/tool/build-tool.js'
export type {
  AgentDefinition,
  CanUseToolFunction,
  ContextModifier,
  ContextOptions,
  CoreContext,
  LayeredContext,
  McpClientState,
  Skill,
  SkillSource,
  SlashCommand,
  ThinkingConfig,
} from './contract/tool/context.js'
export {
  discoveredTools,
  extractDiscoveredToolNames,
  isDeferredTool,
  type UserChannel,
} from './contract/tool/deferred-tools.js'
export {
  findToolByName,
  type McpInfo,
  type ToolIdentity,
  type ToolLoading,
  toolMatchesName,
} from './contract/tool/identity.js'
export { inputJSONSchemaOf } from './contract/tool/input-json-schema.js'
export { ruleNamesOf } from './contract/tool/rule-names.js'
export type {
  CanUseTool,
  DescriptionOptions,
  PromptOptions,
  Tool,
  ToolBehaviour,
  ToolContext,
  ToolCoreContext,
  ToolExecution,
  ToolObservedInput,
  ToolPermission,
  ToolResult,
  ToolScheduling,
  ToolSchemas,
  ToolSerialisation,
  Tools,
  ValidationResult,
} from './contract/tool/tool.js'
export type { AnyObjectSchema, BuiltTool, ToolDef, ToolDefaults } from './contract/tool/tool-def.js'
export {
  checkCallPermissions,
  hasDefault,
  isCallConcurrencySafe,
  isCallDestructive,
  isCallReadOnly,
  isToolEnabled,
} from './contract/tool/traits.js'
export type { GroupedToolUse, ToolViews, ViewOptions } from './contract/tool/views.js'
export { type ViewsOf, withViews } from './contract/tool/with-views.js'
export type { HookFunction } from './hooks/config/hook-config.js'
export type { HookPorts, McpToolAnswer, McpToolRequest } from './hooks/run/hook-call.js'
export type { HookPayload } from './hooks/run/hook-payload.js'
export type { Classifier, ClassifierAnswer, ClassifierRequest } from './permissions/auto-mode/classifier.js'
export { createModelClassifier } from './permissions/auto-mode/model-classifier.js'
export { createToolRuntime } from './runtime/create-tool-runtime.js'
export type { HaftRuntime } from './runtime/haft-runtime.js'
export type { HookGroup, HookSettings } from './runtime/hooks/create-hooks.js'
export type {
  ConversationOptions,
  EventSource,
  MachineOptions,
  PolicyOptions,
  SchedulingOptions,
  StorageOptions,
  TelemetryOptions,
  ToolRuntimeOptions,
} from './runtime/options.js'
export type { OtelContext, OtelSpan, OtelSpanOptions, OtelTracer } from './runtime/otel-tracer.js'
export type { PermissionRules } from './runtime/permissions/permission-rules.js'
export type { AppliedUpdates } from './runtime/permissions/permission-state.js'
export type { Deferral } from './runtime/tools/tool-disclosure.js'
export type { ToolSearchOptions } from './runtime/tools/tool-search-settings.js'
export { type LoadedSettings, type LoadSettingsOptions, loadSettings } from './settings/load-settings.js'
export type { PermissionRestrictions } from './settings/merge/restrict-layers.js'
export { SettingsSaveError } from './settings/save/change-settings-file.js'
export {
  type SavedUpdates,
  type SavePlaces,
  savePermissionUpdates,
} from './settings/save/save-permission-updates.js'
export { isProjectTrusted, TrustError, trustProject, untrustProject } from './settings/trust.js'
export {
  announceDeferredTools,
  type CurrentDeferredTools,
  type DeferredToolsNotice,
  deferredToolsText,
} from './tool-search/announce/announce-deferred-tools.js'
export type { DeferredName } from './tool-search/announce/announcement-text.js'
export { type CarriedRequest, keepDiscoveredTools, messageCarrier } from './tool-search/request/carry-messages.js'
export {
  type Carrier,
  type CarrierChoice,
  type CarrierFacts,
  chooseCarrier,
  isCarrierRejection,
} from './tool-search/request/choose-carrier.js'
export {
  type DeferralDecision,
  type DeferralFacts,
  decideDeferral,
  expectDeferral,
  type RequestFacts,
} from './tool-search/request/decide-deferral.js'
export { definitionTokens, estimateTokens } from './tool-search/request/estimate-tokens.js'
export { type CurrentTools, nextRequestTools, type RequestTools } from './tool-search/request/request-tools.js'
export { builtInTools } from './tools/index.js'
export { outputSchemaProblem } from './tools/structured-output/answer-schema.js'
export { structuredOutputTool } from './tools/structured-output/tool.js'
