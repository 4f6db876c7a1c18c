import { tmpdir } from 'node:os'
import { DEFAULT_SANDBOX_SETTINGS } from '../../../contract/host/sandbox-settings.js'
import { createSandbox } from '../../../ports/sandbox/create-sandbox.js'
import { type ChosenModel, chooseModel, type Variables } from '../../../providers/choose-model.js'
import { modelSettingsProblem } from '../../../providers/model-settings.js'
import { type LoadedSettings, loadSettings } from '../../../settings/load-settings.js'
import { isProjectTrusted } from '../../../settings/trust.js'
import { reasonOf } from '../../../shared/reason-of.js'
import type { CommandIo } from '../../io/command.js'

/** One thing that the doctor looked for. */
export interface Finding {
  readonly name: string
  readonly status: 'found' | 'missing' | 'needed'
  readonly detail: string
}

/** Holds a trial command in the sandbox, and tells whether that worked or what is missing. */
export async function sandboxFinding(io: CommandIo): Promise<Finding> {
  const sandbox = createSandbox({
    settings: DEFAULT_SANDBOX_SETTINGS,
    workingFolders: () => [],
    home: io.homeDir ?? tmpdir(),
    platform: io.platform,
    machine: process.arch,
    searchPath: io.variables.PATH ?? '',
    temporaryFolder: tmpdir(),
  })
  const { isAvailable, reason } = await sandbox.status()
  await sandbox.close()
  return isAvailable
    ? { name: 'sandbox', status: 'found', detail: `${reason} held a trial command` }
    : { name: 'sandbox', status: 'missing', detail: `commands run unheld: ${reason}` }
}

/** Which model `haft -p` would ask here, and where its key comes from. Nothing is loaded or connected. */
export async function modelFinding(io: CommandIo): Promise<Finding> {
  const { cwd, homeDir: home } = await io.host()
  const settings = await loadSettings({
    cwd,
    home,
    isTrusted: (projectRoot) => isProjectTrusted(projectRoot, { home }),
  })
  try {
    return { name: 'model', status: 'found', detail: modelOf(settings, io.variables) }
  } catch (error) {
    return { name: 'model', status: 'missing', detail: reasonOf(error) }
  }
}

function modelOf(settings: LoadedSettings, env: Variables): string {
  const problem = modelSettingsProblem(settings)
  if (problem !== undefined) throw new Error(problem)
  const wanted = settings.model || env.HAFT_MODEL?.trim() || undefined
  if (wanted !== undefined && /^(scripted|replay):./.test(wanted)) return wanted
  const chosen = chooseModel(wanted, settings, env)
  const server = chosen.baseUrl === undefined ? '' : ` at ${withoutSecrets(chosen.baseUrl)}`
  return `${chosen.id} of ${chosen.provider}${server}, ${keyOf(chosen, settings)}`
}

/** Where the key is, never what it is. */
function keyOf({ provider, type, apiKey, authToken }: ChosenModel, { providers }: LoadedSettings): string {
  const entry = Object.hasOwn(providers, provider) ? providers[provider] : undefined
  if (authToken !== undefined) return 'key from ANTHROPIC_AUTH_TOKEN'
  if (apiKey === undefined) return 'without a key'
  if (entry?.apiKey !== undefined && entry.apiKey.trim() !== '') return `key from the settings (providers.${provider})`
  return `key from ${entry?.apiKeyEnv ?? (type === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY')}`
}

function withoutSecrets(address: string): string {
  return new URL(address).origin
}
