import { existsSync } from 'node:fs'
import type { View } from '../../../../contract/views.js'
import { listSettingsFiles, settingsFileOf } from '../../../../settings/files/settings-files.js'
import { saveUserSetting } from '../../../../settings/save/save-user-setting.js'
import type { TerminalApp } from '../../../../terminal/app/terminal-app.js'
import { ChoiceDialog } from '../../../../terminal/dialogs/choice-dialog.js'
import type { SlashCommand } from '../../../../terminal/slash/slash-commands.js'
import { THEME_NAMES } from '../../../../views/themes.js'
import type { SlashHost } from './session-commands.js'

type Value = string | boolean

/** A setting that `/config` can change, with its possible values. */
interface ChangeableSetting {
  readonly key: 'theme' | 'editorMode' | 'notifications' | 'autoCompact' | 'screenReader'
  readonly label: string
  readonly values: readonly Value[]
  /** The value that applies if no settings file sets one. */
  readonly defaultValue: Value | undefined
  /** Applies the value to this session. Settings without this function take effect at the next start. */
  apply?(value: Value, app: TerminalApp): void
}

const SETTINGS: readonly ChangeableSetting[] = [
  {
    ...{ key: 'theme', label: 'Colours', values: THEME_NAMES, defaultValue: undefined },
    apply: (value, { prompt }) => prompt.setTheme(THEME_NAMES.find((name) => name === value)),
  },
  {
    ...{ key: 'editorMode', label: 'Editor keys', values: ['normal', 'vim'], defaultValue: 'normal' },
    apply: (value, { prompt }) => {
      prompt.editor.isVim = value === 'vim'
    },
  },
  {
    ...{
      key: 'notifications',
      label: 'Notify me when Haft is waiting or done',
      values: [true, false],
      defaultValue: true,
    },
    apply: (value, app) => {
      app.isNotificationEnabled = value === true
    },
  },
  {
    ...{ key: 'autoCompact', label: 'Summarise long conversations', values: [true, false], defaultValue: true },
  },
  {
    ...{ key: 'screenReader', label: 'Flat output for screen readers', values: [true, false], defaultValue: false },
  },
]

/** `/config`: changes the user's settings for the terminal, then lists the settings files. */
export function createConfigCommand({ host, openedSession }: SlashHost): SlashCommand {
  const { settings } = openedSession.toolSession
  const values = new Map<string, Value | undefined>(
    SETTINGS.map(({ key, defaultValue }) => [key, settings[key] ?? defaultValue]),
  )
  return {
    name: 'config',
    summary: 'change settings, and show the settings files',
    runsWhileWorking: true,
    async run(_, app) {
      const file = settingsFileOf('userSettings', { projectRoot: host.homeDir, home: host.homeDir })
      for (;;) {
        const setting = await askForSetting(app, values, file)
        if (setting === undefined) return { view: describeConfig({ host, openedSession }, values) }
        const value = await askForValue(app, setting, values.get(setting.key))
        if (value === undefined) continue
        values.set(setting.key, value)
        setting.apply?.(value, app)
        await saveUserSetting(setting.key, value as never, host.homeDir)
      }
    },
  }
}

async function askForSetting(
  { prompt }: TerminalApp,
  values: ReadonlyMap<string, Value | undefined>,
  file: string,
): Promise<ChangeableSetting | undefined> {
  const content: View = [
    { type: 'text', text: 'Settings', bold: true },
    { type: 'text', text: `  saved in ${file}`, tone: 'muted' },
  ]
  const choices = SETTINGS.map(({ key, label, apply }) => {
    const note = apply === undefined ? ' (from the next start on)' : ''
    return { label: `${label}: ${formatValue(values.get(key))}${note}` }
  })
  const choice = await prompt.ask(new ChoiceDialog(content, choices), undefined)
  return choice === undefined ? undefined : SETTINGS[choice]
}

/** A setting with two values is toggled. Other values are chosen from a list. */
async function askForValue(
  { prompt }: TerminalApp,
  { label, values }: ChangeableSetting,
  currentValue: Value | undefined,
): Promise<Value | undefined> {
  if (values.length === 2) return values.find((value) => value !== currentValue)
  const choices = values.map((value) => ({ label: formatValue(value) }))
  const choice = await prompt.ask(new ChoiceDialog({ type: 'text', text: label, bold: true }, choices), undefined)
  return choice === undefined ? undefined : values[choice]
}

function formatValue(value: Value | undefined): string {
  if (value === undefined) return 'automatic'
  return typeof value === 'string' ? value : value ? 'yes' : 'no'
}

function describeConfig(
  { host, openedSession }: Pick<SlashHost, 'host' | 'openedSession'>,
  values: ReadonlyMap<string, Value | undefined>,
): View {
  const { projectRoot, isTrusted, model } = openedSession.toolSession.settings
  const files = listSettingsFiles({ projectRoot, home: host.homeDir })
  const fields = [
    { label: 'Project', value: `${projectRoot} (${isTrusted ? 'trusted' : 'not trusted'})` },
    { label: 'Model', value: model ?? openedSession.session.model.id },
    ...SETTINGS.map(({ key, label }) => ({ label, value: formatValue(values.get(key)) })),
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
