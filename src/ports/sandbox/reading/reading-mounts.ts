import type { JudgedPaths } from '../../../contract/judged-paths.js'
import { isPathInside } from '../../../shared/path-containment.js'
import { createMovedError } from '../../paths/opened-path.js'
import type { Mount } from '../mounts.js'
import { isNearestHidden, selectOutermostFolders, toHiddenMounts } from '../resolve-policy.js'
import { findHarmlessGitConfigs, gitFoldersOf } from './git-folders.js'
import type { Toolchain } from './toolchain.js'
import { foldersAbove, resolveVisible, type VisiblePath } from './visible-path.js'

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
  readonly hidden: readonly string[]
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
  const working = resolveAll([...workingFolders, ...workingFolders.flatMap((folder) => gitFoldersOf(folder, home))])
  const hidden = [...policy.hidden.flatMap(toHiddenMounts), ...toolchain.hidden]
  const workingPaths = working.map(({ real }) => real)
  // A folder that the settings hide stays hidden, even if a rule allows a command to read it.
  const readable = resolveAll(reads, judgedPaths).filter(({ real }) => !isHidden(real, workingPaths, hidden))
  const all = [...working, ...readable, ...toolchain.visible, ...resolveAll(findHarmlessGitConfigs(home))]
  const visible = selectOutermostFolders(all.map(({ real }) => real))
  if (visible.includes('/')) return undefined
  const isVisible = (path: string) => visible.some((folder) => isPathInside(path, folder))
  const links = all.flatMap((path) => path.links).filter(({ path }) => !isVisible(path))
  const shownAgain = workingPaths.filter(
    (path) => !visible.includes(path) && hidden.some((mount) => isPathInside(path, mount.path)),
  )
  const mounts: Mount[] = [
    ...[...visible, ...shownAgain].map((path): Mount => ({ path, kind: 'read-only' })),
    ...links.map(({ path, target }): Mount => ({ path, kind: 'link', target })),
    ...hidden.filter(({ path }) => isVisible(path) && !isNearestHidden(path, workingPaths, hidden)),
    ...(isVisible(SCRATCH_FOLDER) ? [] : [{ path: SCRATCH_FOLDER, kind: 'scratch' } as const]),
  ]
  return [...mounts, ...createPassages([...mounts.map(({ path }) => path), ...toHomePath(home)], isVisible)]
}

/** Resolves paths. Throws if one leads elsewhere than when permission was decided, because its target would become visible. */
function resolveAll(paths: readonly string[], judgedPaths?: JudgedPaths): readonly VisiblePath[] {
  return [...new Set(paths)]
    .flatMap((path) => {
      const visible = resolveVisible(path)
      const judged = judgedPaths?.get(path)?.realPath
      if (visible !== undefined && judged !== undefined && visible.real !== judged) throw createMovedError(path)
      return visible ?? []
    })
    .filter(({ real }) => !PRIVATE_FOLDERS.some((folder) => isPathInside(real, folder)))
}

function isHidden(path: string, visible: readonly string[], hidden: readonly Mount[]): boolean {
  return hidden.some((mount) => mount.path === path) || isNearestHidden(path, visible, hidden)
}

/** Returns a path that makes the home folder exist, so that `cd` works, although it cannot be listed. */
function toHomePath(home: string): readonly string[] {
  const real = resolveVisible(home)?.real
  return real === undefined ? [] : [`${real}/.`]
}

/**
 * Returns mounts for the folders above visible paths. They can be entered but not listed, because most of their content is
 * missing.
 */
function createPassages(paths: readonly string[], isVisible: (path: string) => boolean): readonly Mount[] {
  const folders = new Set(paths.flatMap(foldersAbove))
  return [...folders]
    .filter((path) => !isVisible(path) && path !== SCRATCH_FOLDER)
    .map((path): Mount => ({ path, kind: 'passage' }))
}
