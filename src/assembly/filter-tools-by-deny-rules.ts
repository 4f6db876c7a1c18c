import { normaliseMcpName } from '../contract/mcp/name.js'
import type { ToolPermissionContext } from '../contract/permission/context.js'
import { parsePermissionRule } from '../contract/permission/rule.js'
import type { ToolIdentity } from '../contract/tool/identity.js'
import { ruleNamesOf } from '../contract/tool/rule-names.js'

type DenyContext = Pick<ToolPermissionContext, 'alwaysDenyRules'>

/**
 * Removes every tool that a deny rule without content names, so that it is never sent to the model.
 * A rule with content keeps the tool and applies at the call.
 */
export function filterToolsByDenyRules<T extends ToolIdentity>(
  tools: readonly T[],
  { alwaysDenyRules }: DenyContext,
): readonly T[] {
  const deniedNames = new Set(Object.values(alwaysDenyRules).flatMap((rules) => rules.flatMap(listNamesDeniedBy)))
  if (deniedNames.size === 0) return tools
  const mayMatch = createServerRuleCheck(deniedNames)
  const permittedTools = tools.filter(
    (tool) => !mayMatch(tool) || !ruleNamesOf(tool).some((name) => deniedNames.has(name)),
  )
  return permittedTools.length === tools.length ? tools : permittedTools
}

/**
 * Creates a function that returns the names that no server may use: those of the built-in tools, except for tools that a
 * rule denies as a whole. So the user can put a server's tool in the place of a built-in one. Returns the same set while
 * the rules are the same.
 */
export function createReservedNames(
  tools: readonly ToolIdentity[],
  ...otherNames: readonly string[]
): (context: DenyContext) => ReadonlySet<string> {
  let rules: object | undefined
  let reservedNames: ReadonlySet<string> = new Set()
  return (context) => {
    if (context.alwaysDenyRules === rules) return reservedNames
    rules = context.alwaysDenyRules
    const reservedTools = filterToolsByDenyRules(tools, context)
    const names = new Set([...otherNames, ...reservedTools.flatMap(({ name, aliases = [] }) => [name, ...aliases])])
    const isChanged = names.size !== reservedNames.size || [...names].some((name) => !reservedNames.has(name))
    if (isChanged) reservedNames = names
    return reservedNames
  }
}

/**
 * Creates a quick check whether any rule can match a tool: thousands of tools come from few servers, and rules name only a
 * few of these.
 */
function createServerRuleCheck(deniedNames: ReadonlySet<string>): (tool: ToolIdentity) => boolean {
  const rules = [...deniedNames].filter((name) => name.startsWith('mcp__'))
  const resultByServer = new Map<string, boolean>()
  return ({ mcpInfo }) => {
    if (!mcpInfo) return true
    const { serverName } = mcpInfo
    let mayMatchServer = resultByServer.get(serverName)
    if (mayMatchServer === undefined) {
      const prefixes = [`mcp__${serverName}`, `mcp__${normaliseMcpName(serverName)}`]
      mayMatchServer = rules.some((rule) => prefixes.some((prefix) => rule.startsWith(prefix)))
      resultByServer.set(serverName, mayMatchServer)
    }
    return mayMatchServer
  }
}

function listNamesDeniedBy(ruleText: string): readonly string[] {
  try {
    const rule = parsePermissionRule(ruleText)
    if (rule.content === undefined) return [rule.toolName]
    // A server name may end in a parenthesis. Reading the whole rule as a name can only deny more.
    return rule.toolName.startsWith('mcp__') ? [rule.text] : []
  } catch {
    // A malformed deny rule denies the whole tool whose name it starts with, rather than nothing.
    return /^[\w-]+/.exec(ruleText.trim()) ?? []
  }
}
