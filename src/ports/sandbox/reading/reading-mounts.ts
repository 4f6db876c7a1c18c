import type { JudgedPaths } from '../../../contract/judged-paths.js'
import { isPathInside } from '../../../shared/path-containment.js'
import { createMovedError } from '../../paths/opened-path.js'
import type { Mount } from '../mounts.js'
import { isNearestHidden, selectOutermostFolders, toHiddenMounts } from '../resolve-policy.js'
import { findHarmlessGitConfigs, findVisibleGitFolders } from './git-folders.js'
import type { Toolchain } from './toolchain.js'
import { listFoldersAbove, resolveVisible, type VisiblePath } from './visible-path.js'

/** What a command that runs without approval may see. Paths need not exist and may contain links. */
export interface ReadingPolicy {
  readonly workingFolders: readonly string[]
  /** Files and folders elsewhere that this command may read. */
  readonly reads: readonly string[]
  /** Where the reads led when permission was decided. */
  readonly judgedPaths?: JudgedPaths | undefined
  readonly toolchain: Toolchain
  readonly home: string
  /** Paths that are hidden even inside a working folder. For nested paths, the innermost one decides. */
  readonly hiddenPaths: readonly string[]
}

/** Each command has its own version of these folders, so nothing from the machine may be mounted over them. */
const PRIVATE_FOLDERS = ['/proc', '/dev']
const SCRATCH_FOLDER = '/tmp'

/**
 * Returns the mounts that make only these paths visible below an otherwise empty root. Returns undefined if the root itself is
 * a working folder or may be read, so that everything is visible.
 */
export function createReadingMounts(policy: ReadingPolicy): readonly Mount[] | undefined {
  const { workingFolders, reads, judgedPaths, toolchain, home } = policy
  const gitFolders = workingFolders.flatMap((folder) => findVisibleGitFolders(folder, home))
  const workingFolderPaths = [
    ...resolveAll(workingFolders),
    // Only git folders without links are used. A folder that has since become a link may lead to any folder.
    ...resolveAll(gitFolders).filter(({ links }) => links.length === 0),
  ]
  const hiddenMounts = [...policy.hiddenPaths.flatMap(toHiddenMounts), ...toolchain.hiddenMounts]
  const workingPaths = workingFolderPaths.map(({ realPath }) => realPath)
  // A folder that the settings hide stays hidden, even if a rule allows a command to read it.
  const readablePaths = resolveAll(reads, judgedPaths).filter(
    ({ realPath }) => !isHidden(realPath, workingPaths, hiddenMounts),
  )
  const all = [
    ...workingFolderPaths,
    ...readablePaths,
    ...toolchain.visiblePaths,
    ...resolveAll(findHarmlessGitConfigs(home)),
  ]
  const visibleFolders = selectOutermostFolders(all.map(({ realPath }) => realPath))
  if (visibleFolders.includes('/')) return undefined
  const isVisible = (path: string) => visibleFolders.some((folder) => isPathInside(path, folder))
  const links = all.flatMap((path) => path.links).filter(({ path }) => !isVisible(path))
  const visibleAgainPaths = workingPaths.filter(
    (path) => !visibleFolders.includes(path) && hiddenMounts.some((mount) => isPathInside(path, mount.path)),
  )
  const mounts: Mount[] = [
    ...[...visibleFolders, ...visibleAgainPaths].map((path): Mount => ({ path, kind: 'read-only' })),
    ...links.map(({ path, target }): Mount => ({ path, kind: 'link', target })),
    ...hiddenMounts.filter(({ path }) => isVisible(path) && !isNearestHidden(path, workingPaths, hiddenMounts)),
    ...(isVisible(SCRATCH_FOLDER) ? [] : [{ path: SCRATCH_FOLDER, kind: 'scratch' } as const]),
  ]
  return [...mounts, ...createPassages([...mounts.map(({ path }) => path), ...toHomePath(home)], isVisible)]
}

/** Resolves paths. Throws if a path leads elsewhere than when permission was decided, because its target would become visible. */
function resolveAll(paths: readonly string[], judgedPaths?: JudgedPaths): readonly VisiblePath[] {
  return [...new Set(paths)]
    .flatMap((path) => {
      const visiblePath = resolveVisible(path)
      const judgedRealPath = judgedPaths?.get(path)?.realPath
      if (visiblePath !== undefined && judgedRealPath !== undefined && visiblePath.realPath !== judgedRealPath)
        throw createMovedError(path)
      return visiblePath ?? []
    })
    .filter(({ realPath }) => !PRIVATE_FOLDERS.some((folder) => isPathInside(realPath, folder)))
}

function isHidden(path: string, visibleFolders: readonly string[], hiddenMounts: readonly Mount[]): boolean {
  return hiddenMounts.some((mount) => mount.path === path) || isNearestHidden(path, visibleFolders, hiddenMounts)
}

/** Returns a path that makes the home folder exist, so that `cd` works, although it cannot be listed. */
function toHomePath(home: string): readonly string[] {
  const realHome = resolveVisible(home)?.realPath
  return realHome === undefined ? [] : [`${realHome}/.`]
}

/**
 * Returns mounts for the folders above visible paths. They can be entered but not listed, because most of their content is
 * missing.
 */
function createPassages(paths: readonly string[], isVisible: (path: string) => boolean): readonly Mount[] {
  const folders = new Set(paths.flatMap(listFoldersAbove))
  return [...folders]
    .filter((path) => !isVisible(path) && path !== SCRATCH_FOLDER)
    .map((path): Mount => ({ path, kind: 'passage' }))
}
