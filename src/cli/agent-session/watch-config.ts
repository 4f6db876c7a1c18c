import type { RuleSource } from '../../contract/permission/context.js'
import type { Session } from '../../session/session.js'
import { listSettingsFiles } from '../../settings/files/settings-files.js'
import type { LoadedSettings } from '../../settings/load-settings.js'
import type { SettingsWatch } from '../../settings/watch-settings.js'

export interface WatchConfigOptions {
  readonly session: Session
  readonly settings: Pick<LoadedSettings, 'files' | 'projectRoot'>
  readonly home: string
  /** Called with warnings of hooks and watch failures. */
  readonly onWarning: (text: string) => void
}

/** Source names in hook input, as in Claude Code. */
const SOURCE_NAMES: Readonly<Partial<Record<RuleSource, string>>> = {
  policy: 'policy_settings',
  localSettings: 'local_settings',
  projectSettings: 'project_settings',
  userSettings: 'user_settings',
}

/** Runs ConfigChange hooks when settings files change. Watches nothing if there are no such hooks. */
export async function watchConfig(options: WatchConfigOptions): Promise<SettingsWatch | undefined> {
  const { session, settings, onWarning } = options
  if (session.runtime.hooks?.hasHooks('ConfigChange') !== true) return undefined
  const [{ watchSettings }, { resolveLinks }] = await Promise.all([
    import('../../settings/watch-settings.js'),
    import('../../settings/files/resolve-real-path.js'),
  ])
  const knownFiles = listSettingsFiles({ projectRoot: settings.projectRoot, home: await resolveLinks(options.home) })
  let lastRun: Promise<unknown> = Promise.resolve()
  const runHooks = async (file: string) => {
    const source = knownFiles.find(({ path }) => path === file)?.source
    const name = (source && SOURCE_NAMES[source]) ?? 'other_settings'
    const { events } = await session.configChanged(name, { file_path: file })
    for (const event of events) if (event.type === 'notice' && event.level === 'warning') onWarning(event.text)
  }
  const watch = await watchSettings({
    files: settings.files,
    onChange: (files) => {
      for (const file of files) lastRun = lastRun.then(() => runHooks(file))
    },
    onProblem: onWarning,
  })
  return {
    async close() {
      await watch.close()
      await lastRun
    },
  }
}
