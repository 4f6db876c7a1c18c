import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { ToolPermissionContext } from '../../contract/permission/context.js'
import { deepFreeze } from '../../shared/deep-freeze.js'
import { isPathInside } from '../../shared/path-containment.js'

/** What would mean something else in a rule than in a path. */
const WILDCARD = /[*?[\]]/

/**
 * Adds to a permission context that what stands in some folders may be read without a question: results that were moved
 * to a file, and skills that were loaded. By rules for reading, not as working directories: nothing there may be written.
 * Deny and ask rules still come first. While the folders are the same array, and the context, so is what is made of them.
 */
export function readableFolders(
  folders: () => readonly string[],
  inhabited: readonly string[],
): (context: ToolPermissionContext) => ToolPermissionContext {
  let open: { readonly folders: readonly string[]; readonly rules: readonly string[] } | undefined
  let last: { readonly from: ToolPermissionContext; readonly made: ToolPermissionContext } | undefined
  return (context) => {
    const now = folders()
    if (open?.folders !== now) {
      open = { folders: now, rules: now.flatMap((folder) => readRules(folder, inhabited)) }
      last = undefined
    }
    if (open.rules.length === 0) return context
    if (last?.from !== context) last = { from: context, made: withRules(context, open.rules) }
    return last.made
  }
}

function withRules(context: ToolPermissionContext, rules: readonly string[]): ToolPermissionContext {
  const { alwaysAllowRules } = context
  const session = [...(alwaysAllowRules.session ?? []), ...rules]
  return deepFreeze({ ...context, alwaysAllowRules: { ...alwaysAllowRules, session } })
}

function readRules(directory: string, inhabited: readonly string[]): readonly string[] {
  const written = resolve(directory)
  const folders = [...new Set([written, realFolder(written)])]
  // A folder that holds more, such as the home folder, is not opened because results are put there, or a link leads there.
  const homes = [...inhabited, tmpdir()].flatMap((home) => [resolve(home), realFolder(resolve(home))])
  if (folders.some((folder) => homes.some((home) => isPathInside(home, folder)))) return []
  return folders.flatMap((folder) => {
    const path = sep === '\\' ? folder.replaceAll('\\', '/') : folder
    if (WILDCARD.test(path) || path.includes('\\')) return []
    return [`Read(${path.startsWith('/') ? `/${path}` : path}/**)`]
  })
}

/** The folder with links resolved as far as it exists: temporary folders often stand behind one. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    // Not made yet: it will be inside what its parent really is.
    const parent = dirname(folder)
    return parent === folder ? folder : join(realFolder(parent), basename(folder))
  }
}
