import { isPathInside } from '../../../shared/path-containment.js'
import type { Mount } from '../mounts.js'
import { isNearestHidden, selectOutermostFolders, toHiddenMounts } from '../resolve-policy.js'
import { gitFoldersOf, harmlessGitConfigs } from './git-folders.js'
import type { Toolchain } from './toolchain.js'
import { foldersAbove, resolveVisible, type VisiblePath } from './visible-path.js'

/** What a command that runs without a question may see. Paths need not exist, and may contain links. */
export interface ReadingPolicy {
  readonly workingFolders: readonly string[]
  /** Files and folders elsewhere that this command may read, because a rule or the user allows it. */
  readonly reads: readonly string[]
  readonly toolchain: Toolchain
  readonly home: string
  /** Hidden even inside a working folder. The nearest entry counts. */
  readonly hidden: readonly string[]
}

/** These are private to each command, so nothing of the machine may be mounted over them. */
const PRIVATE_FOLDERS = ['/proc', '/dev']
const SCRATCH_FOLDER = '/tmp'

/**
 * The mounts that make only these paths visible, for a root that is empty otherwise. Undefined if everything is to be
 * visible, because the root itself is a working folder or may be read.
 */
export function readingMounts(policy: ReadingPolicy): readonly Mount[] | undefined {
  const { workingFolders, reads, toolchain, home } = policy
  const working = resolveAll([...workingFolders, ...workingFolders.flatMap((folder) => gitFoldersOf(folder, home))])
  const hidden = [...policy.hidden.flatMap(toHiddenMounts), ...toolchain.hidden]
  const workingPaths = working.map(({ real }) => real)
  // A folder that the settings hide stays hidden, even if a rule allows a command to read in it.
  const readable = resolveAll(reads).filter(({ real }) => !isHidden(real, workingPaths, hidden))
  const all = [...working, ...readable, ...toolchain.visible, ...resolveAll(harmlessGitConfigs(home))]
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
  return [...mounts, ...passagesTo([...mounts.map(({ path }) => path), ...homePath(home)], isVisible)]
}

function resolveAll(paths: readonly string[]): readonly VisiblePath[] {
  return [...new Set(paths)]
    .flatMap((path) => resolveVisible(path) ?? [])
    .filter(({ real }) => !PRIVATE_FOLDERS.some((folder) => isPathInside(real, folder)))
}

function isHidden(path: string, visible: readonly string[], hidden: readonly Mount[]): boolean {
  return hidden.some((mount) => mount.path === path) || isNearestHidden(path, visible, hidden)
}

/** The home folder exists, so that `cd` works, but it cannot be listed. */
function homePath(home: string): readonly string[] {
  const real = resolveVisible(home)?.real
  return real === undefined ? [] : [`${real}/.`]
}

/** The folders on the way to visible paths. They can be passed through but not listed, because most of their content is missing. */
function passagesTo(paths: readonly string[], isVisible: (path: string) => boolean): readonly Mount[] {
  const folders = new Set(paths.flatMap(foldersAbove))
  return [...folders]
    .filter((path) => !isVisible(path) && path !== SCRATCH_FOLDER)
    .map((path): Mount => ({ path, kind: 'passage' }))
}
