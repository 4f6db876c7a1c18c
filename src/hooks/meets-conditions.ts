import type { PermissionRule } from '../contract/permission/rule.js'
import { unlessAborted } from '../shared/waiting.js'
import type { RuleTester } from './create-rule-tester.js'
import { TimeLimit } from './time-limit.js'

const TIME_LIMIT_MS = 5_000

/**
 * Whether every `if` of a hook fits the call. Only a clear no counts: where a rule cannot be tested the hook runs,
 * because a guard must not be skipped.
 */
export async function meetsConditions(
  conditions: readonly PermissionRule[],
  matchesRule: RuleTester | undefined,
): Promise<boolean> {
  if (matchesRule === undefined || conditions.length === 0) return true
  const limit = new TimeLimit(TIME_LIMIT_MS)
  try {
    const answers = conditions.map(async (rule) => {
      const answer = await unlessAborted((async () => matchesRule(rule))(), limit.signal).catch(() => undefined)
      return answer?.value !== false
    })
    return (await Promise.all(answers)).every(Boolean)
  } finally {
    limit.clear()
  }
}
