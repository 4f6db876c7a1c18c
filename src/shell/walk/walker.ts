import type { WrittenCommand } from '../../contract/command.js'
import type { AnalysedCommand } from '../analysed-command.js'
import type { RepositoryFacts } from '../git/repository-facts.js'
import type { ExpansionListener } from '../words/expand-word.js'
import type { Scope } from '../words/scope.js'
import type { ShellWord } from '../words/shell-word.js'
import type { Redirections } from './redirections.js'

/** Facts about the git repository of each folder; null for a folder outside any repository. */
export type Repositories = ReadonlyMap<string, RepositoryFacts | null>

/** The links that a script may have created so far, as absolute paths. Their targets are known only at run time. */
export class CreatedLinks {
  /** Paths at which the script creates a link. */
  readonly links = new Set<string>()
  /** Copies that may be links, because their originals may be. */
  readonly copies = new Set<string>()
  /** Folders in which any file may have become a link. */
  readonly folders = new Set<string>()
}

/** The part of the script walker that the analysis of a single command uses. */
export interface Walker {
  /** The folder in which the script starts. */
  readonly start: string
  /** If undefined, git is assumed to run no other program in `start`. */
  readonly repositories: Repositories | undefined
  isUnresolved: boolean
  /** Whether a script could not be parsed, or a limit is exceeded. */
  isUnparsed: boolean
  /** Whether a limit of the analysis is exceeded. */
  isTooLarge: boolean
  /** Whether a script runs whose text is known only at run time. */
  runsUnknownText: boolean
  /** The assignments so far of variables that later programs may read, whether exported or not. */
  readonly settings: ShellWord[]
  /** The values of all variables that the script sets. A script of the project may run a program that one of them names. */
  readonly assignedValues: string[]
  /** The links that commands may have created so far. */
  readonly links: CreatedLinks
  add(command: AnalysedCommand): void
  /**
   * Parses and walks a script. A script that cannot be parsed is marked as unresolved. Returns the folders in which it may
   * end.
   */
  walkText(text: string, scope: Omit<Scope, 'variables'>): readonly string[] | undefined
  /** Returns a listener that walks substitutions as subshells and collects problems. */
  createListener(scope: Scope, problems: string[], onSubstitution?: () => void): ExpansionListener
  /** Counts a step. If a limit is exceeded, marks the script as unresolved and returns true. */
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
  /** Globs in the elements of arrays that the command assigns. */
  readonly listedWords: readonly ShellWord[]
  readonly hasSubstitution: boolean
  /** The wrapper commands around this command, as written. */
  readonly wrapperCommands: readonly WrittenCommand[]
  /** Whether allow rules may match this command without its wrappers, because every wrapper is transparent. */
  readonly isVisibleToRules: boolean
}
