import { normaliseMcpName } from '../contract/mcp/name.js'
import type { ToolPermissionContext } from '../contract/permission/context.js'
import { parsePermissionRule } from '../contract/permission/rule.js'
import type { ToolIdentity } from '../contract/tool/identity.js'
import { ruleNamesOf } from '../contract/tool/rule-names.js'

/**
 * Drops every tool that a deny rule without content names, before the model ever sees it.
 * A rule with content keeps the tool: it is judged at the call.
 */
export function filterToolsByDenyRules<T extends ToolIdentity>(
  tools: readonly T[],
  { alwaysDenyRules }: Pick<ToolPermissionContext, 'alwaysDenyRules'>,
): readonly T[] {
  const denied = new Set(Object.values(alwaysDenyRules).flatMap((rules) => rules.flatMap(namesDeniedBy)))
  if (denied.size === 0) return tools
  const concerns = serversConcerned(denied)
  const kept = tools.filter((tool) => !concerns(tool) || !ruleNamesOf(tool).some((name) => denied.has(name)))
  return kept.length === tools.length ? tools : kept
}

/** Tells whether a rule can mean the tool at all: thousands come from a few servers, and most servers nobody denied. */
function serversConcerned(denied: ReadonlySet<string>): (tool: ToolIdentity) => boolean {
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
    // A server's own name may end in a parenthesis: read as a name, such a rule can only deny more.
    return rule.toolName.startsWith('mcp__') ? [rule.text] : []
  } catch {
    // A deny rule that cannot be read denies the whole tool it begins with, rather than nothing.
    return /^[\w-]+/.exec(written.trim()) ?? []
  }
}
