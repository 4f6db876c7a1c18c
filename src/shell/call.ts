import type { CommandText } from './facts.js'
import type { Redirections } from './redirections.js'
import type { ShellWord } from './shell-word.js'

/** A command with its words expanded. */
export interface Call {
  readonly words: readonly ShellWord[]
  /** `NAME=value` before the program, or behind `env`. */
  readonly assignments: readonly ShellWord[]
  readonly redirections: Redirections
  /** What its words do on their own. */
  readonly problems: readonly string[]
  readonly hasSubstitution: boolean
  /** How the whole was written of which this is the inner command. */
  readonly outer: readonly CommandText[]
  /** Its own words, too, may be meant by a rule that allows. */
  readonly isSeen: boolean
}
