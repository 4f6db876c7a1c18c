import type { MaybePromise } from '../../shared/maybe-promise.js'

/** Small files that only the user can read, such as approvals, pins and tokens. */
export interface PrivateFiles {
  /** Resolves to undefined if the file does not exist; rejects if it cannot be read. */
  read(name: string): Promise<string | undefined>
  /**
   * Changes a file atomically under a lock. `undefined` means that the file does not exist, before or after the change.
   * The lock is held until `edit` ends, even if that takes a network request.
   */
  change(name: string, edit: (text: string | undefined) => MaybePromise<string | undefined>): Promise<void>
}
