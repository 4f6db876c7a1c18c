import { SettingError, type SettingValue } from '../../../contract/ports/settings.js'
import { findProjectRoot } from '../../../settings/files/find-project-root.js'
import { settingsFileOf } from '../../../settings/files/settings-files.js'
import { changeSettingsFile } from '../../../settings/save/change-settings-file.js'
import { SettingStore } from '../../../settings/setting-store.js'
import { didYouMean } from '../../../shared/nearest-names.js'
import { quote } from '../../../shared/quote.js'
import { openNamedModel } from '../../agent-session/open-models.js'
import type { CommandHost, CommandIo } from '../../io/command.js'
import { asUsageError, EXIT, ExitError, UsageError } from '../../io/exit.js'
import { warn } from '../../io/warn.js'
import { parseOptions } from '../../options/parse-options.js'
import { readCommandSettings } from '../../tool-session/load-command-settings.js'
import { NEW_SETTINGS } from '../init/new-settings.js'

interface ConfigArguments {
  readonly io: CommandIo
  readonly host: CommandHost
  readonly store: SettingStore
  readonly words: readonly string[]
  readonly isJson: boolean
  readonly isProject: boolean
}

const CONFIG_COMMANDS: Readonly<Record<string, (args: ConfigArguments) => Promise<number>>> = {
  list,
  get,
  set,
  unset,
  edit,
}

const NO_SETTINGS_OPTIONS = { trust: false }

/** Runs `haft config`: lists, reads, changes and edits settings. */
export async function runConfig(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, {
    json: { type: 'boolean', default: false },
    project: { type: 'boolean', default: false },
  })
  const [action, ...words] = positionals
  const names = Object.keys(CONFIG_COMMANDS)
  if (action === undefined)
    throw new UsageError(`missing subcommand: haft config ${names.join('|')}. See haft config --help.`)
  const run = Object.hasOwn(CONFIG_COMMANDS, action) ? CONFIG_COMMANDS[action] : undefined
  if (run === undefined)
    throw new UsageError(
      `unknown subcommand ${quote(action)} of haft config.${didYouMean(action, names)} See haft config --help.`,
    )
  const host = await io.host()
  const store = new SettingStore({
    load: () => readCommandSettings(host, NO_SETTINGS_OPTIONS),
    home: host.homeDir,
    findModelProblem: (name, settings) =>
      openNamedModel(name, settings, io, { isServed: true }).then(
        () => undefined,
        (error: Error) => error.message,
      ),
  })
  try {
    return await run({ io, host, store, words, isJson: values.json, isProject: values.project })
  } catch (error) {
    if (error instanceof SettingError) throw asUsageError(error)
    throw error
  }
}

async function list({ io, store, words, isJson }: ConfigArguments): Promise<number> {
  requireWords(words, 0, 'haft config list')
  const settings = await store.readAll()
  if (isJson) {
    io.out(`${JSON.stringify(settings, null, 2)}\n`)
    return EXIT.done
  }
  const setSettings = settings.filter(({ sources }) => sources.length > 0)
  for (const { name, value, sources } of setSettings)
    io.out(`${name} = ${JSON.stringify(value)}  (${sources.join(', ')})\n`)
  const otherNames = settings.filter(({ sources }) => sources.length === 0).map(({ name }) => name)
  io.out(`${setSettings.length === 0 ? '' : '\n'}Not set: ${otherNames.join(', ')}\n`)
  return EXIT.done
}

async function get({ io, store, words, isJson }: ConfigArguments): Promise<number> {
  const [name = ''] = requireWords(words, 1, 'haft config get NAME')
  const setting = await store.read(name)
  if (isJson) io.out(`${JSON.stringify(setting)}\n`)
  else if (setting.value !== undefined) io.out(`${formatValue(setting)}\n`)
  else throw new ExitError(EXIT.failed, `${name} is not set. ${setting.description}`)
  return EXIT.done
}

async function set({ io, store, words }: ConfigArguments): Promise<number> {
  const [name = '', value = ''] = requireWords(words, 2, 'haft config set NAME VALUE')
  return change(io, store, name, value)
}

async function unset({ io, store, words }: ConfigArguments): Promise<number> {
  const [name = ''] = requireWords(words, 1, 'haft config unset NAME')
  return change(io, store, name, null)
}

async function change(io: CommandIo, store: SettingStore, name: string, value: string | null): Promise<number> {
  const { newValue, file, overriddenBy } = await store.change(name, value)
  io.out(
    newValue === undefined ? `${name} removed from ${file}\n` : `${name} = ${JSON.stringify(newValue)} in ${file}\n`,
  )
  if (overriddenBy !== undefined) warn(io, `it has no effect here, because ${overriddenBy} sets it as well.`)
  return EXIT.done
}

/** Opens a settings file in the user's editor, and reports its problems afterwards. */
async function edit({ io, host, words, isProject }: ConfigArguments): Promise<number> {
  requireWords(words, 0, 'haft config edit [--project]')
  const { cwd, homeDir: home } = host
  const projectRoot = await findProjectRoot({ cwd, home })
  const file = settingsFileOf(isProject ? 'projectSettings' : 'userSettings', { projectRoot, home })
  const keepText = (text: string) => text || NEW_SETTINGS
  await changeSettingsFile(file, keepText, isProject ? { projectRoot } : { mode: 0o600 })
  if (!host.isInteractive) {
    io.out(`${file}\n`)
    return EXIT.done
  }
  const { editFile, readEditorCommand } = await import('../../../terminal/editor/external-editor.js')
  if (!(await editFile(file, io.variables)))
    throw new ExitError(
      EXIT.failed,
      `${readEditorCommand(io.variables)} failed. Set EDITOR to your editor, or edit ${file} yourself.`,
    )
  const { problems } = await readCommandSettings(host, NO_SETTINGS_OPTIONS)
  for (const { message } of problems) warn(io, message)
  return problems.some(({ severity }) => severity === 'error') ? EXIT.failed : EXIT.done
}

function formatValue({ value }: SettingValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function requireWords(words: readonly string[], count: number, usage: string): readonly string[] {
  if (words.length === count) return words
  const problem = words.length < count ? 'missing argument' : `unexpected argument ${quote(words[count])}`
  throw new UsageError(`${problem}: ${usage}.`)
}
