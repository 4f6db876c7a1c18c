import { RULE_SOURCES, type RuleSource, type ToolPermissionContext } from '../../contract/permission/context.js'
import { parsePermissionRule } from '../../contract/permission/rule.js'
import { getCapabilities, mayNameFiles, runsCommands } from '../../contract/tool/capabilities.js'
import { RULE_FAMILIES, ruleNamesOf } from '../../contract/tool/rule-names.js'
import type { Tool } from '../../contract/tool/tool.js'
import { findNearestNames } from '../../shared/nearest-names.js'
import { reasonOf } from '../../shared/reason-of.js'
import { parseDomainPattern } from './domain-pattern.js'
import { parsePathPattern } from './path-pattern.js'

/** A rule that cannot work as written, and the problem to fix. */
export interface UnmatchableRule {
  readonly list: 'deny' | 'ask' | 'allow'
  readonly rule: string
  readonly source: RuleSource
  readonly problem: string
  /** The similar names of tools, if the rule names no tool and so has no effect. */
  readonly similarTools?: readonly string[]
}

/** Says which rule cannot work as written, what happens instead, and what to change. */
export function describeUnmatchableRule({ list, rule, source, problem, similarTools }: UnmatchableRule): string {
  const effect = list === 'allow' || similarTools !== undefined ? 'never matches' : 'restricts more than it says'
  return `the ${list} rule ${JSON.stringify(rule)} (${source}) ${effect}: ${problem}`
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
        const found = findProblem(rule, toolsByName)
        return found === undefined ? [] : [{ list, rule, source, ...found }]
      }),
    ),
  )
}

type Problem = Pick<UnmatchableRule, 'problem' | 'similarTools'>

function findProblem(ruleText: string, toolsByName: ReadonlyMap<string, Tool>): Problem | undefined {
  try {
    const { toolName, content } = parsePermissionRule(ruleText)
    const tool = toolsByName.get(toolName)
    // A server may connect later with tools that are not known yet.
    if (tool === undefined && !isFamily(toolName) && !toolName.startsWith('mcp__'))
      return describeUnknownTool(toolName, toolsByName)
    const problem = content === undefined ? undefined : findContentProblem(toolName, content, tool)
    return problem === undefined ? undefined : { problem }
  } catch (error) {
    return { problem: reasonOf(error) }
  }
}

function isFamily(name: string): boolean {
  return Object.values<string>(RULE_FAMILIES).includes(name)
}

function describeUnknownTool(name: string, toolsByName: ReadonlyMap<string, Tool>): Problem {
  const similarTools = findNearestNames(name, toolsByName.keys())
  const advice = similarTools.length === 0 ? '' : ` Did you mean ${similarTools.join(' or ')}?`
  return { problem: `Unknown tool ${name}.${advice}`, similarTools }
}

function findContentProblem(toolName: string, content: string, tool: Tool | undefined): string | undefined {
  if (toolName.startsWith('mcp__'))
    return `A rule for an MCP tool takes no content; write ${toolName} to cover every call.`
  if (toolName === RULE_FAMILIES.commands || (tool !== undefined && runsCommands(getCapabilities(tool))))
    return findCommandProblem(content)
  const isPathRule =
    toolName === RULE_FAMILIES.reads || toolName === RULE_FAMILIES.writes || tool?.getPath !== undefined
  if (tool?.preparePermissionMatcher !== undefined && !isPathRule) return undefined
  if (tool?.getWebTarget !== undefined && parseDomainPattern(content) !== undefined) return undefined
  if (isPathRule || (tool?.resources !== undefined && mayNameFiles(tool))) {
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
