import { isPathBelow } from '../../../shared/path-containment.js'
import { type CommandPrefix, FIRST_INHERITED_DESCRIPTOR } from '../../shell/confinement.js'
import { type Mount, orderMounts } from '../mounts.js'
import type { PrivateFolder } from '../protect/private-folder.js'

export interface BubblewrapView {
  readonly mounts: readonly Mount[]
  readonly cwd: string
  readonly isRoot: boolean
  /** An unreadable file, which is mounted over each hidden file. */
  readonly deniedFile: string
  /** The descriptor of the system call filter, if there is one. */
  readonly filterDescriptor?: number
  /** Whether everything that is not hidden is visible. Otherwise only mounts are visible. */
  readonly showsOtherFiles: boolean
  /** Whether the command stays in the network namespace of its parent, which must be a `ClosedNetwork`. */
  readonly keepsNetwork: boolean
  /** Whether the command keeps its controlling terminal, which must be one of its own: it can send input to it. */
  readonly keepsTerminal?: boolean
}

/** Returns the arguments of bubblewrap up to the program to run. */
export function createBubblewrapArguments(view: BubblewrapView): readonly string[] {
  const mounts = orderMounts(view.mounts)
  return [
    '--unshare-all',
    ...(view.keepsNetwork ? ['--share-net'] : []),
    '--die-with-parent',
    ...(view.keepsTerminal === true ? [] : ['--new-session']),
    // Root would otherwise keep its capabilities and could remount everything as writable.
    ...['--cap-drop', 'ALL'],
    ...(view.showsOtherFiles ? ['--ro-bind', '/', '/'] : []),
    ...['--dev', '/dev'],
    ...['--proc', '/proc'],
    // Root owns the kernel settings in /proc/sys and could write them without any capability.
    ...(view.isRoot ? ['--remount-ro', '/proc'] : []),
    ...mounts.flatMap((mount) => createMountArguments(mount, mounts, view.deniedFile)),
    // Remounted last, because mounts inside a hidden folder need a mount point in it.
    ...mounts.filter(isEmptied).flatMap(({ path }) => ['--remount-ro', path]),
    ...(view.showsOtherFiles ? [] : ['--remount-ro', '/']),
    ...(view.filterDescriptor === undefined ? [] : ['--seccomp', String(view.filterDescriptor)]),
    ...['--chdir', view.cwd],
    '--',
  ]
}

function createMountArguments(
  { path, kind, target = '' }: Mount,
  allMounts: readonly Mount[],
  deniedFile: string,
): readonly string[] {
  switch (kind) {
    case 'writable':
      return ['--bind', path, path]
    case 'read-only':
    case 'fixed-file':
      return ['--ro-bind', path, path]
    case 'absent':
      return ['--perms', '0555', '--tmpfs', path]
    case 'hidden-folder':
      // Folders that are shown inside must be reachable, but nothing else may be listed.
      return ['--perms', allMounts.some((other) => isPathBelow(other.path, path)) ? '0111' : '0000', '--tmpfs', path]
    case 'hidden-file':
      return ['--ro-bind', deniedFile, path]
    case 'passage':
      return ['--perms', '0111', '--dir', path]
    case 'scratch':
      return ['--perms', '1777', '--tmpfs', path]
    case 'link':
      return ['--symlink', target, path]
  }
}

function isEmptied({ kind }: Mount): boolean {
  return kind === 'absent' || kind === 'hidden-folder'
}

/**
 * Returns the prefix that runs a program under bubblewrap, with the file of the system call filter, which the program
 * inherits.
 */
export function createBubblewrapPrefix(
  {
    bubblewrap,
    files,
    strayDescriptors = [],
  }: {
    readonly bubblewrap: string
    readonly files: PrivateFolder
    readonly strayDescriptors?: readonly number[]
  },
  view: Pick<BubblewrapView, 'mounts' | 'cwd'> & {
    readonly showsOtherFiles?: boolean
    readonly isWriting?: boolean
    readonly networkPrefix?: readonly string[]
    readonly keepsTerminal?: boolean
  },
): CommandPrefix {
  const { deniedFile } = files
  const filter = view.isWriting === false ? files.readingFilter : files.filter
  return {
    argvPrefix: [
      ...(view.networkPrefix ?? []),
      bubblewrap,
      ...createBubblewrapArguments({
        mounts: view.mounts,
        cwd: view.cwd,
        isRoot: process.getuid?.() === 0,
        deniedFile,
        showsOtherFiles: view.showsOtherFiles ?? true,
        ...(filter !== undefined && { filterDescriptor: FIRST_INHERITED_DESCRIPTOR }),
        keepsNetwork: view.networkPrefix !== undefined,
        keepsTerminal: view.keepsTerminal ?? false,
      }),
    ],
    ...(filter !== undefined && { inheritedFiles: [filter] }),
    ...(strayDescriptors.length > 0 && { strayDescriptors }),
  }
}
