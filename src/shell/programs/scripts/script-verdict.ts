import type { ShellWord } from '../../words/shell-word.js'

/** What a program in a small language does. */
export interface ScriptVerdict {
  /** Why it may do more than read. */
  readonly problem: string | undefined
  /** Files that it names and reads. */
  readonly reads: readonly ShellWord[]
}
