import type { PermissionUpdate } from '../contract/permission-result.js'
import { readSettingsFile } from './read-settings-file.js'
import { settingsFiles } from './settings-files.js'

/** A rule that an update took away and that another file of the same level still holds. */
export interface RemainingRule {
  readonly rule: string
  readonly file: string
}

/** What comes back at the next start: Haft reads the files of other agents and never writes them. */
export async function remainingRules(
  updates: readonly PermissionUpdate[],
  places: { projectRoot: string; home: string },
): Promise<readonly RemainingRule[]> {
  const removals = updates.filter((update) => 'rules' in update).filter(({ type }) => type !== 'addRules')
  const others = settingsFiles(places).filter(({ dialect }) => dialect === 'claude')
  const found = removals.flatMap((update) =>
    others
      .filter(({ source }) => source === update.destination)
      .map(async ({ path, source }) => {
        const read = await readSettingsFile(path, source, 'claude')
        const named = new Set(update.rules.map((rule) => rule.trim()))
        const isGone = (rule: string) => named.has(rule.trim()) === (update.type === 'removeRules')
        const rules = read?.settings.permissions?.[update.behavior] ?? []
        return rules.filter(isGone).map((rule) => ({ rule, file: path }))
      }),
  )
  return (await Promise.all(found)).flat()
}
