import { createPermissionContext, type ToolPermissionContext } from '../../contract/permission/context.js'

/** Rules as a library user writes them; they count as given on the command line. */
export interface PermissionRules {
  readonly mode?: ToolPermissionContext['mode']
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
  readonly ask?: readonly string[]
  /** Folders beside the working folder in which calls may work. */
  readonly directories?: readonly string[]
}

export function permissionContextOf(given: PermissionRules | ToolPermissionContext = {}): ToolPermissionContext {
  if ('alwaysDenyRules' in given) return createPermissionContext(given)
  const { mode = 'default', allow = [], deny = [], ask = [], directories = [] } = given
  return createPermissionContext({
    mode,
    alwaysAllowRules: { cliArg: allow },
    alwaysDenyRules: { cliArg: deny },
    alwaysAskRules: { cliArg: ask },
    additionalWorkingDirectories: directories.map((path) => ({ path, source: 'cliArg' })),
  })
}
