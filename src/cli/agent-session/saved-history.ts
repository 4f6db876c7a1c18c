import { existsSync } from 'node:fs'
import { readHistory, type SessionHistory } from '../../session/transcript/read/read-history.js'

/** Reads the saved session. Returns undefined if it is not saved, for example without a home folder. */
export function readSavedHistory(path: string | undefined): SessionHistory | undefined {
  try {
    return path === undefined || !existsSync(path) ? undefined : readHistory(path)
  } catch {
    // The conversation in memory is shown instead.
    return undefined
  }
}
