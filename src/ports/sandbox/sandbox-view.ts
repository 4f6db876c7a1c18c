import type { BackendRequest, SandboxOptions } from './backend.js'
import { readingMounts } from './reading/reading-mounts.js'
import { findToolchain, type Toolchain } from './reading/toolchain.js'
import { type ResolvedPolicy, resolvePolicy } from './resolve-policy.js'
import { createSandboxPolicy } from './sandbox-policy.js'

/** What one command sees and can write. */
export interface SandboxView extends ResolvedPolicy {
  /** Whether everything is visible that is not hidden. Otherwise only what is mounted is. */
  readonly showsRest: boolean
}

/** Finds what commands of a session see. */
export class SandboxViews {
  /** Looked up once, because it takes some milliseconds. */
  private toolchain: Toolchain | undefined

  constructor(private readonly options: SandboxOptions) {}

  viewFor({ confinement, folders, reads }: BackendRequest, isPlaceholder?: (path: string) => boolean): SandboxView {
    const { settings, home, ownFiles = [] } = this.options
    const workingFolders = folders ?? this.options.workingFolders()
    if (confinement === 'read-only' && reads !== undefined) {
      const mounts = this.readingMountsFor(workingFolders, reads)
      if (mounts !== undefined) return { writable: [], mounts, showsRest: false }
    }
    const policy = createSandboxPolicy(confinement, settings, { workingFolders, home, ownFiles })
    return { ...resolvePolicy(policy, isPlaceholder), showsRest: true }
  }

  private readingMountsFor(workingFolders: readonly string[], reads: readonly string[]) {
    const { settings, home, deniedReads, searchPath } = this.options
    this.toolchain ??= findToolchain({ searchPath, home })
    return readingMounts({
      ...{ workingFolders, home, toolchain: this.toolchain },
      reads: [...reads, ...settings.allowRead],
      hidden: [...settings.denyRead, ...(deniedReads?.() ?? [])],
    })
  }
}
