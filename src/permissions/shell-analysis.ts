import type { CommandLanguage } from '../contract/tool/identity.js'
import type { MaybePromise } from '../shared/maybe-promise.js'
import type { ShellFacts } from '../shell/facts.js'

export interface ShellRequest {
  readonly command: string
  readonly cwd: string
  /** Bash if left out. */
  readonly language?: CommandLanguage | undefined
}

/** What a command line would do, found without running it. */
export interface ShellAnalysis {
  analyse(request: ShellRequest): MaybePromise<ShellFacts>
}
