import { normaliseMcpName } from '../contract/mcp/name.js'
import type { ToolPermissionContext } from '../contract/permission/context.js'
import { parsePermissionRule } from '../contract/permission/rule.js'
import type { ToolIdentity } from '../contract/tool/identity.js'
import { ruleNamesOf } from '../contract/tool/rule-names.js'

/**
 * Removes every tool that a deny rule without content names, so that the model never sees it.
 * A rule with content keeps the tool and applies at the call.
 */
export function filterToolsByDenyRules<T extends ToolIdentity>(
  tools: readonly T[],
  { alwaysDenyRules }: Pick<ToolPermissionContext, 'alwaysDenyRules'>,
): readonly T[] {
  const denied = new Set(Object.values(alwaysDenyRules).flatMap((rules) => rules.flatMap(namesDeniedBy)))
  if (denied.size === 0) return tools
  const concerns = serverRuleCheck(denied)
  const kept = tools.filter((tool) => !concerns(tool) || !ruleNamesOf(tool).some((name) => denied.has(name)))
  return kept.length === tools.length ? tools : kept
}

/** A quick check whether any rule can match the tool: thousands of tools come from few servers, most without rules. */
function serverRuleCheck(denied: ReadonlySet<string>): (tool: ToolIdentity) => boolean {
  const rules = [...denied].filter((name) => name.startsWith('mcp__'))
  const known = new Map<string, boolean>()
  return ({ mcpInfo }) => {
    if (!mcpInfo) return true
    const { serverName } = mcpInfo
    let isConcerned = known.get(serverName)
    if (isConcerned === undefined) {
      const prefixes = [`mcp__${serverName}`, `mcp__${normaliseMcpName(serverName)}`]
      isConcerned = rules.some((rule) => prefixes.some((prefix) => rule.startsWith(prefix)))
      known.set(serverName, isConcerned)
    }
    return isConcerned
  }
}

function namesDeniedBy(written: string): readonly string[] {
  try {
    const rule = parsePermissionRule(written)
    if (rule.content === undefined) return [rule.toolName]
    // A server name may end in a parenthesis. Reading the whole rule as a name can only deny more.
    return rule.toolName.startsWith('mcp__') ? [rule.text] : []
  } catch {
    // A malformed deny rule denies the whole tool it starts with, rather than nothing.
    return /^[\w-]+/.exec(written.trim()) ?? []
  }
}
