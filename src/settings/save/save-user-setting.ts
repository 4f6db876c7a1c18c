import { resolveLinks } from '../files/resolve-real-path.js'
import { settingsFileOf } from '../files/settings-files.js'
import { setJsoncValue } from '../jsonc/edit-jsonc.js'
import type { Settings } from '../read/settings-schema.js'
import { changeSettingsFile } from './change-settings-file.js'

/** The settings that slash commands can change. */
type ChangeableKey = 'theme' | 'editorMode' | 'notifications' | 'autoCompact' | 'screenReader' | 'model'

/** Saves one key of the user's settings. Throws `SettingsSaveError` if the file is malformed or cannot be written. */
export async function saveUserSetting<K extends ChangeableKey>(
  key: K,
  value: NonNullable<Settings[K]>,
  home: string,
): Promise<string> {
  const realHome = await resolveLinks(home)
  const file = settingsFileOf('userSettings', { projectRoot: realHome, home: realHome })
  await changeSettingsFile(file, (text) => setJsoncValue(text || '{}\n', [key], value), { mode: 0o600 })
  return file
}
