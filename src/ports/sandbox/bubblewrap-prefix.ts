import { type CommandPrefix, FIRST_INHERITED } from '../shell/confinement.js'
import { type BubblewrapView, bubblewrapArguments } from './bubblewrap-arguments.js'
import type { PrivateFolder } from './private-folder.js'

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
