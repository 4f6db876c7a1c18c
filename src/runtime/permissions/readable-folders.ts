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
 * Deny and ask rules take precedence.
 */
export class ReadableFolders {
  readonly #results: { readonly directory: string }
  readonly #protectedFolders: readonly string[]
  #cachedRules: { readonly skillFolders: readonly string[]; readonly rules: readonly string[] } | undefined
  #cachedContext: { readonly from: ToolPermissionContext; readonly result: ToolPermissionContext } | undefined

  constructor(results: { readonly directory: string }, protectedFolders: readonly string[]) {
    this.#results = results
    this.#protectedFolders = protectedFolders
  }

  /** Returns the same object while the context and the list of folders are the same objects. */
  addTo(context: ToolPermissionContext, skillFolders: readonly string[]): ToolPermissionContext {
    if (this.#cachedRules?.skillFolders !== skillFolders) {
      const folders = [this.#results.directory, ...skillFolders]
      const rules = folders.flatMap((folder) => createReadRules(folder, this.#protectedFolders))
      this.#cachedRules = { skillFolders, rules }
      this.#cachedContext = undefined
    }
    const { rules } = this.#cachedRules
    if (rules.length === 0) return context
    if (this.#cachedContext?.from !== context) this.#cachedContext = { from: context, result: addRules(context, rules) }
    return this.#cachedContext.result
  }
}

function addRules(context: ToolPermissionContext, rules: readonly string[]): ToolPermissionContext {
  const { alwaysAllowRules } = context
  const session = [...(alwaysAllowRules.session ?? []), ...rules]
  return deepFreeze({ ...context, alwaysAllowRules: { ...alwaysAllowRules, session } })
}

function createReadRules(directory: string, protectedFolders: readonly string[]): readonly string[] {
  const absoluteFolder = resolve(directory)
  const folders = [...new Set([absoluteFolder, resolveRealFolder(absoluteFolder)])]
  // A folder that contains a protected one, such as the home folder, gets no such rule, even if results are stored there.
  const closedFolders = [...protectedFolders, tmpdir()].flatMap((path) => [
    resolve(path),
    resolveRealFolder(resolve(path)),
  ])
  if (folders.some((folder) => closedFolders.some((path) => isPathInside(path, folder)))) return []
  return folders.flatMap((folder) => {
    const path = sep === '\\' ? folder.replaceAll('\\', '/') : folder
    if (WILDCARD.test(path) || path.includes('\\')) return []
    return [`Read(${path.startsWith('/') ? `/${path}` : path}/**)`]
  })
}

/** Returns the folder with its links resolved as far as it exists: temporary folders are often behind a link. */
function resolveRealFolder(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    // Does not exist yet: it will be created in the real folder of its parent.
    const parent = dirname(folder)
    return parent === folder ? folder : join(resolveRealFolder(parent), basename(folder))
  }
}
