import { execFile } from 'node:child_process'
import { chooseModel, isVendorUrl, type Variables } from '../../providers/choose-model.js'
import { type ModelSettings, type ProviderSettings, parseFileModelName } from '../../providers/model-settings.js'
import { readStoredKeys, type StoredKey, type StoredKeys } from '../../settings/stored-keys.js'
import { removeProjectFolders } from '../../system/find-program.js'
import type { CommandIo } from '../io/command.js'

type KeyOwner = Pick<CommandIo, 'variables' | 'homeDir'>

/** Settings and variables for the choice of a model. Only that choice may use them: commands must not get the keys. */
export interface ModelAccess {
  readonly settings: ModelSettings
  readonly env: Variables
}

const STANDARD_PROVIDERS = {
  anthropic: { keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'], baseUrl: 'ANTHROPIC_BASE_URL' },
  openai: { keys: ['OPENAI_API_KEY'], baseUrl: 'OPENAI_BASE_URL' },
} as const

const KEY_COMMAND_TIMEOUT_MS = 10_000
const MAX_KEY_BYTES = 16 * 1024
/** Stands for the key that a command prints, until it is known that the key is needed. */
const COMMAND_MARK = '\0key command of '

/**
 * Adds the keys of `haft login`. Variables and settings take precedence. A key is only used for the server for which it was
 * stored. The command that prints a key runs only if the named model needs that key.
 */
export async function addStoredKeys(
  name: string | undefined,
  settings: ModelSettings,
  owner: KeyOwner,
): Promise<ModelAccess> {
  const { variables: env, homeDir } = owner
  const requestedName = name?.trim() || settings.model || env.HAFT_MODEL?.trim()
  if (homeDir === undefined || parseFileModelName(requestedName ?? '') !== undefined) return { settings, env }
  const storedKeys = await readStoredKeys(homeDir)
  const access = addKeys(storedKeys, {}, { settings, env })
  const provider = findCommandProvider(requestedName, access)
  if (provider === undefined) return access
  const key = await readKeyFromCommand(provider, storedKeys[provider]?.command ?? '', env)
  return addKeys(storedKeys, { [provider]: key }, { settings, env })
}

/** Adds the keys without running commands, to find out which key would be used. */
export async function previewStoredKeys(settings: ModelSettings, { variables, homeDir }: KeyOwner) {
  const storedKeys = homeDir === undefined ? {} : await readStoredKeys(homeDir)
  return { ...addKeys(storedKeys, {}, { settings, env: variables }), storedKeys }
}

function addKeys(storedKeys: StoredKeys, printedKeys: Variables, { settings, env }: ModelAccess): ModelAccess {
  const addedVariables: Record<string, string> = {}
  const providers = { ...settings.providers }
  for (const [name, stored] of Object.entries(storedKeys)) {
    const key = stored.key ?? printedKeys[name] ?? `${COMMAND_MARK}${name}`
    const provider = Object.hasOwn(providers, name) ? providers[name] : undefined
    if (provider !== undefined) {
      if (needsStoredKey(name, provider, stored, env)) providers[name] = { ...provider, apiKey: key }
    } else if ((name === 'anthropic' || name === 'openai') && needsStandardKey(name, stored, env))
      addedVariables[STANDARD_PROVIDERS[name].keys[0]] = key
  }
  return { settings: { ...settings, providers }, env: { ...env, ...addedVariables } }
}

function needsStoredKey(name: string, provider: ProviderSettings, stored: StoredKey, env: Variables): boolean {
  const { apiKey, apiKeyEnv, baseUrl, type } = provider
  const hasKey = Boolean(apiKey?.trim()) || (apiKeyEnv !== undefined && hasValue(env, apiKeyEnv))
  const hasStandardKey = baseUrl === undefined && hasAnyValue(env, STANDARD_PROVIDERS[type].keys)
  const isSameServer = baseUrl === stored.baseUrl && (baseUrl !== undefined || !isOtherVendor(name, type))
  return !hasKey && !hasStandardKey && isSameServer
}

function needsStandardKey(name: keyof typeof STANDARD_PROVIDERS, { baseUrl }: StoredKey, env: Variables): boolean {
  const { keys, baseUrl: urlVariable } = STANDARD_PROVIDERS[name]
  const url = env[urlVariable]?.trim() ?? ''
  const isVendorApi = url === '' || isVendorUrl(url)
  return !hasAnyValue(env, keys) && isVendorApi && baseUrl === undefined
}

/** Whether settings use the name of one vendor for the API of another. */
function isOtherVendor(name: string, type: string): boolean {
  return Object.hasOwn(STANDARD_PROVIDERS, name) && name !== type
}

function hasValue(env: Variables, name: string): boolean {
  return (env[name]?.trim() ?? '') !== ''
}

function hasAnyValue(env: Variables, names: readonly string[]): boolean {
  return names.some((name) => hasValue(env, name))
}

/** Returns the provider whose command has to run; undefined if the model needs no printed key, or cannot be chosen. */
function findCommandProvider(name: string | undefined, { settings, env }: ModelAccess): string | undefined {
  try {
    const { apiKey = '' } = chooseModel(name || undefined, settings, env)
    return apiKey.startsWith(COMMAND_MARK) ? apiKey.slice(COMMAND_MARK.length) : undefined
  } catch {
    // `openModel` fails in the same way and reports it.
    return undefined
  }
}

/** The keys that commands printed for a process, so that each command runs once. */
const printedKeys = new WeakMap<Variables, Map<string, Promise<string>>>()

function readKeyFromCommand(provider: string, command: string, env: Variables): Promise<string> {
  const keys = printedKeys.get(env) ?? new Map<string, Promise<string>>()
  printedKeys.set(env, keys)
  const key = keys.get(command) ?? runKeyCommand(provider, command, env)
  keys.set(command, key)
  return key
}

async function runKeyCommand(provider: string, command: string, env: Variables): Promise<string> {
  const path = env.PATH === undefined ? {} : { PATH: removeProjectFolders(env.PATH, [process.cwd()]) }
  const options = { env: { ...env, ...path }, timeout: KEY_COMMAND_TIMEOUT_MS, maxBuffer: MAX_KEY_BYTES }
  const output = await new Promise<string | undefined>((resolve) => {
    const child = execFile('/bin/sh', ['-c', command], options, (error, stdout) =>
      resolve(error === null ? stdout : undefined),
    )
    child.stdin?.end()
  })
  const key = output?.trim() ?? ''
  if (key !== '') return key
  // The output is not quoted, because it may contain the key.
  throw new Error(
    `the command for the key of ${provider} failed, printed nothing, or took longer than ${KEY_COMMAND_TIMEOUT_MS / 1000} s. Run it in a shell, or store another one: haft login ${provider} --command COMMAND.`,
  )
}

/** Whether the key of a chosen model was stored by `haft login`. */
export function isStoredKey(apiKey: string | undefined, storedKeys: StoredKeys): boolean {
  if (apiKey === undefined) return false
  return apiKey.startsWith(COMMAND_MARK) || Object.values(storedKeys).some(({ key }) => key === apiKey)
}
