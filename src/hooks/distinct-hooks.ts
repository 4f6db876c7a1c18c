import type { ConfiguredHook } from './hook-config.js'

/** Each hook once, at its first place. Of two that do the same, one that is waited for counts: its answer decides. */
export function distinctHooks(hooks: readonly ConfiguredHook[]): readonly ConfiguredHook[] {
  const byIdentity = new Map<unknown, ConfiguredHook>()
  for (const each of hooks) {
    const known = byIdentity.get(each.identity)
    if (known === undefined || (known.hook.async && !each.hook.async)) byIdentity.set(each.identity, each)
  }
  return [...byIdentity.values()]
}
