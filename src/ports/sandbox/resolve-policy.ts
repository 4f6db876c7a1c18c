import { realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import { isPathBelow, isPathInside } from '../../shared/path-containment.js'
import type { Steps } from '../../shared/steps.js'
import { lookAt } from './look-at.js'
import type { Mount } from './mounts.js'
import { createListings, findProtected, findProtectedIn, type ProtectedFiles } from './protect/find-protected.js'
import type { FolderListings } from './protect/folder-listings.js'
import {
  findGitControl,
  findUserGitConfig,
  type GitControl,
  listGitFolders,
  type UserGitConfig,
} from './protect/git-control.js'
import { guardPath } from './protect/guard-path.js'
import type { SandboxPolicy } from './sandbox-policy.js'

/** The mounts that enforce a policy on this machine. */
export interface ResolvedPolicy {
  readonly mounts: readonly Mount[]
  /** The outermost writable folders. */
  readonly writableFolders: readonly string[]
  /** The outermost git folders in the writable folders. */
  readonly gitFolders: readonly string[]
  /** Files and links in the writable folders that are named `.git` and lead to a git folder. */
  readonly gitFiles: readonly string[]
  /** Paths that are covered by mounts, because they must stay hidden or unchanged. */
  readonly closedPaths: readonly string[]
}

interface ResolveOptions {
  /** Whether a path is a placeholder, which counts as missing. */
  readonly isPlaceholder?: ((path: string) => boolean) | undefined
  /** The cached listings of earlier commands. */
  readonly listings?: FolderListings
  readonly userGitConfig?: UserGitConfig
}

/** Resolves the paths of a policy and drops those that do not exist. */
export function* resolvePolicy(
  policy: SandboxPolicy,
  {
    isPlaceholder = () => false,
    listings = createListings(),
    userGitConfig = findUserGitConfig(policy.home),
  }: ResolveOptions = {},
): Steps<ResolvedPolicy> {
  const writableFolders = selectOutermostFolders(policy.writableFolders.flatMap(resolveIfPresent))
  const hiddenMounts = policy.hiddenPaths.flatMap(toHiddenMounts)
  const visibleFolders = policy.workingFolders
    .flatMap(resolveIfPresent)
    .filter((path) => !writableFolders.some((root) => isPathInside(path, root)))
  const foundFiles: ProtectedFiles[] = []
  for (const root of writableFolders) foundFiles.push(yield* findProtected(root, listings))
  const problem = foundFiles.find((files) => files.problem !== undefined)?.problem
  if (problem !== undefined) throw createUnprotectableError(problem)
  const gitFolders = foundFiles
    .flatMap((files) => files.gitFolders)
    .filter((path) => isFolder(path) && !isPlaceholder(path))
  const controlPaths: GitControl[] = []
  for (const outermost of gitFolders) {
    for (const folder of listGitFolders(outermost)) {
      controlPaths.push(findGitControl(folder, { outermost, user: userGitConfig }))
      yield
    }
  }
  const isHomeWritable = resolveIfPresent(policy.home).some((home) =>
    writableFolders.some((root) => isPathInside(home, root)),
  )
  // Only the top of the home folder, because searching all of it before each command would be too slow. Links in it can lead
  // into a writable folder.
  const protectedHomePaths = writableFolders.length === 0 ? [] : findProtectedIn(policy.home, listings)
  const guardedPaths = [
    ...protectedHomePaths,
    ...foundFiles.flatMap(({ paths }) => paths),
    ...controlPaths.flatMap((git) => git.guardedPaths),
    ...userGitConfig.configs,
  ]
  const barredPaths = [
    ...policy.barredPaths,
    ...(isHomeWritable ? policy.barredInHome : []),
    ...controlPaths.flatMap((git) => git.barredPaths),
  ]
  const fixedFiles = [
    ...controlPaths.flatMap((git) => git.fixedFiles),
    ...userGitConfig.namedConfigs.map((path) => ({ path, content: '' })),
  ]
  const guardMounts = [
    ...guardedPaths.flatMap((path) => guardPath(path, { isPlaceholder })),
    ...barredPaths.flatMap((path) => guardPath(path, { bar: {}, isPlaceholder })),
    ...fixedFiles.flatMap(({ path, content }) => guardPath(path, { bar: { content }, isPlaceholder })),
  ].filter(({ path }) => writableFolders.some((root) => isPathInside(path, root)))

  const allVisibleFolders = [...writableFolders, ...visibleFolders]
  const isCovered = ({ path }: Mount) => isNearestHidden(path, allVisibleFolders, hiddenMounts)
  const closedMounts = [...guardMounts, ...hiddenMounts].filter((mount) => !isCovered(mount))
  const fixedPaths = [
    ...closedMounts.map(({ path }) => dirname(path)),
    ...controlPaths.flatMap(({ pinnedFolders }) => pinnedFolders),
  ]
  return {
    writableFolders,
    gitFolders,
    gitFiles: foundFiles.flatMap((files) => files.gitFiles),
    closedPaths: [...new Set(closedMounts.map(({ path }) => path))],
    mounts: [
      ...writableFolders.map((path): Mount => ({ path, kind: 'writable' })),
      ...writableFolders.flatMap((root) => pinFolders(root, fixedPaths, closedMounts)),
      ...visibleFolders
        .filter((path) => hiddenMounts.some((mount) => isPathInside(path, mount.path)))
        .map(toReadOnlyMount),
      ...closedMounts,
    ],
  }
}

/**
 * Returns the outermost folders. Only these are mounted, because an earlier command could have replaced
 * an inner folder with a link.
 */
export function selectOutermostFolders(paths: readonly string[]): readonly string[] {
  const distinctPaths = [...new Set(paths)]
  return distinctPaths.filter((path) => !distinctPaths.some((other) => isPathBelow(path, other)))
}

function resolveIfPresent(path: string): readonly string[] {
  try {
    return [realpathSync(path)]
  } catch {
    // The path is missing, so it can be neither shown nor hidden.
    return []
  }
}

export function toHiddenMounts(path: string): readonly Mount[] {
  return resolveIfPresent(path).map((realFile) => ({
    path: realFile,
    kind: statSync(realFile).isDirectory() ? 'hidden-folder' : 'hidden-file',
  }))
}

function createUnprotectableError(problem: string): ToolCallError {
  return new ToolCallError(
    'unavailable',
    `The sandbox cannot find all files that it must protect: ${problem}. Tell the user to rename or remove it, or to work in a smaller folder.`,
  )
}

function toReadOnlyMount(path: string): Mount {
  return { path, kind: 'read-only' }
}

/**
 * Mounts these folders and those above them, up to the writable root, onto themselves. A mount point cannot be renamed, so a
 * command can neither rename nor replace the folder. Folders that are read-only or hidden already are left out.
 */
function pinFolders(root: string, paths: readonly string[], closedMounts: readonly Mount[]): readonly Mount[] {
  const closedPaths = closedMounts.map(({ path }) => path).filter((path) => isPathInside(path, root))
  const pinnedFolders = new Set<string>()
  for (const path of paths) {
    for (let folder = path; isPathBelow(folder, root) && !pinnedFolders.has(folder); folder = dirname(folder))
      pinnedFolders.add(folder)
  }
  return [...pinnedFolders]
    .filter((folder) => !closedPaths.some((closedPath) => isPathInside(folder, closedPath)))
    .map((path): Mount => ({ path, kind: 'writable' }))
}

function isFolder(path: string): boolean {
  return lookAt(path)?.isDirectory() === true
}

/** Whether the nearest of the visible and hidden folders that contain a path is a hidden one. */
export function isNearestHidden(
  path: string,
  visibleFolders: readonly string[],
  hiddenMounts: readonly Mount[],
): boolean {
  const contains = (folder: string) => isPathBelow(path, folder)
  const getDeepestLength = (folders: readonly string[]) =>
    Math.max(0, ...folders.filter(contains).map((folder) => folder.length))
  return getDeepestLength(hiddenMounts.map((mount) => mount.path)) > getDeepestLength(visibleFolders)
}
