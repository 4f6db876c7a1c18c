import type { RuleSource, ToolPermissionContext } from '../../contract/permission/context.js'
import type { Tools } from '../../contract/tool/tool.js'
import {
  describeUnmatchableRule,
  findUnmatchableRules,
  type UnmatchableRule,
} from '../../permissions/rules/find-unmatchable-rules.js'

/** Sources that other programs read as well. */
const SHARED_SOURCES: ReadonlySet<RuleSource> = new Set(['policy', 'userSettings', 'projectSettings', 'localSettings'])

/** Reports rules that name no known tool, and rules whose content the tool cannot match. */
export function reportRules(
  context: ToolPermissionContext,
  listTools: () => Tools | undefined,
  onProblem: (problem: string) => void,
): void {
  const hasRules = [context.alwaysAllowRules, context.alwaysAskRules, context.alwaysDenyRules].some((rulesBySource) =>
    Object.values(rulesBySource).some((rules) => rules.length > 0),
  )
  const tools = hasRules ? listTools() : undefined
  if (tools === undefined) return
  for (const rule of findUnmatchableRules(context, tools))
    if (!mayNameToolOfOtherProgram(rule)) onProblem(describeUnmatchableRule(rule))
}

/** A settings file may name a tool that this program does not have. A name similar to one of its tools is a mistake. */
function mayNameToolOfOtherProgram({ source, similarTools }: UnmatchableRule): boolean {
  return similarTools?.length === 0 && SHARED_SOURCES.has(source)
}
