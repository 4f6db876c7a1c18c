import { relative } from 'node:path'
import type { RuleFiles, RuleSource } from '../contract/permission-context.js'
import type { SettingsLayer } from './settings-layer.js'

/** Which rules stand only in files of other agents, and what those are called. Layers come highest first. */
export function ruleFiles(layers: readonly SettingsLayer[]): { readonly ruleFiles?: RuleFiles } {
  const seen = new Set<string>()
  const found: Partial<Record<RuleSource, Record<string, string>>> = {}
  for (const { place, base, settings } of layers) {
    const { allow = [], deny = [], ask = [] } = settings.permissions ?? {}
    const name = place.file === undefined ? '' : relative(base, place.file).replaceAll('\\', '/')
    for (const rule of [...allow, ...deny, ...ask]) {
      if (name.startsWith('.claude/') && !seen.has(`${place.source} ${rule}`)) {
        const shown = place.source === 'userSettings' ? `~/${name}` : name
        found[place.source] = { ...found[place.source], [rule]: shown }
      }
      seen.add(`${place.source} ${rule}`)
    }
  }
  return Object.keys(found).length === 0 ? {} : { ruleFiles: found }
}
