import type { GitSetting } from './parse-git-config.js'

/** The parts of a git repository's configuration that can make git run programs. */
export interface RepositoryFacts {
  /** Why the repository cannot be analysed; null if it can. */
  readonly problem: string | null
  /** The top folder of the working tree, without links; null if there is none or the repository cannot be analysed. */
  readonly root: string | null
  /** Settings of the repository itself. */
  readonly settings: readonly GitSetting[]
  /** Settings of the user and the system. */
  readonly userSettings: readonly GitSetting[]
  /**
   * Files that settings of the repository name and git reads, and folders of tracked files that have become symbolic links, as
   * absolute paths. They are judged like files of the command.
   */
  readonly namedFiles: readonly string[]
  /**
   * Symbolic links to folders outside the working tree, as absolute paths. If an older commit has files at the path of a link,
   * git reads their attributes through it.
   */
  readonly foreignLinks: readonly string[]
  /** Whether git would run a `post-index-change` hook, the only hook that read-only commands trigger. */
  readonly hasIndexHook: boolean
  /** Whether there are too many folders to look for symbolic links and special files in all of them. */
  readonly hasUnexaminedFolders: boolean
  /** Repositories that the index links to. Git enters them to compare their state. */
  readonly submodules: readonly RepositoryFacts[]
}

/** Returns the facts of a repository whose configuration is too unusual to analyse, so every git command in it needs approval. */
export function createUnanalysedRepository(problem: string): RepositoryFacts {
  return {
    problem,
    root: null,
    settings: [],
    userSettings: [],
    namedFiles: [],
    foreignLinks: [],
    hasIndexHook: true,
    hasUnexaminedFolders: true,
    submodules: [],
  }
}
