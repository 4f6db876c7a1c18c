import type { Ports } from '../../contract/ports/index.js'
import type { Tool } from '../../contract/tool/tool.js'
import type { IsRestricted } from '../../permissions/rules/restricted-below.js'
import { overridePort } from '../../shared/override-port.js'

/**
 * Finds what the current rules restrict below a folder, for a call whose working directory is `cwd`. `realPath` is the folder
 * that permission was decided for.
 */
export type FindRestricted = (folder: string, cwd: string, realPath?: string) => Promise<IsRestricted | undefined>

/** Returns the ports with searches that omit restricted files, and with `isHidden`, which reports whether a path is restricted. */
export function hideRestricted({ files, search }: Partial<Ports>, find: FindRestricted): Partial<Ports> {
  return {
    ...(files !== undefined && {
      files: overridePort(files, {
        glob: async (folder, pattern, options) =>
          files.glob(folder, pattern, {
            ...options,
            ...toHiddenOption(await find(folder, options?.cwd ?? folder, options?.realPath)),
          }),
        isHidden: (path, cwd) => isHidden(path, cwd, find),
      }),
    }),
    ...(search !== undefined && {
      search: {
        search: async (query, options) =>
          search.search({ ...query, ...toHiddenOption(await find(query.path, query.cwd, query.realPath)) }, options),
      },
    }),
  }
}

/** Whether rules restrict a path. Looks up the path itself, not its folder, so that the target of a link is checked too. */
export async function isHidden(path: string, cwd: string, find: FindRestricted): Promise<boolean> {
  const isRestricted = await find(path, cwd)
  return isRestricted !== undefined && (isRestricted(path) || isRestricted(`${path}/`))
}

function toHiddenOption(isHidden: IsRestricted | undefined): { readonly isHidden?: IsRestricted } {
  return isHidden === undefined ? {} : { isHidden }
}

/** Whether a tool searches only through the ports of `hideRestricted`, which omit restricted files. MCP tools are not trusted to do so. */
export function omitsRestricted({ omitsRestrictedFiles, isMcp, mcpInfo }: Tool): boolean {
  return omitsRestrictedFiles === true && isMcp !== true && mcpInfo === undefined
}
