import type { ConfiguredHook } from './hook-config.js'

/**
 * Each hook once, at its last place, because the changes of the last one win. Of those that do the same, one that is
 * waited for counts, because its answer decides, and it has the longest time that any of them was given.
 */
export function distinctHooks(hooks: readonly ConfiguredHook[]): readonly ConfiguredHook[] {
  const byIdentity = new Map<unknown, ConfiguredHook>()
  for (const each of hooks) {
    const known = byIdentity.get(each.identity)
    byIdentity.delete(each.identity)
    byIdentity.set(each.identity, known === undefined ? each : joinTwins(known, each))
  }
  return [...byIdentity.values()]
}

function joinTwins(first: ConfiguredHook, second: ConfiguredHook): ConfiguredHook {
  const chosen = first.hook.async && !second.hook.async ? second : first
  const timeoutMs = Math.max(first.hook.timeoutMs, second.hook.timeoutMs)
  return { ...chosen, hook: { ...chosen.hook, timeoutMs } }
}
