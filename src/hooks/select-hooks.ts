import type { PermissionRule } from '../contract/permission/rule.js'
import { waitUnlessAborted } from '../shared/waiting.js'
import type { ConfiguredHook } from './config/hook-config.js'
import type { RuleTester } from './create-rule-tester.js'
import { HookTimeLimit } from './run/hook-time-limit.js'

/**
 * Merges duplicate hooks into one at the last position, because the changes of the last hook win. A hook without
 * `async` is preferred, because its answer decides. It gets the longest time limit of the duplicates.
 */
export function removeDuplicateHooks(hooks: readonly ConfiguredHook[]): readonly ConfiguredHook[] {
  const hooksByIdentity = new Map<unknown, ConfiguredHook>()
  for (const configuredHook of hooks) {
    const duplicateHook = hooksByIdentity.get(configuredHook.identity)
    hooksByIdentity.delete(configuredHook.identity)
    hooksByIdentity.set(
      configuredHook.identity,
      duplicateHook === undefined ? configuredHook : mergeDuplicates(duplicateHook, configuredHook),
    )
  }
  return [...hooksByIdentity.values()]
}

function mergeDuplicates(first: ConfiguredHook, second: ConfiguredHook): ConfiguredHook {
  const chosenHook = first.hook.async && !second.hook.async ? second : first
  const timeoutMs = Math.max(first.hook.timeoutMs, second.hook.timeoutMs)
  return { ...chosenHook, hook: { ...chosenHook.hook, timeoutMs } }
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
      const answer = await waitUnlessAborted((async () => matchesRule(rule))(), limit.signal).catch(() => undefined)
      return answer?.value !== false
    })
    return (await Promise.all(answers)).every(Boolean)
  } finally {
    limit.clear()
  }
}
