import { realpathSync, statSync } from 'node:fs'
import { isPathBelow, isPathInside } from '../../shared/path-containment.js'
import { lookAt } from './look-at.js'
import type { Mount } from './mounts.js'
import { createListings, findProtected, findProtectedIn } from './protect/find-protected.js'
import type { FolderListings } from './protect/folder-listings.js'
import { controlOf, listGitFolders } from './protect/git-control.js'
import { guardPath } from './protect/guard-path.js'
import type { SandboxPolicy } from './sandbox-policy.js'

/** The mounts that enforce a policy on this machine. */
export interface ResolvedPolicy {
  readonly mounts: readonly Mount[]
  /** The outermost writable folders. */
  readonly writable: readonly string[]
  /** The git folders in them that are not inside another one. */
  readonly gitFolders: readonly string[]
}

interface ResolveOptions {
  /** A placeholder counts as missing. */
  readonly isPlaceholder?: ((path: string) => boolean) | undefined
  /** Listings that were kept since the last command. */
  readonly listings?: FolderListings
}

/** Resolves the paths of a policy and drops those that do not exist. */
export function resolvePolicy(
  policy: SandboxPolicy,
  { isPlaceholder = () => false, listings = createListings() }: ResolveOptions = {},
): ResolvedPolicy {
  const writable = selectOutermostFolders(policy.writable.flatMap(realPath))
  const hidden = policy.hidden.flatMap(toHiddenMounts)
  const visibleFolders = policy.workingFolders
    .flatMap(realPath)
    .filter((path) => !writable.some((root) => isPathInside(path, root)))
  const found = writable.map((root) => findProtected(root, listings))
  const gitFolders = found.flatMap((files) => files.gitFolders).filter((path) => isFolder(path) && !isPlaceholder(path))
  const control = gitFolders.flatMap((outermost) =>
    listGitFolders(outermost).map((folder) => controlOf(folder, { outermost, home: policy.home })),
  )
  const isHomeWritable = realPath(policy.home).some((home) => writable.some((root) => isPathInside(home, root)))
  // Only the top of the home folder, because searching all of it before each command would be too slow. Links in it can lead
  // into a writable folder.
  const inHome = writable.length === 0 ? [] : findProtectedIn(policy.home, listings)
  const guarded = [...inHome, ...found.flatMap(({ paths }) => paths), ...control.flatMap((git) => git.guarded)]
  const barred = [
    ...policy.barred,
    ...(isHomeWritable ? policy.barredInHome : []),
    ...control.flatMap((git) => git.barred),
  ]
  const fixed = control.flatMap((git) => git.fixed)
  const guards = [
    ...guarded.flatMap((path) => guardPath(path, { isPlaceholder })),
    ...barred.flatMap((path) => guardPath(path, { bar: {}, isPlaceholder })),
    ...fixed.flatMap(({ path, content }) => guardPath(path, { bar: { content }, isPlaceholder })),
  ].filter(({ path }) => writable.some((root) => isPathInside(path, root)))

  const visible = [...writable, ...visibleFolders]
  const isCovered = ({ path }: Mount) => isNearestHidden(path, visible, hidden)
  return {
    writable,
    gitFolders,
    mounts: [
      ...writable.map((path): Mount => ({ path, kind: 'writable' })),
      ...control.flatMap(({ pinned }) => pinned).map(toPinnedMount),
      ...visibleFolders.filter((path) => hidden.some((mount) => isPathInside(path, mount.path))).map(toReadOnlyMount),
      ...[...guards, ...hidden].filter((mount) => !isCovered(mount)),
    ],
  }
}

/**
 * Returns the folders that are not inside another one. Only these are mounted, because an earlier command could have replaced
 * an inner one with a link.
 */
export function selectOutermostFolders(paths: readonly string[]): readonly string[] {
  const distinct = [...new Set(paths)]
  return distinct.filter((path) => !distinct.some((other) => isPathBelow(path, other)))
}

function realPath(path: string): readonly string[] {
  try {
    return [realpathSync(path)]
  } catch {
    // The path is missing, so it can be neither shown nor hidden.
    return []
  }
}

export function toHiddenMounts(path: string): readonly Mount[] {
  return realPath(path).map((real) => ({
    path: real,
    kind: statSync(real).isDirectory() ? 'hidden-folder' : 'hidden-file',
  }))
}

function toReadOnlyMount(path: string): Mount {
  return { path, kind: 'read-only' }
}

/** A mount point cannot be renamed, so a command cannot replace a git folder with another one. */
function toPinnedMount(path: string): Mount {
  return { path, kind: 'writable' }
}

function isFolder(path: string): boolean {
  return lookAt(path)?.isDirectory() === true
}

/** Whether the innermost folder around a path is a hidden one. */
export function isNearestHidden(path: string, visible: readonly string[], hidden: readonly Mount[]): boolean {
  const isAround = (folder: string) => isPathBelow(path, folder)
  const deepest = (folders: readonly string[]) =>
    Math.max(0, ...folders.filter(isAround).map((folder) => folder.length))
  return deepest(hidden.map((mount) => mount.path)) > deepest(visible)
}
