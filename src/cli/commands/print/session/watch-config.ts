import type { RuleSource } from '../../../../contract/permission/context.js'
import type { Session } from '../../../../session/session.js'
import { settingsFiles } from '../../../../settings/files/settings-files.js'
import type { LoadedSettings } from '../../../../settings/load-settings.js'
import type { SettingsWatch } from '../../../../settings/watch-settings.js'

export interface WatchConfigOptions {
  readonly session: Session
  readonly settings: Pick<LoadedSettings, 'files' | 'projectRoot'>
  readonly home: string
  /** What hooks have to say that a person should know, and what cannot be watched. */
  readonly onWarning: (text: string) => void
}

/** What hooks call the sources of settings; other agents do the same. */
const SOURCES: Readonly<Partial<Record<RuleSource, string>>> = {
  policy: 'policy_settings',
  localSettings: 'local_settings',
  projectSettings: 'project_settings',
  userSettings: 'user_settings',
}

/** Tells ConfigChange hooks of files that change while a session is open. Nothing is watched where no hook listens. */
export async function watchConfig(options: WatchConfigOptions): Promise<SettingsWatch | undefined> {
  const { session, settings, onWarning } = options
  if (session.runtime.hooks?.hasHooks('ConfigChange') !== true) return undefined
  const [{ watchSettings }, { realPath }] = await Promise.all([
    import('../../../../settings/watch-settings.js'),
    import('../../../../settings/files/real-path.js'),
  ])
  const known = settingsFiles({ projectRoot: settings.projectRoot, home: await realPath(options.home) })
  let told: Promise<unknown> = Promise.resolve()
  const tell = async (file: string) => {
    const source = known.find(({ path }) => path === file)?.source
    const name = (source && SOURCES[source]) ?? 'other_settings'
    const { events } = await session.configChanged(name, { file_path: file })
    for (const event of events) if (event.type === 'notice' && event.level === 'warning') onWarning(event.text)
  }
  const watch = await watchSettings({
    files: settings.files,
    onChange: (files) => {
      for (const file of files) told = told.then(() => tell(file))
    },
    onProblem: onWarning,
  })
  return {
    async close() {
      await watch.close()
      await told
    },
  }
}
