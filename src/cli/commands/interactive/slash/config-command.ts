import { existsSync } from 'node:fs'
import {
  CHANGEABLE_SETTINGS,
  type ChangeableSetting,
  type ChangeableSettingName,
  SettingError,
} from '../../../../contract/ports/settings.js'
import type { View } from '../../../../contract/views.js'
import { listSettingsFiles, settingsFileOf } from '../../../../settings/files/settings-files.js'
import { listValues, type SettingStore } from '../../../../settings/setting-store.js'
import type { TerminalApp } from '../../../../terminal/app/terminal-app.js'
import { ChoiceDialog } from '../../../../terminal/dialogs/choice-dialog.js'
import type { SlashCommand, SlashOutcome } from '../../../../terminal/slash/slash-commands.js'
import { THEME_NAMES } from '../../../../views/themes.js'
import type { SlashHost } from './session-commands.js'

type Value = string | boolean

/** Returns the settings that are chosen from a list. Others are changed with `/config NAME VALUE`. */
function listSettings() {
  return CHANGEABLE_SETTINGS.filter(({ name }) => listValues(name) !== undefined)
}

/** Applies a change to this session. Settings that are not listed here take effect at the next start. */
export function applySetting(name: ChangeableSettingName, value: unknown, app: TerminalApp): void {
  if (name === 'theme') app.prompt.setTheme(THEME_NAMES.find((theme) => theme === value))
  if (name === 'editorMode') app.prompt.editor.isVim = value === 'vim'
  if (name === 'notifications') app.isNotificationEnabled = value !== false
}

/** Creates `/config`, which changes the user's settings, then lists the settings and their files. */
export function createConfigCommand({ host, openedSession }: SlashHost): SlashCommand {
  const { settingStore } = openedSession.toolSession
  return {
    name: 'config',
    summary: 'change settings, and show the settings files',
    argumentHint: '[NAME VALUE]',
    runsWhileWorking: true,
    async run(args, app) {
      if (args !== '') return changeByName(args, settingStore)
      const file = settingsFileOf('userSettings', { projectRoot: host.homeDir, home: host.homeDir })
      for (;;) {
        const values = await readValues(settingStore)
        const setting = await askForSetting(app, values, file)
        if (setting === undefined) return { view: describeConfig({ host, openedSession }, values) }
        const value = await askForValue(app, setting, values.get(setting.name))
        if (value !== undefined) await settingStore.change(setting.name, value)
      }
    },
  }
}

/** Shows a setting for `/config NAME`, changes it for `/config NAME VALUE`. */
async function changeByName(args: string, store: SettingStore): Promise<SlashOutcome> {
  const [name = '', ...words] = args.split(/[\s=]+/)
  try {
    const change = words.length === 0 ? undefined : await store.change(name, words.join(' '))
    const { value, sources } = await store.read(name)
    const source = sources.length === 0 ? '' : `, from ${sources.join(', ')}`
    const note = change === undefined || change.appliesAtOnce ? '' : ' It takes effect at the next start.'
    return { view: `${name}: ${formatValue(value)}${source}.${note}` }
  } catch (error) {
    if (error instanceof SettingError) return { view: error.message }
    throw error
  }
}

/** Returns the values that apply, by the name of the setting; undefined if it depends on the machine. */
async function readValues(store: SettingStore): Promise<ReadonlyMap<string, unknown>> {
  const values = await store.readChangeable()
  return new Map(
    CHANGEABLE_SETTINGS.map(({ name, defaultValue }: ChangeableSetting) => [
      name,
      values.find((setting) => setting.name === name)?.value ?? defaultValue,
    ]),
  )
}

async function askForSetting(
  { prompt }: TerminalApp,
  values: ReadonlyMap<string, unknown>,
  file: string,
): Promise<(typeof CHANGEABLE_SETTINGS)[number] | undefined> {
  const settings = listSettings()
  const content: View = [
    { type: 'text', text: 'Settings', bold: true },
    { type: 'text', text: `  saved in ${file}`, tone: 'muted' },
  ]
  const choices = settings.map(({ name, label, ...setting }) => {
    const note = 'appliesAtOnce' in setting ? '' : ' (from the next start on)'
    return { label: `${label}: ${formatValue(values.get(name))}${note}` }
  })
  const choice = await prompt.ask(new ChoiceDialog(content, choices), undefined)
  return choice === undefined ? undefined : settings[choice]
}

/** Asks for the new value. A setting with two values is toggled. Other values are chosen from a list. */
async function askForValue(
  { prompt }: TerminalApp,
  { name, label }: { readonly name: ChangeableSettingName; readonly label: string },
  currentValue: unknown,
): Promise<Value | undefined> {
  const values = listValues(name) ?? []
  if (values.length === 2) return values.find((value) => value !== currentValue)
  const choices = values.map((value) => ({ label: formatValue(value) }))
  const choice = await prompt.ask(new ChoiceDialog({ type: 'text', text: label, bold: true }, choices), undefined)
  return choice === undefined ? undefined : values[choice]
}

function formatValue(value: unknown): string {
  if (value === undefined) return 'automatic'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function describeConfig(
  { host, openedSession }: Pick<SlashHost, 'host' | 'openedSession'>,
  values: ReadonlyMap<string, unknown>,
): View {
  const { projectRoot, isTrusted } = openedSession.toolSession.settings
  const files = listSettingsFiles({ projectRoot, home: host.homeDir })
  const fields = [
    { label: 'Project', value: `${projectRoot} (${isTrusted ? 'trusted' : 'not trusted'})` },
    ...CHANGEABLE_SETTINGS.map(({ name, label }: ChangeableSetting) => {
      const value = values.get(name) ?? (name === 'model' ? openedSession.session.model.id : undefined)
      return { label, value: formatValue(value) }
    }),
  ]
  return {
    type: 'group',
    layout: 'block',
    children: [
      { type: 'fields', fields },
      '',
      {
        type: 'table',
        columns: ['settings file', 'source', 'exists'],
        rows: files.map(({ path, source }) => [
          { type: 'text', text: path, tone: 'path' },
          source,
          existsSync(path) ? 'yes' : '',
        ]),
      },
    ],
  }
}
