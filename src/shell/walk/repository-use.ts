import { findPrintedUserSettings } from '../git/credentials.js'
import { findRepositoryFiles, findRepositoryProgram } from '../git/find-repository-program.js'
import type { GitWord } from '../git/git-use.js'
import { isOrdinaryRepository } from '../git/is-ordinary-repository.js'
import type { RepositoryFacts } from '../git/repository-facts.js'
import type { CommandEffects } from '../programs/effects.js'
import type { Scope } from '../words/scope.js'
import { isKnown, knownPartOf, type ShellWord } from '../words/shell-word.js'
import type { Walker } from './walker.js'

const UNKNOWN_REPOSITORY = 'depends on the configuration of a repository'
const UNKNOWN_SETTINGS = 'prints settings of the user, which Haft reads only in a repository'

export interface RepositoryUse {
  /** Folders whose git configuration affects the command. */
  readonly repositories: readonly string[]
  /** Why git may run other programs. */
  readonly problems: readonly string[]
  /** Files that git reads although the command line does not name them: those that the repositories' settings name, and linked folders. */
  readonly namedFiles: readonly string[]
  /** Whether git runs only in the folder in which the script starts. */
  readonly isInStartFolder: boolean
  /** The roots of the repositories, if git runs only in the start folder and nothing in them could change what it does. */
  readonly ordinaryRepositories: readonly string[] | undefined
}

const NO_REPOSITORY: RepositoryUse = {
  repositories: [],
  problems: [],
  namedFiles: [],
  isInStartFolder: true,
  ordinaryRepositories: undefined,
}

/** Adds the files that git reads because of repositories to the files that a command reads. */
export function withNamedFiles(reads: readonly string[], { namedFiles }: RepositoryUse): readonly string[] {
  return namedFiles.length === 0 ? reads : [...reads, ...namedFiles]
}

/** Returns the repositories that a command uses, and the programs and files that their configuration makes git run and read. */
export function repositoriesOf(
  { start, repositories: factsByFolder }: Walker,
  { usesRepository, subcommandAt }: CommandEffects,
  { folders }: Scope,
  words: readonly ShellWord[],
): RepositoryUse {
  if (!usesRepository) return NO_REPOSITORY
  const at = typeof subcommandAt === 'number' ? subcommandAt + 1 : words.length
  const [subcommand = '', ...args] = words.slice(at).map(toGitWord)
  const problemOutside = factsByFolder === undefined ? null : findProblemOutside(subcommand ?? '', args)
  const findProblemIn = (folder: string) => {
    const facts = factsByFolder === undefined ? null : factsByFolder.get(folder)
    // An earlier command may turn a folder other than the start folder into a repository.
    if (facts === null) return folder === start ? problemOutside : UNKNOWN_REPOSITORY
    if (facts === undefined || !hasSameSettings(facts, factsByFolder?.get(start))) return UNKNOWN_REPOSITORY
    return findRepositoryProgram(facts, subcommand ?? '', args)
  }
  const findFilesOf = (folder: string) => {
    const facts = factsByFolder?.get(folder)
    return facts == null ? [] : findRepositoryFiles(facts, subcommand ?? '', args)
  }
  const problems = folders === undefined ? [UNKNOWN_REPOSITORY] : folders.map(findProblemIn)
  const isInStartFolder = folders?.every((folder) => folder === start) === true
  return {
    // The repository of the start folder is needed for the comparison in `hasSameSettings`.
    repositories: folders === undefined || isInStartFolder ? (folders ?? []) : [...new Set([...folders, start])],
    problems: problems.filter((problem) => problem !== null),
    namedFiles: folders?.flatMap(findFilesOf) ?? [],
    isInStartFolder,
    ordinaryRepositories: isInStartFolder ? listOrdinary(factsByFolder?.get(start)) : undefined,
  }
}

/** Returns the folders to which paths in commits are relative; undefined if they are not known. */
export function findRepositoryRoots(
  { start, repositories }: Pick<Walker, 'start' | 'repositories'>,
  { folders }: Pick<Scope, 'folders'>,
): readonly string[] | undefined {
  const roots = folders?.map((folder) => {
    const facts = repositories === undefined ? null : repositories.get(folder)
    // Outside any repository git fails, unless the script makes the start folder a repository.
    return facts === null && folder === start ? start : (facts?.root ?? undefined)
  })
  return roots?.every((root) => root !== undefined) === true ? roots : undefined
}

/** Returns the root of an ordinary repository; empty outside any repository, where git fails; otherwise undefined. */
function listOrdinary(facts: RepositoryFacts | null | undefined): readonly string[] | undefined {
  if (facts === null) return []
  return facts !== undefined && facts.root !== null && isOrdinaryRepository(facts) ? [facts.root] : undefined
}

/** Returns why a command outside a repository may print credentials of the user, or null. There `git remote` fails. */
function findProblemOutside(subcommand: string, args: readonly GitWord[]): string | null {
  return subcommand !== 'remote' && findPrintedUserSettings(subcommand, args) !== 'none' ? UNKNOWN_SETTINGS : null
}

/** Whether a folder belongs to the repository of the start folder, or to one with the same settings. */
function hasSameSettings(facts: RepositoryFacts, startFacts: RepositoryFacts | null | undefined): boolean {
  if (facts === startFacts) return true
  return startFacts != null && JSON.stringify(facts.settings) === JSON.stringify(startFacts.settings)
}

/**
 * Converts a word for `findRepositoryProgram`. The unknown value of an option may be a format such as `%G?`, which verifies
 * signatures, so that is assumed.
 */
function toGitWord(word: ShellWord): GitWord {
  if (isKnown(word)) return word.text
  return knownPartOf(word).startsWith('-') ? `${knownPartOf(word)}%G?` : null
}

/** Returns the root of the repository in which the script starts, or the start folder if no repository is known. */
export function findProjectRoot({ start, repositories }: Pick<Walker, 'start' | 'repositories'>): string {
  return repositories?.get(start)?.root ?? start
}
