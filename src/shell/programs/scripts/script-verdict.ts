import type { ShellWord } from '../../words/shell-word.js'

/** The effects of a script in a small language. */
export interface ScriptVerdict {
  /** Why the effects of the script are unknown, or undefined. */
  readonly problem: string | undefined
  /** Whether the script may run other programs. */
  readonly mayRun: boolean
  /** Files that the script reads by name. */
  readonly reads: readonly ShellWord[]
  /** Files that the script writes. A script with a write is not read-only, even without a problem. */
  readonly writes: readonly ShellWord[]
}
