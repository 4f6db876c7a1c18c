import type { CommandAnalysis } from '../contract/command.js'
import type { PermissionRule } from '../contract/permission/rule.js'
import { getCapabilities, runsCommands } from '../contract/tool/capabilities.js'
import { RULE_FAMILIES, ruleNamesOf } from '../contract/tool/rule-names.js'
import type { Tool } from '../contract/tool/tool.js'
import type { MaybePromise } from '../shared/maybe-promise.js'
import { isAboutOnePath, type JudgedTool, mayFallUnder } from './may-fall-under.js'

/** Whether the current call matches a rule. Rejects if that cannot be determined. */
export type RuleTester = (rule: PermissionRule) => MaybePromise<boolean>

/**
 * Tests the `if` of hooks against one tool call. The input is compiled once, and only if a rule has content.
 * `testPaths` compares the content with the paths of the call, as permission rules do; `command` is the analysis of its
 * command.
 */
export function createRuleTester(
  tool: JudgedTool & Pick<Tool, 'aliases'>,
  input: unknown,
  testPaths: (ruleContent: string) => Promise<boolean> = rejectUnknownPaths,
  command?: CommandAnalysis,
): RuleTester {
  // The displayed name counts too: a guard that runs once too often does no harm.
  const names = new Set([tool.name, ...ruleNamesOf(tool)])
  let preparedMatcher: Promise<(ruleContent: string) => boolean> | undefined
  const matchContent = async (content: string) => {
    if (tool.preparePermissionMatcher === undefined) return testPaths(content)
    preparedMatcher ??= Promise.resolve(tool.preparePermissionMatcher(input, command))
    return (await preparedMatcher)(content)
  }
  return async (rule) => {
    const { toolName, content } = rule
    if (names.has(toolName)) return content === undefined || matchContent(content)
    if (content === undefined || !mayFallUnder(rule, tool, input, command)) return false
    // The matcher of a tool also understands rules on commands, and rules on paths if the call is about one path.
    if (toolName === RULE_FAMILIES.commands || isAboutOnePath(tool, input)) return matchContent(content)
    return runsCommands(getCapabilities(tool)) || testPaths(content)
  }
}

async function rejectUnknownPaths(): Promise<boolean> {
  throw new Error('The paths that the call touches are unknown.')
}
