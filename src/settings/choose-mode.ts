import type { PermissionMode } from '../contract/permission-context.js'
import { LOOSENING_MODES } from './restrict-layers.js'
import type { SettingsLayer } from './settings-layer.js'
import { type SettingsProblem, settingsProblem } from './settings-problem.js'

/** What a session falls back to, the first that is not forbidden. */
const SAFE_MODES: readonly PermissionMode[] = ['default', 'plan', 'dontAsk']

/** The mode of the highest layer that sets one, unless it is forbidden or a lost rule might have reined it in. */
export function chooseMode(
  layers: readonly SettingsLayer[],
  { forbidden, isComplete }: { forbidden: readonly PermissionMode[]; isComplete: boolean },
): { mode: PermissionMode; problems: readonly SettingsProblem[] } {
  const fallback = SAFE_MODES.find((mode) => !forbidden.includes(mode)) ?? 'dontAsk'
  const layer = layers.find(({ settings }) => settings.permissions?.defaultMode !== undefined)
  const wanted = layer?.settings.permissions?.defaultMode
  if (layer === undefined || wanted === undefined) return { mode: fallback, problems: [] }
  const refused = (why: string) => ({
    mode: fallback,
    problems: [settingsProblem('error', layer.place, `mode ${wanted} ${why}; ${fallback} is used.`)],
  })
  if (forbidden.includes(wanted)) return refused('is forbidden by settings')
  if (!isComplete && LOOSENING_MODES.includes(wanted)) return refused('waits until every settings file can be read')
  return { mode: wanted, problems: [] }
}
