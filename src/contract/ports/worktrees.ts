/** The git worktree that the session works in. */
export interface SessionWorktree {
  readonly name: string
  readonly path: string
  /** The branch that was created for it. */
  readonly branch: string
}

/** The result of entering a worktree. */
export interface EnteredWorktree extends SessionWorktree {
  /** The working directory in the worktree. */
  readonly cwd: string
  /** False if a worktree with this name already existed. */
  readonly isNew: boolean
}

/** What became of a worktree that was left. */
export interface LeftWorktree extends SessionWorktree {
  /** The working directory in the project. */
  readonly cwd: string
  readonly isRemoved: boolean
  /** Whether the branch still exists, because its commits are on no other branch. */
  readonly isBranchKept: boolean
  /** References to commits and staged files that are on no branch. */
  readonly savedRefs: readonly string[]
  /** The folder that the files of a removed worktree were moved to. */
  readonly savedFolder?: string
}

/**
 * Moves the session into a git worktree and back. The worktree replaces the project as the working directory. Never
 * loses work: a worktree with unsaved work is kept, or moved to a folder that the result names.
 */
export interface WorktreesPort {
  /** Undefined while the session works in the project itself. */
  readonly current: SessionWorktree | undefined
  /** Creates a worktree of the last commit, or enters the one with this name. */
  enter(name: string | undefined, options: { readonly signal: AbortSignal }): Promise<EnteredWorktree>
  /** Returns to the project and keeps the worktree. */
  leave(): LeftWorktree
  /** Removes the worktree and returns to the project. Rejects if it contains unsaved work, unless that is moved. */
  remove(options: { readonly movesUnsavedWork: boolean }): Promise<LeftWorktree>
}
