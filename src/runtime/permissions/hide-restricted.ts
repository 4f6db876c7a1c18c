import type { Ports } from '../../contract/ports/index.js'
import type { Tool } from '../../contract/tool/tool.js'
import type { IsRestricted } from '../../permissions/rules/restricted-below.js'
import { overridePort } from '../machine/override-port.js'

/** Tells what rules restrict below a folder for a call that works in `cwd`, by the rules that hold when it is asked. */
export type FindRestricted = (folder: string, cwd: string) => Promise<IsRestricted | undefined>

/** Ports whose searches leave out what rules restrict, and which tell whether a path is such. */
export function hideRestricted({ files, search }: Partial<Ports>, find: FindRestricted): Partial<Ports> {
  return {
    ...(files !== undefined && {
      files: overridePort(files, {
        glob: async (folder, pattern, options) =>
          files.glob(folder, pattern, { ...options, ...hidden(await find(folder, options?.cwd ?? folder)) }),
        isHidden: (path, cwd) => isHidden(path, cwd, find),
      }),
    }),
    ...(search !== undefined && {
      search: {
        search: async (query, options) =>
          search.search({ ...query, ...hidden(await find(query.path, query.cwd)) }, options),
      },
    }),
  }
}

/** Asked about the path itself, so that where its links lead counts, too. */
export async function isHidden(path: string, cwd: string, find: FindRestricted): Promise<boolean> {
  const isRestricted = await find(path, cwd)
  return isRestricted !== undefined && (isRestricted(path) || isRestricted(`${path}/`))
}

function hidden(isHidden: IsRestricted | undefined): { readonly isHidden?: IsRestricted } {
  return isHidden === undefined ? {} : { isHidden }
}

/** Whether a tool searches only by such ports. What comes over a protocol does not even if it says so. */
export function searchesAroundRestricted({ omitsRestrictedFiles, isMcp, mcpInfo }: Tool): boolean {
  return omitsRestrictedFiles === true && isMcp !== true && mcpInfo === undefined
}
