import { createPermissionContext, type ToolPermissionContext } from '../../contract/permission/context.js'

/** Permission rules of a library user. They have the same precedence as rules from the command line. */
export interface PermissionRules {
  readonly mode?: ToolPermissionContext['mode']
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
  readonly ask?: readonly string[]
  /** Further folders that calls may work in, besides the working directory. */
  readonly directories?: readonly string[]
}

export function toPermissionContext(rules: PermissionRules | ToolPermissionContext = {}): ToolPermissionContext {
  if ('alwaysDenyRules' in rules) return createPermissionContext(rules)
  const { mode = 'default', allow = [], deny = [], ask = [], directories = [] } = rules
  return createPermissionContext({
    mode,
    alwaysAllowRules: { cliArg: allow },
    alwaysDenyRules: { cliArg: deny },
    alwaysAskRules: { cliArg: ask },
    additionalWorkingDirectories: directories.map((path) => ({ path, source: 'cliArg' })),
  })
}
