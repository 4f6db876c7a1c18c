import type { ShellWord } from '../../words/shell-word.js'

/** The effects of a sed or awk script. */
export interface ScriptVerdict {
  /** Why the script is not read-only, or undefined. */
  readonly problem: string | undefined
  /** Files that the script reads by name. */
  readonly reads: readonly ShellWord[]
}
