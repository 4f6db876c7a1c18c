import { homedir } from 'node:os'

/** The user's own folder; undefined where there is none, as for a user whom the system does not list. */
export function homeFolder(): string | undefined {
  try {
    return homedir() || undefined
  } catch {
    // Neither HOME nor an entry in the system's list.
    return undefined
  }
}
