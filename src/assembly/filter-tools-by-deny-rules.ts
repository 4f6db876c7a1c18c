import type { ToolPermissionContext } from '../contract/permission-context.js'
import { parsePermissionRule } from '../contract/permission-rule.js'
import { ruleNamesOf } from '../contract/rule-names.js'
import type { ToolIdentity } from '../contract/tool-identity.js'

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
  const kept = tools.filter((tool) => !ruleNamesOf(tool).some((name) => denied.has(name)))
  return kept.length === tools.length ? tools : kept
}

function namesDeniedBy(written: string): readonly string[] {
  try {
    const rule = parsePermissionRule(written)
    if (rule.content === undefined) return [rule.toolName]
    // A server's own name may hold parentheses: read as a name, such a rule can only deny more.
    return rule.toolName.startsWith('mcp__') ? [rule.text] : []
  } catch {
    // A deny rule that cannot be read denies the whole tool it begins with, rather than nothing.
    return [written.trim().replace(/\(.*$/s, '')]
  }
}
