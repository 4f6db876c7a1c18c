import { MODEL_FACTS } from '../../../providers/common/model-facts.js'
import { type LoadedSettings, loadSettings } from '../../../settings/load-settings.js'
import { readStoredKeys } from '../../../settings/stored-keys.js'
import { isProjectTrusted } from '../../../settings/trust.js'
import { reasonOf } from '../../../shared/reason-of.js'
import type { CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { parseOptions } from '../../options/parse-options.js'
import { describeModel } from './describe-model.js'
import { explainLocalServer, findLocalServers } from './find-local-servers.js'

const KEY_VARIABLES = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'OPENAI_API_KEY']

/** Runs `haft models`: shows the model that is used here, keys, servers on this machine, and known models. */
export async function runModels(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, { json: { type: 'boolean', default: false } })
  if (positionals.length > 0)
    throw new UsageError('haft models has no arguments. To choose: haft config set model NAME.')
  const { cwd, homeDir: home } = await io.host()
  const [settings, servers] = await Promise.all([
    loadSettings({ cwd, home, isTrusted: (root) => isProjectTrusted(root, { home }) }),
    findLocalServers(),
  ])
  const current = await describeModel(settings, io).then(
    (text) => ({ model: text }),
    (error) => ({ problem: reasonOf(error) }),
  )
  const keys = await listKeySources(io, settings)
  const models = listModels(settings)
  if (values.json) {
    io.out(`${JSON.stringify({ ...current, keys, servers, models }, null, 2)}\n`)
    return EXIT.done
  }
  const hasKey = keys.length > 0
  const lines = [
    'model' in current ? `Model: ${current.model}` : current.problem,
    '',
    hasKey ? `Keys: ${keys.join(', ')}` : 'Keys: none. To store one: haft login',
    '',
    servers.length === 0
      ? 'Servers on this machine: none on the ports 11434, 1234, 8080 and 8000'
      : 'Servers on this machine:',
    ...servers.flatMap((server) => [
      `  ${server.name} at ${server.baseUrl}: ${server.models.join(', ')}`,
      ...explainLocalServer(server)
        .split('\n')
        .map((line) => `    ${line}`),
    ]),
    '',
    'Known models (choose one with --model NAME, or haft config set model NAME):',
    ...models.map(({ id, contextWindow, price }) => `  ${id}  ${contextWindow} tokens${price}`),
  ]
  io.out(`${lines.join('\n')}\n`)
  return EXIT.done
}

/** Returns where keys were found, never the keys. */
export async function listKeySources(
  { variables, homeDir }: CommandIo,
  { providers }: Pick<LoadedSettings, 'providers'>,
): Promise<readonly string[]> {
  const providerVariables = Object.values(providers).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? [])
  const names = [...new Set([...KEY_VARIABLES, ...providerVariables])]
  const storedKeys = homeDir === undefined ? {} : await readStoredKeys(homeDir)
  return [
    ...names.filter((name) => (variables[name]?.trim() ?? '') !== ''),
    ...Object.entries(providers).flatMap(([name, { apiKey }]) => (apiKey?.trim() ? [`settings (${name})`] : [])),
    ...Object.keys(storedKeys).map((name) => `haft login (${name})`),
  ]
}

function listModels({ models }: LoadedSettings) {
  const ids = [...new Set([...Object.keys(models), ...Object.keys(MODEL_FACTS)])]
  return ids.map((id) => {
    const facts = MODEL_FACTS[id]
    const { contextWindow = facts?.contextWindow, prices = facts?.prices } = models[id] ?? {}
    const price = prices === undefined ? '' : `, $${prices.input} in, $${prices.output} out per million`
    return { id, contextWindow: contextWindow ?? 'unknown', price }
  })
}
