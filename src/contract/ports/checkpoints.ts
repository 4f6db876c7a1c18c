import type { JudgedPaths } from '../judged-paths.js'
import type { WorkEnd } from './tasks.js'

/** Options of `CheckpointsPort.save`. */
export interface SaveCheckpointOptions {
  /** Whether the call may also write other paths than those passed. */
  readonly unknown?: boolean
  /** Describes the call in a list of checkpoints. */
  readonly title?: string
  /** Where the paths led when their permission was decided. A path that now leads elsewhere is not saved. */
  readonly judgedPaths?: JudgedPaths
}

/** Saves files before a call overwrites them, so that the call can be undone. */
export interface CheckpointsPort {
  save(toolUseId: string, writes: readonly string[], options?: SaveCheckpointOptions): Promise<void>
  /**
   * Records what a call left behind when it ended, successfully or not, so that later changes by others can be
   * recognised. If the call continues in the background, this happens when that work ends.
   */
  settle(toolUseId: string, backgroundWork?: Promise<WorkEnd>): Promise<void>
}
