import type { AnalysedCommand, CommandText } from '../facts.js'
import type { RepositoryFacts } from '../git/repository-facts.js'
import type { Findings } from '../words/expand-word.js'
import type { Scope } from '../words/scope.js'
import type { ShellWord } from '../words/shell-word.js'
import type { Redirections } from './redirections.js'

/** What the repository of each folder says that makes git run programs; null where there is none. */
export type Repositories = ReadonlyMap<string, RepositoryFacts | null>

/** Goes through a script, as those see it who judge its commands. */
export interface Walker {
  /** The folder in which the line starts. */
  readonly start: string
  /** None given, git is taken to run nothing more in the folder of the line. */
  readonly repositories: Repositories | undefined
  isUnresolved: boolean
  add(command: AnalysedCommand): void
  /** Parses a text and walks it; a text that cannot be parsed is unresolved. Gives the folders in which it may end. */
  walkText(text: string, scope: Omit<Scope, 'variables'>): readonly string[] | undefined
  /** What to do with the things that stand in words: substitutions run in a shell of their own. */
  findings(scope: Scope, problems: string[], note?: () => void): Findings
  /** Whether the bounds are reached: what is left stays unresolved. */
  isOver(depth: number): boolean
}

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
