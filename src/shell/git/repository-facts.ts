import type { AttributeRule } from './attribute-rules.js'
import type { GitSetting } from './parse-git-config.js'

/** Paths from the root of the working tree; unknown where they could not be told without running git. */
export type KnownPaths = readonly string[] | 'unknown'

/** What a repository says that can make git run programs. */
export interface RepositoryFacts {
  /** Why nothing can be relied upon; null where all was read. */
  readonly doubt: string | null
  /** The repository's own settings, includes among them, whether their condition holds or not. */
  readonly settings: readonly GitSetting[]
  /** The user's and the system's settings. */
  readonly userSettings: readonly GitSetting[]
  /** Hooks that git would run: the executable files of its hooks folder. */
  readonly hooks: readonly string[]
  /** Lines of attributes files; 'unknown' counts as every driver for every path. */
  readonly attributes: readonly AttributeRule[] | 'unknown'
  /** What differs between HEAD and the index. */
  readonly staged: KnownPaths
  /** Files that git must read to know whether they changed: their time differs, their size does not. */
  readonly touched: KnownPaths
  /** Whether a commit or a tag may be signed. */
  readonly hasSignatures: boolean
  /** The folder that was asked about, from the root of the working tree. */
  readonly prefix: string
  /** Repositories in the index, which git enters to compare them. */
  readonly submodules: readonly RepositoryFacts[]
}

/** What is known of a repository of which nothing is known. */
export function doubtfulRepository(doubt: string): RepositoryFacts {
  return {
    doubt,
    settings: [],
    userSettings: [],
    hooks: [],
    attributes: 'unknown',
    staged: 'unknown',
    touched: 'unknown',
    hasSignatures: true,
    prefix: '',
    submodules: [],
  }
}
