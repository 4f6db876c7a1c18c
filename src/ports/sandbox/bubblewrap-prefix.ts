import { type BubblewrapView, bubblewrapArguments } from './bubblewrap-arguments.js'
import type { PrivateFolder } from './private-folder.js'

/** Above those that the shell uses itself. */
const FILTER_DESCRIPTOR = 9

/** What comes before a program that bubblewrap shall hold. */
export function bubblewrapPrefix(
  { bubblewrap, files }: { readonly bubblewrap: string; readonly files: PrivateFolder },
  view: Pick<BubblewrapView, 'mounts' | 'cwd'> & { readonly networkPrefix?: readonly string[] },
): readonly string[] {
  const { filter, deniedFile } = files
  // Only a shell in front opens a file as a descriptor, whoever starts the command.
  const opener = ['/bin/sh', '-c', `exec ${FILTER_DESCRIPTOR}<"$0" && exec "$@"`]
  return [
    ...(filter === undefined ? [] : [...opener, filter]),
    ...(view.networkPrefix ?? []),
    bubblewrap,
    ...bubblewrapArguments({
      mounts: view.mounts,
      cwd: view.cwd,
      isRoot: process.getuid?.() === 0,
      deniedFile,
      ...(filter !== undefined && { filterDescriptor: FILTER_DESCRIPTOR }),
      keepsNetwork: view.networkPrefix !== undefined,
    }),
  ]
}
