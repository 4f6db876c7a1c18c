export { restoreRuntime, type StatefulRuntime, trackRuntime } from '../session/transcript/carry-state.js'
export {
  cleanUpSessions,
  type SessionCleanUp,
  type SessionCleanUpReport,
} from '../session/transcript/clean-up-sessions.js'
export { forkSession } from '../session/transcript/fork-session.js'
export { continueLatest, type ListedSession, listSessions } from '../session/transcript/list-sessions.js'
export { openTranscript, type TranscriptOptions } from '../session/transcript/open-transcript.js'
export { type ResumedSession, resumeSession } from '../session/transcript/resume-session.js'
export { SessionError, type SessionErrorCode } from '../session/transcript/session-error.js'
export type { Transcript } from '../session/transcript/transcript.js'
export type { TranscriptEntry } from '../session/transcript/transcript-entry.js'
