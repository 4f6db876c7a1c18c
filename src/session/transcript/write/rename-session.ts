import { lockSession } from '../storage/session-lock.js'
import type { SessionPaths } from '../storage/session-paths.js'
import { TranscriptFile } from '../storage/transcript-file.js'

/** Adds a title to a session. Throws a `SessionError` if a process has the session open. */
export function renameSession(paths: SessionPaths, title: string): void {
  const lock = lockSession(paths)
  try {
    const file = new TranscriptFile({
      path: paths.transcript,
      onProblem(error) {
        throw error
      },
    })
    file.append(JSON.stringify({ type: 'title', at: Date.now(), title }))
    file.close()
  } finally {
    lock.release()
  }
}
