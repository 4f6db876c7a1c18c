import type { MaybePromise } from '../shared/maybe-promise.js'
import type { ShellFacts } from '../shell/facts.js'

export interface ShellRequest {
  readonly command: string
  readonly cwd: string
  /** Tells the shells apart where a host has several. */
  readonly toolName: string
}

/** What a command line would do, found without running it. */
export interface ShellAnalysis {
  analyse(request: ShellRequest): MaybePromise<ShellFacts>
}
