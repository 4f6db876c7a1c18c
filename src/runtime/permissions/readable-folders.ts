import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { ToolPermissionContext } from '../../contract/permission/context.js'
import { deepFreeze } from '../../shared/deep-freeze.js'
import { isPathInside } from '../../shared/path-containment.js'

/** Characters that are wildcards in a rule. */
const WILDCARD = /[*?[\]]/

/**
 * Adds rules to a permission context that allow reading some folders without a question: long results that were saved to
 * files, and loaded skills. These are read rules rather than working directories, so nothing there may be written.
 * Deny and ask rules take precedence. Returns the same object while the folders and the context are the same objects.
 */
export function readableFolders(
  folders: () => readonly string[],
  protectedFolders: readonly string[],
): (context: ToolPermissionContext) => ToolPermissionContext {
  let current: { readonly folders: readonly string[]; readonly rules: readonly string[] } | undefined
  let last: { readonly from: ToolPermissionContext; readonly result: ToolPermissionContext } | undefined
  return (context) => {
    const now = folders()
    if (current?.folders !== now) {
      current = { folders: now, rules: now.flatMap((folder) => readRules(folder, protectedFolders)) }
      last = undefined
    }
    if (current.rules.length === 0) return context
    if (last?.from !== context) last = { from: context, result: withRules(context, current.rules) }
    return last.result
  }
}

function withRules(context: ToolPermissionContext, rules: readonly string[]): ToolPermissionContext {
  const { alwaysAllowRules } = context
  const session = [...(alwaysAllowRules.session ?? []), ...rules]
  return deepFreeze({ ...context, alwaysAllowRules: { ...alwaysAllowRules, session } })
}

function readRules(directory: string, protectedFolders: readonly string[]): readonly string[] {
  const written = resolve(directory)
  const folders = [...new Set([written, realFolder(written)])]
  // A folder that contains a protected one, such as the home folder, stays closed even if results are stored there.
  const closed = [...protectedFolders, tmpdir()].flatMap((path) => [resolve(path), realFolder(resolve(path))])
  if (folders.some((folder) => closed.some((path) => isPathInside(path, folder)))) return []
  return folders.flatMap((folder) => {
    const path = sep === '\\' ? folder.replaceAll('\\', '/') : folder
    if (WILDCARD.test(path) || path.includes('\\')) return []
    return [`Read(${path.startsWith('/') ? `/${path}` : path}/**)`]
  })
}

/** The folder with its links resolved as far as it exists: temporary folders are often behind a link. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    // Does not exist yet: it will be created in the real folder of its parent.
    const parent = dirname(folder)
    return parent === folder ? folder : join(realFolder(parent), basename(folder))
  }
}
