import type { PermissionUpdate } from '../contract/permission-result.js'
import type { HookRunner } from '../hooks/create-hook-runner.js'

type Save = (updates: readonly PermissionUpdate[]) => Promise<unknown>

/** Asks the ConfigChange hooks before updates are written: what they object to holds for this run, and is not kept. */
export function saveAfterHooks(save: Save, hooks: () => HookRunner | undefined): Save {
  return async (updates) => {
    const sources = new Set(updates.flatMap(({ destination }) => SOURCES[destination] ?? []))
    for (const source of sources) {
      const outcome = await hooks()?.run('ConfigChange', { source })
      const objection = outcome?.stop ?? outcome?.blocked
      if (objection !== undefined) throw new Error(`A ConfigChange hook objects: ${objection}`)
    }
    return save(updates)
  }
}

const SOURCES: Readonly<Partial<Record<PermissionUpdate['destination'], string>>> = {
  userSettings: 'user_settings',
  projectSettings: 'project_settings',
  localSettings: 'local_settings',
}
