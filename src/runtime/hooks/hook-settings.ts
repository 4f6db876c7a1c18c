import type { HookFunction } from '../../hooks/config/hook-config.js'
import type { HookEvent } from '../../hooks/config/hook-events.js'
import type { CheckedHook } from '../../hooks/config/parse-hook-config.js'

/** Hooks as in a settings file, and hooks of type `function`. */
export type HookSettings = Readonly<Partial<Record<HookEvent, readonly HookGroup[]>>>

/** Hooks of one event with their matcher, as in a settings file, plus hooks of type `function`. */
export interface HookGroup {
  readonly matcher?: string
  readonly if?: string
  readonly hooks: readonly (CheckedHook | { readonly type: 'function'; readonly run: HookFunction })[]
}
