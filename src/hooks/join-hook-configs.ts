import type { HookConfig } from './hook-config.js'
import { HOOK_EVENTS } from './hook-events.js'

/** The hooks of several sources as one list, in the order given: where answers clash, a later source was configured last. */
export function joinHookConfigs(configs: readonly HookConfig[]): HookConfig {
  const joined: { -readonly [E in keyof HookConfig]: HookConfig[E] } = {}
  for (const event of HOOK_EVENTS) {
    const hooks = configs.flatMap((config) => config[event] ?? [])
    if (hooks.length > 0) joined[event] = hooks
  }
  return joined
}
