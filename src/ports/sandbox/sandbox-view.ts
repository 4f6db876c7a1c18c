import { basename, dirname, join } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import type { Steps } from '../../shared/steps.js'
import { CaseProbe } from '../paths/case-probe.js'
import type { BackendRequest, SandboxOptions } from './backend.js'
import { isHiding, type Mount } from './mounts.js'
import { createListings, watchGitDecoys } from './protect/find-protected.js'
import { findUserGitConfig, listGitFolders, type UserGitConfig } from './protect/git-control.js'
import { CommandGuard } from './protect/guard-command.js'
import { watchOperations } from './protect/new-operations.js'
import { Submodules } from './protect/new-submodules.js'
import { DeniedFiles } from './reading/denied-files.js'
import { createReadingMounts, type ReadingPolicy } from './reading/reading-mounts.js'
import { findToolchain, type Toolchain } from './reading/toolchain.js'
import { type ResolvedPolicy, resolvePolicy } from './resolve-policy.js'
import { createSandboxPolicy } from './sandbox-policy.js'

/** What one command can see and write. */
export interface SandboxView extends ResolvedPolicy {
  /** Whether everything that is not hidden is visible. Otherwise only mounts are visible. */
  readonly showsOtherFiles: boolean
}

/** The view of a command that sees only mounts: it can write nothing. */
const READING_VIEW = { writableFolders: [], gitFolders: [], gitFiles: [], showsOtherFiles: false }

/** Determines what the commands of a session can see. */
export class SandboxViews {
  /** Determined once, because the search takes some milliseconds. */
  private toolchain: Toolchain | undefined
  private readonly listings = createListings()
  private readonly submodules = new Submodules(this.listings)
  private readonly deniedFiles = new DeniedFiles()
  private readonly caseProbe = new CaseProbe()
  private readonly userGitConfig: UserGitConfig

  constructor(private readonly options: SandboxOptions) {
    this.userGitConfig = options.userGitConfig ?? findUserGitConfig(options.home)
  }

  /** Determines what a command can see and write. Throws if a path cannot be hidden or protected. */
  *createView(request: BackendRequest, isPlaceholder?: (path: string) => boolean): Steps<SandboxView> {
    const view = yield* this.#resolveView(request, isPlaceholder)
    for (const path of view.closedPaths) {
      if (this.#hasOtherSpellings(path)) throw createSpellingError(path)
      yield
    }
    return view
  }

  *#resolveView(request: BackendRequest, isPlaceholder?: (path: string) => boolean): Steps<SandboxView> {
    const { confinement, folders, reads, namedReads = reads, judgedPaths } = request
    const { settings, home, ownFiles = [], deniedReads } = this.options
    const workingFolders = folders ?? this.options.workingFolders()
    const deniedPaths =
      deniedReads === undefined ? [] : yield* this.deniedFiles.list(deniedReads(), workingFolders, namedReads ?? [])
    const hiddenPaths = [...settings.denyRead, ...deniedPaths]
    if (confinement === 'read-only' && reads !== undefined) {
      const mounts = this.prepareReadingMounts({ workingFolders, reads, judgedPaths, hiddenPaths })
      if (mounts !== undefined) return { ...READING_VIEW, mounts, closedPaths: this.#listClosedPaths(mounts) }
    }
    const policy = createSandboxPolicy(
      confinement,
      { ...settings, denyRead: hiddenPaths },
      { workingFolders, home, ownFiles },
    )
    const { listings, userGitConfig } = this
    return { ...(yield* resolvePolicy(policy, { isPlaceholder, listings, userGitConfig })), showsOtherFiles: true }
  }

  /** Creates the guard that checks what a command must not change. Start the guard with the command, and finish it when the command has ended. */
  guard(view: SandboxView, temporaryFolder: string): CommandGuard {
    const { writableFolders, gitFolders, closedPaths } = view
    const worktrees = gitFolders.filter((folder) => basename(folder) === '.git').map(dirname)
    const disableDecoys = watchGitDecoys([...writableFolders, ...worktrees])
    const disableSubmodules = this.submodules.watch({ ...view, temporaryFolder })
    return new CommandGuard({
      closedPaths,
      gitConfigs: gitFolders.flatMap(listGitFolders).map((folder) => join(folder, 'config')),
      disableAdded: () => [...disableDecoys(), ...disableSubmodules()],
      disableRemaining: watchOperations(gitFolders.flatMap(listGitFolders)),
    })
  }

  /**
   * Lists the paths that must stay hidden or unchanged, without hidden entries of the system, which only root could replace.
   */
  #listClosedPaths(mounts: readonly Mount[]): readonly string[] {
    const systemPaths = new Set(this.toolchain?.hiddenMounts.map(({ path }) => path))
    return mounts.filter(({ kind, path }) => isHiding(kind) && !systemPaths.has(path)).map(({ path }) => path)
  }

  /** Whether a path has other spellings, which a mount does not cover. The profile of macOS covers all spellings. */
  #hasOtherSpellings(path: string): boolean {
    return this.options.platform === 'linux' && this.caseProbe.ignoresCaseIn(path)
  }

  private prepareReadingMounts({ reads, ...policy }: Omit<ReadingPolicy, 'home' | 'toolchain'>) {
    const { settings, home, searchPath } = this.options
    this.toolchain ??= findToolchain({ searchPath, home })
    return createReadingMounts({
      ...policy,
      ...{ home, toolchain: this.toolchain },
      reads: [...reads, ...settings.allowRead],
    })
  }
}

function createSpellingError(path: string): ToolCallError {
  return new ToolCallError(
    'unavailable',
    `The sandbox cannot protect ${path}: its disk ignores letter case, so a program could reach it under another spelling. Tell the user to move the project to another disk, to remove the rule, or to let the command run outside the sandbox.`,
  )
}
