import { realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isPathBelow, isPathInside } from '../../shared/path-containment.js'
import { lookAt } from './look-at.js'
import type { Mount } from './mounts.js'
import { findProtected, guardPath } from './protect/find-protected.js'
import type { SandboxPolicy } from './sandbox-policy.js'

/** The mounts that enforce a policy on this machine. */
export interface ResolvedPolicy {
  readonly mounts: readonly Mount[]
  /** The outermost writable folders. */
  readonly writable: readonly string[]
}

/** Resolves the paths of a policy and drops those that do not exist. Placeholders do not count as existing. */
export function resolvePolicy(policy: SandboxPolicy, isPlaceholder = (_path: string) => false): ResolvedPolicy {
  const writable = selectOutermostFolders(policy.writable.flatMap(realPath))
  const hidden = policy.hidden.flatMap(toHiddenMounts)
  const visibleFolders = policy.workingFolders
    .flatMap(realPath)
    .filter((path) => !writable.some((root) => isPathInside(path, root)))
  const guarded = [...policy.guarded, ...writable.flatMap(findProtected)]
  const guards = [
    ...guarded.flatMap((path) => guardPath(path, { isBarred: false, isPlaceholder })),
    ...policy.barred.flatMap((path) => guardPath(path, { isBarred: true, isPlaceholder })),
  ].filter(({ path }) => writable.some((root) => isPathInside(path, root)))

  const visible = [...writable, ...visibleFolders]
  const isCovered = ({ path }: Mount) => isNearestHidden(path, visible, hidden)
  return {
    writable,
    mounts: [
      ...writable.map((path): Mount => ({ path, kind: 'writable' })),
      ...writable
        .map((folder) => join(folder, '.git'))
        .filter((path) => isFolder(path) && !isPlaceholder(path))
        .map(toPinnedMount),
      ...visibleFolders.filter((path) => hidden.some((mount) => isPathInside(path, mount.path))).map(toReadOnlyMount),
      ...[...guards, ...hidden].filter((mount) => !isCovered(mount)),
    ],
  }
}

/** Only the outermost folders are mounted: an earlier command could have replaced an inner one with a link. */
export function selectOutermostFolders(paths: readonly string[]): readonly string[] {
  const distinct = [...new Set(paths)]
  return distinct.filter((path) => !distinct.some((other) => isPathBelow(path, other)))
}

function realPath(path: string): readonly string[] {
  try {
    return [realpathSync(path)]
  } catch {
    // Missing: it can be neither shown nor hidden.
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

/** Mounted separately, because a mount point cannot be renamed: a command cannot replace `.git` with another repository. */
function toPinnedMount(path: string): Mount {
  return { path, kind: 'writable' }
}

function isFolder(path: string): boolean {
  return lookAt(path)?.isDirectory() === true
}

/** Whether the innermost mount around a path is a hidden one. */
export function isNearestHidden(path: string, visible: readonly string[], hidden: readonly Mount[]): boolean {
  const isAround = (folder: string) => isPathBelow(path, folder)
  const deepest = (folders: readonly string[]) =>
    Math.max(0, ...folders.filter(isAround).map((folder) => folder.length))
  return deepest(hidden.map((mount) => mount.path)) > deepest(visible)
}
