export {
  cleanUpSessions,
  type SessionCleanUp,
  type SessionCleanUpReport,
} from '../session/transcript/read/clean-up-sessions.js'
export { continueLatest, type ListedSession, listSessions } from '../session/transcript/read/list-sessions.js'
export { restoreRuntime, type StatefulRuntime, trackRuntime } from '../session/transcript/resume/carry-state.js'
export { forkSession } from '../session/transcript/resume/fork-session.js'
export { type ResumedSession, resumeSession } from '../session/transcript/resume/resume-session.js'
export { SessionError, type SessionErrorCode } from '../session/transcript/storage/session-error.js'
export type { TranscriptEntry } from '../session/transcript/storage/transcript-entry.js'
export { openTranscript, type TranscriptOptions } from '../session/transcript/write/open-transcript.js'
export type { Transcript } from '../session/transcript/write/transcript.js'
export type { SecretMasker } from '../shared/secret-masker.js'
export { openSecretMasker } from '../system/open-secret-masker.js'
