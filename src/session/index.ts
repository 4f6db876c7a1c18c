export type { AgentKind } from './agents/agent-kinds.js'
export { BUILT_IN_KINDS } from './agents/agent-kinds.js'
export type {
  AgentInfo,
  AgentsOptions,
  AgentTranscripts,
  MainConversation,
} from './agents/agents-options.js'
export { createAgents } from './agents/create-agents.js'
export { type AgentKindsPlace, loadAgentKinds } from './agents/load-agent-kinds.js'
export { type Announced, announceSurroundings } from './announce-surroundings.js'
export { type ContextKeeperOptions, createContextKeeper } from './context/create-context-keeper.js'
export { type Surroundings, type SystemPromptOptions, systemPrompt } from './context/system-prompt.js'
export {
  Conversation,
  type ConversationLog,
  type MessageFacts,
  type RewriteCause,
} from './conversation/conversation.js'
export { PendingNotices } from './conversation/pending-notices.js'
export type { CountedMessages, EmitEvent, EndReason, QueryEnd, SessionEvent } from './conversation/session-event.js'
export type { SessionRuntime } from './conversation/session-runtime.js'
export { Spending } from './conversation/spending.js'
export type { SessionEndReason, StartSource } from './hooks/session-hooks.js'
export { announceInstructions, instructionsText } from './instructions/instructions-text.js'
export { type InstructionFile, type InstructionPlace, loadInstructions } from './instructions/load-instructions.js'
export { query } from './loop/query.js'
export type {
  ContextKeeper,
  EndAnswer,
  PendingInput,
  QueryHost,
  QueryOptions,
  WindowState,
} from './loop/query-options.js'
export type { RetryClock } from './loop/retry-policy.js'
export { announceMode, modeText } from './messages/announce-mode.js'
export {
  structuredOutputReminder,
  structuredOutputReminderText,
} from './messages/structured-output-reminder.js'
export { userRequestOf } from './messages/user-request-of.js'
export { createModelPort, type ModelPortOptions } from './model-port.js'
export { type AskOptions, type Prompt, Session, type SessionOptions } from './session.js'
export { announceSkills, skillsText } from './skills/announce-skills.js'
export { loadSkills, type SkillOptions } from './skills/load-skills.js'
export { restoreRuntime, type StatefulRuntime, trackRuntime } from './transcript/carry-state.js'
export { cleanUpSessions, type SessionCleanUp, type SessionCleanUpReport } from './transcript/clean-up-sessions.js'
export { forkSession } from './transcript/fork-session.js'
export { continueLatest, type ListedSession, listSessions } from './transcript/list-sessions.js'
export { openTranscript, type TranscriptOptions } from './transcript/open-transcript.js'
export { type ResumedSession, resumeSession } from './transcript/resume-session.js'
export { SessionError, type SessionErrorCode } from './transcript/session-error.js'
export type { Transcript } from './transcript/transcript.js'
export type { TranscriptEntry } from './transcript/transcript-entry.js'
