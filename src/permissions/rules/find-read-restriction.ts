import type { ToolPermissionContext } from '../../contract/permission/context.js'
import { RULE_FAMILIES } from '../../contract/tool/rule-names.js'
import { judgePath } from '../paths/judge-path.js'
import { compileRules, findBareRule, type RuleList } from './compile-rules.js'
import { matchJudgedPath, type RuleContext } from './match-path.js'

/** A rule that keeps Haft itself from reading a file without a call, such as an imported instruction file. */
export interface ReadRestriction {
  readonly behavior: 'deny' | 'ask'
  /** The text of the rule. */
  readonly rule: string
}

export type FindReadRestriction = (path: string) => Promise<ReadRestriction | undefined>

/** Describes the rule that keeps Haft from reading a file on its own, for a message; undefined if there is none. */
export async function describeRestriction(
  path: string,
  findRestriction: FindReadRestriction | undefined,
): Promise<string | undefined> {
  const restriction = await findRestriction?.(path)
  if (restriction === undefined) return undefined
  const { behavior, rule } = restriction
  return behavior === 'deny' ? `the rule ${rule} denies reading it` : `the rule ${rule} requires your approval`
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
  const bareRule = findBareRule(list, [RULE_FAMILIES.reads])
  if (bareRule !== undefined) return bareRule.text
  const rules = list.contentRules.get(RULE_FAMILIES.reads) ?? []
  if (rules.length === 0) return undefined
  const { pathContext, lookup } = ruleContext
  const judgedPath = await judgePath({ originalPath: path, isFolder: false }, pathContext, lookup)
  for (const { path: pattern, text } of rules) {
    const mayMatch = pattern !== undefined && (await matchJudgedPath(pattern, judgedPath, ruleContext)) !== 'no'
    if (mayMatch || judgedPath.problem !== undefined) return text
  }
  return undefined
}
