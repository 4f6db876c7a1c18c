import type { AnalysedCommand } from './analysed-command.js'
import type { Findings } from './expand-word.js'
import type { RepositoryFacts } from './git/repository-facts.js'
import type { Scope } from './scope.js'

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
