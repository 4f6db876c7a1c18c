import type { WorkEnd } from './tasks.js'

export interface SaveCheckpointOptions {
  /** Marks a call whose writes cannot be told beforehand. */
  readonly unknown?: boolean
  /** What a person reads of the call in a list. */
  readonly title?: string
}

/** Keeps what a call is about to overwrite, so that it can be undone. */
export interface CheckpointsPort {
  save(toolUseId: string, writes: readonly string[], options?: SaveCheckpointOptions): Promise<void>
  /**
   * The call has ended, well or not: notes what it left, so that a change by somebody else is told apart later.
   * Where its work goes on, that is done when the work ends.
   */
  settle(toolUseId: string, goesOn?: Promise<WorkEnd>): Promise<void>
}
