import { homedir } from 'node:os'

/** Returns the home folder; undefined if the user has none, for example in a container. */
export function findHomeFolder(): string | undefined {
  try {
    return homedir() || undefined
  } catch {
    // HOME is not set and the user is not in the password database.
    return undefined
  }
}
