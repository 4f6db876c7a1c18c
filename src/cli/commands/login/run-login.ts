import { getKeysFile } from '../../../settings/files/settings-files.js'
import { loadSettings } from '../../../settings/load-settings.js'
import { changeStoredKey, readStoredKeys, type StoredKey, StoredKeysError } from '../../../settings/stored-keys.js'
import { didYouMean } from '../../../shared/nearest-names.js'
import { quote } from '../../../shared/quote.js'
import type { CommandHost, CommandIo } from '../../io/command.js'
import { EXIT, ExitError, UsageError } from '../../io/exit.js'
import { warn } from '../../io/warn.js'
import { parseOptions } from '../../options/parse-options.js'

const MAX_KEY_CHARS = 8 * 1024
const KEY_TEXT = /^[\x21-\x7e]+$/

/** The variables that take precedence over a stored key. */
const KEY_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL'],
  openai: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
}

/** Runs `haft login`: stores the key of a provider, or the command that prints it. */
export async function runLogin(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, {
    command: { type: 'string' },
    remove: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  })
  const [provider, ...others] = positionals
  if (others.length > 0)
    throw new UsageError(
      'unexpected argument after the provider. A key on the command line would stay in the history of the shell: haft login PROVIDER asks for it, or reads it from standard input.',
    )
  const host = await io.host()
  if (io.homeDir === undefined) throw new UsageError('there is no home folder to store a key in. Set HOME.')
  try {
    if (values.list) return await list(io, io.homeDir)
    if (values.remove) return await remove(io, io.homeDir, provider)
    return await store(io, host, { home: io.homeDir, provider, command: values.command })
  } catch (error) {
    if (!(error instanceof StoredKeysError)) throw error
    throw new ExitError(EXIT.failed, error.message, { cause: error })
  }
}

async function list(io: CommandIo, home: string): Promise<number> {
  const entries = Object.entries(await readStoredKeys(home))
  const lines = entries.map(
    ([name, { command }]) => `${name}: ${command === undefined ? 'key' : `command: ${command}`}`,
  )
  io.out(lines.length === 0 ? 'No key is stored. To store one: haft login\n' : `${lines.join('\n')}\n`)
  return EXIT.done
}

async function remove(io: CommandIo, home: string, provider: string | undefined): Promise<number> {
  if (provider === undefined) throw new UsageError('name the provider: haft login --remove PROVIDER.')
  if (!(await changeStoredKey(home, provider, undefined)))
    throw new ExitError(EXIT.failed, `no key of ${quote(provider)} is stored. See haft login --list.`)
  io.out(`The key of ${provider} was removed.\n`)
  return EXIT.done
}

interface StoreOptions {
  readonly home: string
  readonly provider: string | undefined
  readonly command: string | undefined
}

async function store(io: CommandIo, host: CommandHost, { home, provider: name, command }: StoreOptions) {
  // Settings of the project are ignored, because they could name another server for a provider.
  const { ownModels } = await loadSettings({ cwd: host.cwd, home: host.homeDir, isTrusted: () => false })
  const { providers } = ownModels
  if (name !== undefined) requireProvider(name, Object.keys(providers))
  else if (command !== undefined) throw new UsageError('name the provider: haft login PROVIDER --command COMMAND.')
  if (command?.trim() === '') throw new UsageError('--command needs a command that prints the key.')
  const key = command === undefined ? requireKey(await readKey(host, name)) : undefined
  const provider = name ?? guessProvider(key ?? '')
  const baseUrl = Object.hasOwn(providers, provider) ? providers[provider]?.baseUrl : undefined
  const entry: StoredKey = {
    ...(key !== undefined ? { key } : { command: command ?? '' }),
    ...(baseUrl !== undefined && { baseUrl }),
  }
  await changeStoredKey(home, provider, entry)
  io.out(
    `${key === undefined ? 'The command for the key' : 'The key'} of ${provider} is stored in ${getKeysFile(home)}, which only you can read.\n`,
  )
  warnOfVariables(io, provider)
  io.out('Try it: haft -p "Say hello"\n')
  return EXIT.done
}

function warnOfVariables(io: CommandIo, provider: string): void {
  for (const variable of KEY_VARIABLES[provider] ?? [])
    if ((io.variables[variable] ?? '') !== '') warn(io, `${variable} is set and takes precedence over the stored key.`)
}

function requireProvider(name: string, configuredNames: readonly string[]): void {
  const names = [...new Set(['anthropic', 'openai', ...configuredNames])]
  if (names.includes(name)) return
  throw new UsageError(
    `unknown provider ${quote(name)}.${didYouMean(name, names)} Known: ${names.join(', ')}. Others are added under "providers" in your settings: haft config edit.`,
  )
}

async function readKey(host: CommandHost, provider: string | undefined): Promise<string> {
  if (host.isInteractive) {
    const { readSecret } = await import('./read-secret.js')
    return readSecret(`API key${provider === undefined ? '' : ` of ${provider}`} (not shown): `)
  }
  if (!host.hasPipedInput)
    throw new UsageError('there is no terminal to ask in. Pipe the key: haft login PROVIDER < FILE, or use --command.')
  let text = ''
  for await (const chunk of host.input()) {
    text += Buffer.from(chunk).toString('utf8')
    if (text.length > MAX_KEY_CHARS) break
  }
  return text
}

/** Checks the key. The message never contains it. */
function requireKey(text: string): string {
  const key = text.trim()
  if (key === '') throw new UsageError('the key is empty; nothing was stored.')
  if (key.length > MAX_KEY_CHARS || !KEY_TEXT.test(key))
    throw new UsageError(
      'this is not a key: it is too long, or contains spaces or special characters. Nothing was stored.',
    )
  return key
}

function guessProvider(key: string): string {
  if (key.startsWith('sk-ant-')) return 'anthropic'
  if (key.startsWith('sk-proj-') || key.startsWith('sk-svcacct-')) return 'openai'
  throw new UsageError(
    'the key does not show its provider; nothing was stored. Name it: haft login anthropic, or haft login openai.',
  )
}
