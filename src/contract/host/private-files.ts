import type { MaybePromise } from '../../shared/maybe-promise.js'

/** Small files in a folder of the user's own that nobody else can read: approvals, pins, tokens. */
export interface PrivateFiles {
  /** Undefined where there is none; throws where there is one that cannot be read. */
  read(name: string): Promise<string | undefined>
  /**
   * Changes a file while no other process does, in one step; undefined stands for no file, before and after.
   * The lock is kept for as long as `edit` takes, be it a request over the network.
   */
  change(name: string, edit: (text: string | undefined) => MaybePromise<string | undefined>): Promise<void>
}
