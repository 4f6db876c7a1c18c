export { extractLoadedSkills, type LoadedSkill } from '../contract/attachments.js'
export type { AgentDefinition, Skill, SkillSource } from '../contract/tool/context.js'
export { type AgentKind, BUILT_IN_KINDS } from '../session/agents/agent-kinds.js'
export type { AgentInfo, AgentsOptions, AgentTranscripts, MainConversation } from '../session/agents/agents-options.js'
export { createAgents } from '../session/agents/create-agents.js'
export { type LoadAgentKindsOptions, loadAgentKinds } from '../session/agents/load-agent-kinds.js'
export { type AnnouncedContext, announceContext } from '../session/announce-context.js'
export { type ContextKeeperOptions, createContextKeeper } from '../session/context/create-context-keeper.js'
export {
  createSystemPrompt,
  type EnvironmentFacts,
  type SystemPromptOptions,
} from '../session/context/system-prompt.js'
export { Conversation, type ConversationLog } from '../session/conversation/conversation.js'
export { PendingNotices } from '../session/conversation/pending-notices.js'
export type {
  CountedMessages,
  EmitEvent,
  EndReason,
  MessageFacts,
  QueryEnd,
  RewriteCause,
  SessionEvent,
} from '../session/conversation/session-event.js'
export type { SessionRuntime } from '../session/conversation/session-runtime.js'
export { Spending } from '../session/conversation/spending.js'
export type { SessionEndReason, StartSource } from '../session/hooks/session-hooks.js'
export { announceInstructions, formatInstructions } from '../session/instructions/instructions-text.js'
export {
  type InstructionFile,
  type LoadInstructionsOptions,
  loadInstructions,
} from '../session/instructions/load-instructions.js'
export { query } from '../session/loop/query.js'
export type {
  ContextKeeper,
  EndAnswer,
  PendingInput,
  QueryHost,
  QueryOptions,
  WindowState,
} from '../session/loop/query-options.js'
export type { RetryClock } from '../session/loop/retry-policy.js'
export { announceMode, formatModeNotice } from '../session/messages/announce-mode.js'
export {
  createStructuredOutputReminder,
  formatStructuredOutputReminder,
} from '../session/messages/structured-output-reminder.js'
export { userRequestOf } from '../session/messages/user-request-of.js'
export { createModelPort, type ModelPortOptions } from '../session/model-port.js'
export { type AskOptions, type Prompt, Session, type SessionOptions } from '../session/session.js'
export { announceSkills, formatSkillsNotice } from '../session/skills/announce-skills.js'
export { loadSkills, type SkillOptions } from '../session/skills/load-skills.js'
