import { isPathInside } from '../../../shared/path-containment.js'
import { type CommandPrefix, FIRST_INHERITED } from '../../shell/confinement.js'
import { type Mount, orderMounts } from '../mounts.js'
import type { PrivateFolder } from '../protect/private-folder.js'

export interface BubblewrapView {
  readonly mounts: readonly Mount[]
  readonly cwd: string
  readonly isRoot: boolean
  /** A file that nobody may read, shown in the place of each hidden one. */
  readonly deniedFile: string
  /** The open descriptor of the filter of system calls, where there is one. */
  readonly filterDescriptor?: number
  /** Whether it stays in the network that it was started in, which must be a closed one. */
  readonly keepsNetwork: boolean
}

/** The arguments of bubblewrap up to the program that it runs. */
export function bubblewrapArguments(view: BubblewrapView): readonly string[] {
  const mounts = orderMounts(view.mounts)
  return [
    '--unshare-all',
    ...(view.keepsNetwork ? ['--share-net'] : []),
    '--die-with-parent',
    '--new-session',
    // Root would otherwise keep its powers over the mounts, and could make all of them writable again.
    ...['--cap-drop', 'ALL'],
    ...['--ro-bind', '/', '/'],
    ...['--dev', '/dev'],
    ...['--proc', '/proc'],
    // The switches of the kernel in there belong to root, whose powers they do not ask for.
    ...(view.isRoot ? ['--remount-ro', '/proc'] : []),
    ...mounts.flatMap((mount) => mountArguments(mount, mounts, view.deniedFile)),
    // Last, because what lies in an emptied folder needs a place to be mounted on.
    ...mounts.filter(isEmptied).flatMap(({ path }) => ['--remount-ro', path]),
    ...(view.filterDescriptor === undefined ? [] : ['--seccomp', String(view.filterDescriptor)]),
    ...['--chdir', view.cwd],
    '--',
  ]
}

function mountArguments({ path, kind }: Mount, all: readonly Mount[], deniedFile: string): readonly string[] {
  const isAround = all.some((other) => other.path !== path && isPathInside(other.path, path))
  switch (kind) {
    case 'writable':
      return ['--bind', path, path]
    case 'read-only':
      return ['--ro-bind', path, path]
    case 'absent':
      return ['--perms', '0555', '--tmpfs', path]
    case 'hidden-folder':
      // What is still shown inside must be reachable, and nothing else listed.
      return ['--perms', isAround ? '0111' : '0000', '--tmpfs', path]
    case 'hidden-file':
      return ['--ro-bind', deniedFile, path]
  }
}

function isEmptied({ kind }: Mount): boolean {
  return kind === 'absent' || kind === 'hidden-folder'
}

/** What comes before a program that bubblewrap shall hold. */
export function bubblewrapPrefix(
  { bubblewrap, files }: { readonly bubblewrap: string; readonly files: PrivateFolder },
  view: Pick<BubblewrapView, 'mounts' | 'cwd'> & { readonly networkPrefix?: readonly string[] },
): CommandPrefix {
  const { filter, deniedFile } = files
  return {
    argvPrefix: [
      ...(view.networkPrefix ?? []),
      bubblewrap,
      ...bubblewrapArguments({
        mounts: view.mounts,
        cwd: view.cwd,
        isRoot: process.getuid?.() === 0,
        deniedFile,
        ...(filter !== undefined && { filterDescriptor: FIRST_INHERITED }),
        keepsNetwork: view.networkPrefix !== undefined,
      }),
    ],
    ...(filter !== undefined && { inherited: [filter] }),
  }
}
