import { normaliseMcpName } from '../contract/mcp-name.js'
import { RULE_SOURCES, type RuleSource, type ToolPermissionContext } from '../contract/permission-context.js'
import type { PermissionBehavior } from '../contract/permission-result.js'
import { parsePermissionRule } from '../contract/permission-rule.js'
import { ruleNamesOf } from '../contract/rule-names.js'
import type { ToolIdentity } from '../contract/tool-identity.js'
import { nearestNames } from '../shared/nearest-names.js'

export interface UnmatchableRule {
  readonly rule: string
  readonly behavior: PermissionBehavior
  readonly source: RuleSource
  /** The known names that come nearest, best first. */
  readonly suggestions: readonly string[]
  readonly message: string
}

/** Looking for near names costs time; nobody reads further. */
const MAX_SUGGESTED = 100

/**
 * The rules that name no known tool and so can never match.
 * `servers` are configured MCP servers: while one has not brought its tools, rules for it are not judged.
 */
export function unmatchableRules(
  context: ToolPermissionContext,
  tools: readonly ToolIdentity[],
  { servers = [] }: { servers?: readonly string[] } = {},
): readonly UnmatchableRule[] {
  const names = new Set(tools.flatMap(ruleNamesOf))
  const waiting = servers.map(normaliseMcpName).filter((server) => !names.has(`mcp__${server}`))
  return writtenRules(context)
    .filter(({ rule }) => !matches(rule, names) && !isOfServer(rule, waiting))
    .map((found, index) => describe(found, index < MAX_SUGGESTED ? nearestNames(nameOf(found.rule), names) : []))
}

interface WrittenRule {
  readonly rule: string
  readonly behavior: PermissionBehavior
  readonly source: RuleSource
}

function writtenRules(context: ToolPermissionContext): readonly WrittenRule[] {
  const lists = [
    ['deny', context.alwaysDenyRules],
    ['ask', context.alwaysAskRules],
    ['allow', context.alwaysAllowRules],
  ] as const
  return lists.flatMap(([behavior, bySource]) =>
    RULE_SOURCES.flatMap((source) => (bySource[source] ?? []).map((rule) => ({ rule, behavior, source }))),
  )
}

/** A server's own name may hold parentheses: such a rule is read as a name, too. */
function matches(rule: string, names: ReadonlySet<string>): boolean {
  return names.has(nameOf(rule)) || names.has(rule.trim())
}

/** A rule that cannot be read counts for the tool that it begins with. */
function nameOf(rule: string): string {
  try {
    return parsePermissionRule(rule).toolName
  } catch {
    // Its mistake was reported when it was loaded.
    return /^[\w-]+/.exec(rule.trim())?.[0] ?? rule.trim()
  }
}

function isOfServer(rule: string, servers: readonly string[]): boolean {
  const name = normaliseMcpName(nameOf(rule))
  return servers.some((server) => name === `mcp__${server}` || name.startsWith(`mcp__${server}__`))
}

function describe({ rule, behavior, source }: WrittenRule, suggestions: readonly string[]): UnmatchableRule {
  const advice = suggestions.length === 0 ? '' : ` Did you mean ${suggestions.join(' or ')}?`
  const message = `The ${behavior} rule ${JSON.stringify(rule)} (${source}) names no known tool and never matches.${advice}`
  return { rule, behavior, source, suggestions, message }
}
