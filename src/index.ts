export type {
  AskPermission,
  NoUserAvailable,
  PermissionAnswer,
  PermissionQuestion,
  StepTimer,
} from './calls/call-environment.js'
export { MessageDiscardedError } from './calls/feed-calls.js'
export { readStructuredOutput } from './contract/attachments.js'
export type { CommandAnalysis, CommandLine } from './contract/command.js'
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
/** The default limits of results, calls and messages, as constants. */
export * as limits from './contract/limits.js'
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
export { PERMISSION_MODES, type PermissionMode } from './contract/permission/context.js'
export type {
  PermissionAllow,
  PermissionAsk,
  PermissionBehavior,
  PermissionDecision,
  PermissionDeny,
  PermissionPassthrough,
  PermissionResult,
  PermissionUpdate,
} from './contract/permission/result.js'
export {
  formatPermissionRule,
  type PermissionRule,
  PermissionRuleError,
  parsePermissionRule,
} from './contract/permission/rule.js'
export { PORT_NAMES, type PortName, type Ports } from './contract/ports/index.js'
export type { PathResource, Resource, ThingResource, ToolResources } from './contract/resources.js'
export type { AgentRuntime, ForkOptions, RunOptions, StartedRun, ToolRun, ToolRuntime } from './contract/runtime.js'
export {
  type InferOutput,
  type JsonSchema,
  LazySchema,
  lazySchema,
  type ObjectSchema,
  type StandardSchema,
} from './contract/schema.js'
export { buildTool } from './contract/tool/build-tool.js'
export { findToolByName } from './contract/tool/identity.js'
export type {
  CanUseTool,
  DescriptionOptions,
  PromptOptions,
  Tool,
  ToolContext,
  ToolResult,
  Tools,
  ValidationResult,
} from './contract/tool/tool.js'
export type { AnyObjectSchema, BuiltTool, ToolDef, ToolDefaults } from './contract/tool/tool-def.js'
export type { ToolViews, ViewOptions } from './contract/tool/views.js'
export type { View } from './contract/views.js'
export { createToolRuntime } from './runtime/create-tool-runtime.js'
export type { HaftRuntime } from './runtime/haft-runtime.js'
export type {
  ConversationOptions,
  EventOrigin,
  MachineOptions,
  PolicyOptions,
  SchedulingOptions,
  StorageOptions,
  TelemetryOptions,
  ToolRuntimeOptions,
} from './runtime/options.js'
export type { OtelContext, OtelSpan, OtelSpanOptions, OtelTracer } from './runtime/otel-tracer.js'
export type { PermissionRules } from './runtime/permissions/permission-rules.js'
export type { ToolSearchOptions } from './runtime/tools/tool-search-settings.js'
export { type AgentResult, type AgentRun, runAgent } from './sdk/run-agent.js'
export type { RunAgentOptions, SessionOption } from './sdk/run-agent-options.js'
export { NoAnswerError } from './session/conversation/no-answer-error.js'
export { builtInTools } from './tools/index.js'
export { findOutputSchemaProblem } from './tools/structured-output/answer-schema.js'
export { createStructuredOutputTool } from './tools/structured-output/tool.js'
