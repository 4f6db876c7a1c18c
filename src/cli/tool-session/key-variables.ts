import type { LoadedSettings } from '../../settings/load-settings.js'
import type { SecretMasker } from '../../shared/secret-masker.js'
import { openSecretMasker } from '../../system/open-secret-masker.js'
import type { CommandIo } from '../io/command.js'

/** Variables with API keys, except those that the settings explicitly pass to commands. */
export function keyVariablesOf({ providers, env }: LoadedSettings): readonly string[] {
  const providerVariables = Object.values(providers).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? [])
  return [...DEFAULT_KEY_VARIABLES, ...providerVariables].filter((name) => !Object.hasOwn(env, name))
}

const DEFAULT_KEY_VARIABLES = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'OPENAI_API_KEY']

/** The variables of this process and of the settings. A project must not claim that Haft runs in a sandbox. */
export function commandVariablesOf({ variables }: CommandIo, { env }: LoadedSettings) {
  return { ...variables, ...env, HAFT_SANDBOX: variables.HAFT_SANDBOX }
}

/** The masker for transcripts; undefined if `maskSecrets` is off. The runtime creates its own from the same variables. */
export function openTranscriptMasker(io: CommandIo, settings: LoadedSettings): SecretMasker | undefined {
  if (settings.maskSecrets !== true) return undefined
  return openSecretMasker(commandVariablesOf(io, settings), keyVariablesOf(settings))
}
