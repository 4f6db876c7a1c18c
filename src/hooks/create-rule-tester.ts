import type { PermissionRule } from '../contract/permission-rule.js'
import { ruleNamesOf } from '../contract/rule-names.js'
import type { Tool } from '../contract/tool.js'
import type { MaybePromise } from '../shared/maybe-promise.js'

/** Says whether the call at hand falls under a rule; rejects where that cannot be told. */
export type RuleTester = (rule: PermissionRule) => MaybePromise<boolean>

/** Tests the `if` of hooks against one call of a tool; the input is compiled once, and only if a rule has content. */
export function createRuleTester(
  tool: Pick<Tool, 'name' | 'aliases' | 'mcpInfo' | 'preparePermissionMatcher'>,
  input: unknown,
): RuleTester {
  // The name it is shown under counts, too: a guard that runs once too often does no harm.
  const names = new Set([tool.name, ...ruleNamesOf(tool)])
  let prepared: Promise<(ruleContent: string) => boolean> | undefined
  return async ({ toolName, content }) => {
    if (!names.has(toolName)) return false
    if (content === undefined) return true
    if (tool.preparePermissionMatcher === undefined)
      throw new Error(`${tool.name} has no matcher for the content of a rule.`)
    prepared ??= Promise.resolve(tool.preparePermissionMatcher(input))
    return (await prepared)(content)
  }
}
