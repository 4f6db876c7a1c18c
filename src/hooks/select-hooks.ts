import type { PermissionRule } from '../contract/permission/rule.js'
import { unlessAborted } from '../shared/waiting.js'
import type { ConfiguredHook } from './config/hook-config.js'
import type { RuleTester } from './create-rule-tester.js'
import { HookTimeLimit } from './run/hook-time-limit.js'

/**
 * Merges duplicate hooks into one at the last position, because the changes of the last hook win. A hook without
 * `async` is preferred, because its answer decides. It gets the longest time limit of the duplicates.
 */
export function removeDuplicateHooks(hooks: readonly ConfiguredHook[]): readonly ConfiguredHook[] {
  const byIdentity = new Map<unknown, ConfiguredHook>()
  for (const configured of hooks) {
    const duplicate = byIdentity.get(configured.identity)
    byIdentity.delete(configured.identity)
    byIdentity.set(configured.identity, duplicate === undefined ? configured : mergeDuplicates(duplicate, configured))
  }
  return [...byIdentity.values()]
}

function mergeDuplicates(first: ConfiguredHook, second: ConfiguredHook): ConfiguredHook {
  const chosen = first.hook.async && !second.hook.async ? second : first
  const timeoutMs = Math.max(first.hook.timeoutMs, second.hook.timeoutMs)
  return { ...chosen, hook: { ...chosen.hook, timeoutMs } }
}

const MAX_CONDITION_MS = 5_000

/**
 * Whether every `if` of a hook matches the call. Only a definite no counts: if a rule cannot be tested the hook runs,
 * because a guard must not be skipped.
 */
export async function meetsConditions(
  conditions: readonly PermissionRule[],
  matchesRule: RuleTester | undefined,
): Promise<boolean> {
  if (matchesRule === undefined || conditions.length === 0) return true
  const limit = new HookTimeLimit(MAX_CONDITION_MS)
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
