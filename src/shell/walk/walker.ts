import type { WrittenCommand } from '../../contract/command.js'
import type { AnalysedCommand } from '../analysed-command.js'
import type { RepositoryFacts } from '../git/repository-facts.js'
import type { ExpansionListener } from '../words/expand-word.js'
import type { Scope } from '../words/scope.js'
import type { ShellWord } from '../words/shell-word.js'
import type { Redirections } from './redirections.js'

/** Facts about the git repository of each folder; null if there is none. */
export type Repositories = ReadonlyMap<string, RepositoryFacts | null>

interface WrittenFiles {
  readonly certain: Set<string>
  /** One of these files is not temporary. */
  isLasting: boolean
  /** Files that commands name which no table describes. */
  readonly possible: Set<string>
}

/** The script walker as seen by the code that analyses a single command. */
export interface Walker {
  /** The folder in which the script starts. */
  readonly start: string
  /** If undefined, git is assumed to run no other program in `start`. */
  readonly repositories: Repositories | undefined
  isUnresolved: boolean
  /** A script could not be parsed, or a limit is exceeded. */
  isUnparsed: boolean
  /** Text that is known only at run time runs as a script. */
  runsUnknownText: boolean
  /** The absolute paths that the commands so far write. */
  readonly written: WrittenFiles
  /** The absolute paths at which the commands so far make links. */
  readonly links: Set<string>
  add(command: AnalysedCommand): void
  /** Parses and walks a script; one that cannot be parsed is unresolved. Returns the folders in which it may end. */
  walkText(text: string, scope: Omit<Scope, 'variables'>): readonly string[] | undefined
  /** Returns a listener that walks substitutions in a subshell and collects problems. */
  createListener(scope: Scope, problems: string[], onSubstitution?: () => void): ExpansionListener
  /** Counts a step, and returns whether a limit is exceeded, which leaves the script unresolved. */
  isOverLimit(depth: number): boolean
}

/** A command with expanded words. */
export interface ExpandedCommand {
  readonly words: readonly ShellWord[]
  /** `NAME=value` words before the program or after `env`. */
  readonly assignments: readonly ShellWord[]
  readonly redirections: Redirections
  /** Why the expansions in the words may have effects. */
  readonly problems: readonly string[]
  readonly hasSubstitution: boolean
  /** The wrapper commands around this command, as written. */
  readonly wrapperCommands: readonly WrittenCommand[]
  /** Whether allow rules may match this command's own words, because every wrapper is transparent. */
  readonly isVisibleToRules: boolean
}
