export type { AgentKind } from './agents/agent-kind.js'
export type {
  AgentInfo,
  AgentsOptions,
  AgentTranscripts,
  MainConversation,
} from './agents/agents-options.js'
export { BUILT_IN_KINDS } from './agents/built-in-kinds.js'
export { createAgents } from './agents/create-agents.js'
export { type AgentKindsPlace, loadAgentKinds } from './agents/load-agent-kinds.js'
export { Spending } from './agents/spending.js'
export { type Announced, announceSurroundings } from './announce-surroundings.js'
export type { ContextKeeperOptions } from './context/context-keeper-options.js'
export { createContextKeeper } from './context/create-context-keeper.js'
export { type Surroundings, type SystemPromptOptions, systemPrompt } from './context/system-prompt.js'
export { Conversation, type ConversationLog, type MessageFacts, type RewriteCause } from './conversation.js'
export { announceInstructions, instructionsText } from './instructions/instructions-text.js'
export { type InstructionFile, type InstructionPlace, loadInstructions } from './instructions/load-instructions.js'
export type { ContextKeeper, WindowState } from './loop/context-keeper.js'
export { query } from './loop/query.js'
export type { EndAnswer, QueryHost, QueryOptions, RetryClock, TakenIn } from './loop/query-options.js'
export { announceMode, modeText } from './messages/announce-mode.js'
export {
  structuredOutputReminder,
  structuredOutputReminderText,
} from './messages/structured-output-reminder.js'
export { userRequestOf } from './messages/user-request-of.js'
export { createModelPort, type ModelPortOptions } from './model-port.js'
export { PendingNotices } from './pending-notices.js'
export { type Prompt, Session } from './session.js'
export type { EndReason, QueryEnd, SessionEvent } from './session-event.js'
export type { SessionEndReason, SessionOptions, StartSource } from './session-options.js'
export type { SessionRuntime } from './session-runtime.js'
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
