import type { ToolPermissionContext } from '../../contract/permission/context.js'
import { RULE_FAMILIES } from '../../contract/tool/rule-names.js'
import { judgePath } from '../paths/judge-path.js'
import { compileRules, findBareRule, type RuleList } from './compile-rules.js'
import { pathMayMatch, type RuleContext } from './match-path.js'

/** A rule that keeps Haft itself from reading a file without a call, such as an imported instruction file. */
export interface ReadRestriction {
  readonly behavior: 'deny' | 'ask'
  /** The text of the rule. */
  readonly rule: string
}

/** Returns the deny or ask rule for reading that covers a file. Defaults of modes and folders do not count. */
export async function findReadRestriction(
  path: string,
  context: ToolPermissionContext,
  ruleContext: RuleContext,
): Promise<ReadRestriction | undefined> {
  const { deny, ask } = compileRules(context)
  for (const [behavior, list] of [['deny', deny] as const, ['ask', ask] as const]) {
    const rule = await findRule(path, list, ruleContext)
    if (rule !== undefined) return { behavior, rule }
  }
  return undefined
}

async function findRule(path: string, list: RuleList, ruleContext: RuleContext): Promise<string | undefined> {
  const bare = findBareRule(list, [RULE_FAMILIES.reads])
  if (bare !== undefined) return bare.text
  const rules = list.withContent.get(RULE_FAMILIES.reads) ?? []
  if (rules.length === 0) return undefined
  const { place, lookup } = ruleContext
  const judged = await judgePath({ originalPath: path, isFolder: false }, place, lookup)
  for (const { path: pattern, text } of rules) {
    const mayMatch = pattern !== undefined && (await pathMayMatch(pattern, judged, ruleContext)) !== 'no'
    if (mayMatch || judged.problem !== undefined) return text
  }
  return undefined
}
