import { basename, dirname } from 'node:path'
import type { BackendRequest, SandboxOptions } from './backend.js'
import { createListings, watchGitDecoys } from './protect/find-protected.js'
import { Submodules } from './protect/new-submodules.js'
import { DeniedFiles } from './reading/denied-files.js'
import { createReadingMounts, type ReadingPolicy } from './reading/reading-mounts.js'
import { findToolchain, type Toolchain } from './reading/toolchain.js'
import { type ResolvedPolicy, resolvePolicy } from './resolve-policy.js'
import { createSandboxPolicy } from './sandbox-policy.js'

/** What one command can see and write. */
export interface SandboxView extends ResolvedPolicy {
  /** Whether everything that is not hidden is visible. Otherwise only mounts are visible. */
  readonly showsRest: boolean
}

/** Determines what the commands of a session can see. */
export class SandboxViews {
  /** Looked up once, because it takes some milliseconds. */
  private toolchain: Toolchain | undefined
  private readonly listings = createListings()
  private readonly submodules = new Submodules(this.listings)
  private readonly deniedFiles = new DeniedFiles()

  constructor(private readonly options: SandboxOptions) {}

  createView(request: BackendRequest, isPlaceholder?: (path: string) => boolean): SandboxView {
    const { confinement, folders, reads, namedReads = reads, judgedPaths } = request
    const { settings, home, ownFiles = [], deniedReads } = this.options
    const workingFolders = folders ?? this.options.workingFolders()
    const deniedPaths =
      deniedReads === undefined ? [] : this.deniedFiles.list(deniedReads(), workingFolders, namedReads ?? [])
    const hiddenPaths = [...settings.denyRead, ...deniedPaths]
    if (confinement === 'read-only' && reads !== undefined) {
      const mounts = this.readingMountsFor({ workingFolders, reads, judgedPaths, hiddenPaths })
      if (mounts !== undefined) return { writableFolders: [], gitFolders: [], gitFiles: [], mounts, showsRest: false }
    }
    const policy = createSandboxPolicy(
      confinement,
      { ...settings, denyRead: hiddenPaths },
      { workingFolders, home, ownFiles },
    )
    return { ...resolvePolicy(policy, { isPlaceholder, listings: this.listings }), showsRest: true }
  }

  /** Notes what git would run in the writable folders. The returned function looks for what a command has added. */
  watchGit(policy: ResolvedPolicy): () => readonly string[] {
    const { writableFolders, gitFolders } = policy
    const worktrees = gitFolders.filter((folder) => basename(folder) === '.git').map(dirname)
    const disableDecoys = watchGitDecoys([...writableFolders, ...worktrees])
    const disableSubmodules = this.submodules.watch(policy)
    return () => [...disableDecoys(), ...disableSubmodules()]
  }

  private readingMountsFor({ reads, ...policy }: Omit<ReadingPolicy, 'home' | 'toolchain'>) {
    const { settings, home, searchPath } = this.options
    this.toolchain ??= findToolchain({ searchPath, home })
    return createReadingMounts({
      ...policy,
      ...{ home, toolchain: this.toolchain },
      reads: [...reads, ...settings.allowRead],
    })
  }
}
