import { RULE_SOURCES, type RuleSource, type ToolPermissionContext } from '../../contract/permission/context.js'
import { parsePermissionRule } from '../../contract/permission/rule.js'
import { getCapabilities, runsCommands } from '../../contract/tool/capabilities.js'
import { RULE_FAMILIES, ruleNamesOf } from '../../contract/tool/rule-names.js'
import type { Tool } from '../../contract/tool/tool.js'
import { findNearestNames } from '../../shared/nearest-names.js'
import { reasonOf } from '../../shared/reason-of.js'
import { parseDomainPattern } from './domain-pattern.js'
import { parsePathPattern } from './path-pattern.js'

/** A rule that no call can match, and the problem to fix. */
export interface UnmatchableRule {
  readonly list: 'deny' | 'ask' | 'allow'
  readonly rule: string
  readonly source: RuleSource
  readonly problem: string
}

/** Finds rules that name no tool, or whose content cannot match. `tools` lists every tool that may exist. */
export function findUnmatchableRules(
  context: ToolPermissionContext,
  tools: readonly Tool[],
): readonly UnmatchableRule[] {
  const toolsByName = new Map<string, Tool>()
  for (const tool of tools) for (const name of ruleNamesOf(tool)) toolsByName.set(name, tool)
  const lists = [
    ['deny', context.alwaysDenyRules],
    ['ask', context.alwaysAskRules],
    ['allow', context.alwaysAllowRules],
  ] as const
  return lists.flatMap(([list, rules]) =>
    RULE_SOURCES.flatMap((source) =>
      (rules[source] ?? []).flatMap((rule) => {
        const problem = problemOf(rule, toolsByName)
        return problem === undefined ? [] : [{ list, rule, source, problem }]
      }),
    ),
  )
}

function problemOf(ruleText: string, toolsByName: ReadonlyMap<string, Tool>): string | undefined {
  try {
    const { toolName, content } = parsePermissionRule(ruleText)
    // A server may connect later with tools that are not known yet.
    if (toolName.startsWith('mcp__'))
      return content === undefined
        ? undefined
        : `A rule for an MCP tool takes no content; write ${toolName} to cover every call.`
    const tool = toolsByName.get(toolName)
    if (tool === undefined && !isFamily(toolName)) return describeUnknownTool(toolName, toolsByName)
    return content === undefined ? undefined : findContentProblem(toolName, content, tool)
  } catch (error) {
    return reasonOf(error)
  }
}

function isFamily(name: string): boolean {
  return Object.values<string>(RULE_FAMILIES).includes(name)
}

function describeUnknownTool(name: string, toolsByName: ReadonlyMap<string, Tool>): string {
  const similarNames = findNearestNames(name, toolsByName.keys())
  return `Unknown tool ${name}.${similarNames.length === 0 ? '' : ` Did you mean ${similarNames.join(' or ')}?`}`
}

function findContentProblem(toolName: string, content: string, tool: Tool | undefined): string | undefined {
  if (toolName === RULE_FAMILIES.commands || (tool !== undefined && runsCommands(getCapabilities(tool))))
    return findCommandProblem(content)
  const isPathRule =
    toolName === RULE_FAMILIES.reads || toolName === RULE_FAMILIES.writes || tool?.getPath !== undefined
  if (tool?.preparePermissionMatcher !== undefined && !isPathRule) return undefined
  if (tool?.getWebTarget !== undefined && parseDomainPattern(content) !== undefined) return undefined
  if (isPathRule || tool?.resources !== undefined) {
    const parsedPattern = parsePathPattern(content)
    return 'problem' in parsedPattern ? `The path cannot be matched: ${parsedPattern.problem}.` : undefined
  }
  if (parseDomainPattern(content) !== undefined) return undefined
  return `${toolName} takes no content; write ${toolName} to cover every call.`
}

/**
 * Describes the problem of a rule with shell operators. An allow rule of this kind allows nothing; a deny or ask rule only
 * causes a question about lines that contain all its commands.
 */
function findCommandProblem(content: string): string | undefined {
  if (/["'\\]/.test(content) || !/\s(?:&&|\|\|?|&|\d*>>?\S*|<)(?:\s|$)|;(?:\s|$)|\d>&\d/.test(content)) return undefined
  return 'A rule is compared with simple commands, which have no operators and redirections; write one rule for each command.'
}
