import { resolve } from 'node:path'
import type { BrowserSettings } from '../../contract/ports/browser.js'
import type { NotifyOptions } from '../../contract/ports/notify.js'
import type { Workers } from '../../contract/ports/schedule.js'
import type { LoadedSettings } from '../../settings/load-settings.js'
import type { SecretMasker } from '../../shared/secret-masker.js'
import { openSecretMasker } from '../../system/open-secret-masker.js'
import type { CommandIo } from '../io/command.js'

/** Returns the variables with API keys, except those that the settings explicitly pass to commands. */
export function keyVariablesOf({ providers, webSearch, push, workers, env }: LoadedSettings): readonly string[] {
  const providerVariables = Object.values(providers).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? [])
  const searchVariables = webSearch?.apiKeyEnv === undefined ? [] : [webSearch.apiKeyEnv]
  const pushVariables = push.webhook?.secretEnv === undefined ? [] : [push.webhook.secretEnv]
  const workerVariables = Object.values(workers).map(({ tokenEnv }) => tokenEnv)
  const names = [...providerVariables, ...searchVariables, ...pushVariables, ...workerVariables]
  return [...DEFAULT_KEY_VARIABLES, ...names].filter((name) => !Object.hasOwn(env, name))
}

const DEFAULT_KEY_VARIABLES = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'OPENAI_API_KEY']

/** Returns the ways to notify the user; undefined if there are none. */
export function notifyOptionsOf(
  { variables, platform }: CommandIo,
  { push: { desktop, webhook } }: LoadedSettings,
  showInTerminal: NotifyOptions['showInTerminal'],
): NotifyOptions | undefined {
  const hasDesktop = platform === 'darwin' || DESKTOP_VARIABLES.some((name) => variables[name])
  const usesDesktop = desktop ?? hasDesktop
  if (!usesDesktop && webhook === undefined && showInTerminal === undefined) return undefined
  const secret = webhook?.secretEnv === undefined ? undefined : variables[webhook.secretEnv]
  return {
    desktop: usesDesktop,
    showInTerminal,
    ...(webhook !== undefined && { webhook: { url: webhook.url, secret } }),
  }
}

/** Returns the workers of the settings, with their tokens. */
export function workersOf({ variables }: CommandIo, { workers }: LoadedSettings): Workers {
  return Object.fromEntries(
    Object.entries(workers).map(([name, { url, tokenEnv }]) => [name, { url, token: variables[tokenEnv] }]),
  )
}

const DESKTOP_VARIABLES = ['DISPLAY', 'WAYLAND_DISPLAY']

/** Returns the settings of the browser, with paths below the home folder resolved; empty if nothing is configured. */
export function browserOf({ browser }: LoadedSettings, home: string): { readonly browser?: BrowserSettings } {
  if (browser === undefined) return {}
  const toPath = (path: string | undefined) => path && resolve(home, path.replace(/^~(?=$|[\\/])/, home))
  const { executable, profile, sandbox } = browser
  return { browser: { executable: toPath(executable), profile: toPath(profile), sandbox } }
}

/** Returns the variables of this process and of the settings. A project must not claim that Haft runs in a sandbox. */
export function commandVariablesOf({ variables }: CommandIo, { env }: LoadedSettings) {
  return { ...variables, ...env, HAFT_SANDBOX: variables.HAFT_SANDBOX }
}

/**
 * Creates the masker for transcripts; undefined if `maskSecrets` is off. The runtime creates its own from the same variables.
 */
export function openTranscriptMasker(io: CommandIo, settings: LoadedSettings): SecretMasker | undefined {
  if (settings.maskSecrets !== true) return undefined
  return openSecretMasker(commandVariablesOf(io, settings), keyVariablesOf(settings))
}
