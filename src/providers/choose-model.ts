import { quote } from '../shared/quote.js'
import { withoutUndefined } from '../shared/without-undefined.js'
import { isAddress, type ModelSettings, type ProviderSettings } from './model-settings.js'

export type Variables = Readonly<Record<string, string | undefined>>

/** A model, and what is needed to ask it. */
export interface ChosenModel {
  readonly id: string
  readonly provider: string
  readonly type: ProviderSettings['type']
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly authToken?: string
  readonly api?: 'chat' | 'responses'
  readonly headers?: Readonly<Record<string, string>>
  readonly supportsDeferLoading?: boolean
}

type Provider = Omit<ChosenModel, 'id'> & {
  /** The variable that should have had the key. */
  readonly missingKey?: string
}

/** What is asked where nobody says which model. */
const DEFAULT_MODELS = { anthropic: 'claude-sonnet-5-5', openai: 'gpt-5.6-sol' } as const

/** What files for another agent call the newest of each family. */
const FAMILIES: ReadonlyMap<string, string> = new Map([
  ['sonnet', 'claude-sonnet-5-5'],
  ['opus', 'claude-opus-5-5'],
  ['haiku', 'claude-haiku-5-5'],
])

const OWN_ADDRESSES = ['https://api.anthropic.com', 'https://api.openai.com/v1']

const NOTHING_SET =
  'There is no model to ask: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or OPENAI_BASE_URL and HAFT_MODEL for a server of your own.'

/** What would be taken, where a name cannot be placed. */
function noSuchModel(name: string, providers: readonly Provider[]): NoModelError {
  const known = providers.map(({ provider }) => provider).join(', ')
  return new NoModelError(
    `The model ${quote(name)} cannot be asked: nothing says who has it. Set ANTHROPIC_API_KEY for claude-…, OPENAI_API_KEY for gpt-…, or OPENAI_BASE_URL for a server of your own; or name it PROVIDER/MODEL with one of ${known}.`,
  )
}

/** Which model is meant by a name, or the default of the first provider where there is none. */
export function chooseModel(name: string | undefined, settings: ModelSettings, env: Variables): ChosenModel {
  const providers = configuredProviders(settings, env)
  const { provider, id } = name === undefined ? defaultOf(providers) : named(FAMILIES.get(name) ?? name, providers)
  const { missingKey, ...rest } = provider
  if (missingKey !== undefined) {
    const whose = name === undefined ? `the models of ${provider.provider}` : `${quote(name)} of ${provider.provider}`
    throw new NoModelError(`There is no key for ${whose}: set ${missingKey}.`)
  }
  return { ...rest, id }
}

interface Choice {
  readonly provider: Provider
  readonly id: string
}

function defaultOf(providers: readonly Provider[]): Choice {
  // A server of one's own has models that nobody here can know of; another one of Anthropic's is a proxy.
  const withDefault = providers.filter(({ type, baseUrl }) => baseUrl === undefined || type === 'anthropic')
  const provider = withDefault.find(({ missingKey }) => missingKey === undefined)
  if (provider !== undefined) return { provider, id: DEFAULT_MODELS[provider.type] }
  const [own] = providers.filter(({ missingKey }) => missingKey === undefined)
  if (own === undefined) throw new NoModelError(NOTHING_SET)
  throw new NoModelError(`Say which model of ${own.provider} to ask: set HAFT_MODEL, or "model" in the settings.`)
}

function named(name: string, providers: readonly Provider[]): Choice {
  const usable = providers.filter(({ missingKey }) => missingKey === undefined)
  const slash = name.indexOf('/')
  const before = providers.find(({ provider }) => slash > 0 && provider === name.slice(0, slash))
  const id = name.slice(slash + 1)
  // Routers have models called `anthropic/…`: without a key for that provider, the router is meant.
  const isRouted = before?.missingKey !== undefined && usable.some(({ baseUrl }) => baseUrl !== undefined)
  if (before !== undefined && id !== '' && !isRouted) return { provider: before, id }
  const maker = makerOf(name)
  const type = maker ?? 'openai'
  const provider = usable.find((each) => each.type === type) ?? usable.find(({ baseUrl }) => takesAny(baseUrl, maker))
  if (provider !== undefined) return { provider, id: name }
  const fitting = maker === undefined ? undefined : providers.find((each) => each.type === maker)
  if (fitting === undefined) throw noSuchModel(name, providers)
  return { provider: fitting, id: name }
}

/** Whose own server the model is asked at, where its name tells. */
function makerOf(id: string): Provider['type'] | undefined {
  if (id.startsWith('claude')) return 'anthropic'
  return /^(gpt-|chatgpt|o\d)/.test(id) ? 'openai' : undefined
}

/** A proxy may have the models of all others; the inventor of one has not those of another. */
function takesAny(baseUrl: string | undefined, maker: Provider['type'] | undefined): boolean {
  return baseUrl !== undefined || maker === undefined
}

/** Those of the settings in their order, then those that variables stand for. */
function configuredProviders({ providers = {} }: ModelSettings, env: Variables): Provider[] {
  const fromSettings = Object.entries(providers).map(([name, provider]) => fromEntry(name, provider, env))
  const fromEnv = [anthropicOf(env), openaiOf(env)].filter(({ provider }) => !Object.hasOwn(providers, provider))
  return [...fromSettings, ...fromEnv]
}

function fromEntry(name: string, entry: ProviderSettings, env: Variables): Provider {
  const { type, baseUrl, apiKeyEnv, api, headers, supportsDeferLoading } = entry
  const usual = type === 'anthropic' ? anthropicOf(env) : openaiOf(env)
  const given = textOf(entry.apiKey) ?? (apiKeyEnv === undefined ? undefined : textOf(env[apiKeyEnv]))
  // The usual key is for the usual server: another one gets only what was set for it.
  const keys =
    given === undefined && apiKeyEnv === undefined && baseUrl === undefined ? keysOf(usual) : keysOf({ apiKey: given })
  const isOpen = baseUrl !== undefined && apiKeyEnv === undefined
  const hasKey = keys.apiKey !== undefined || keys.authToken !== undefined
  return {
    provider: name,
    type,
    ...keys,
    ...(!hasKey &&
      !isOpen && { missingKey: apiKeyEnv ?? (type === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY') }),
    ...withoutUndefined({ baseUrl, api, headers, supportsDeferLoading }),
  }
}

function anthropicOf(env: Variables): Provider {
  const apiKey = textOf(env.ANTHROPIC_API_KEY)
  const authToken = apiKey === undefined ? textOf(env.ANTHROPIC_AUTH_TOKEN) : undefined
  const hasKey = apiKey !== undefined || authToken !== undefined
  return {
    provider: 'anthropic',
    type: 'anthropic',
    ...keysOf({ apiKey, authToken }),
    ...withoutUndefined({ baseUrl: addressOf('ANTHROPIC_BASE_URL', env) }),
    ...(!hasKey && { missingKey: 'ANTHROPIC_API_KEY' }),
  }
}

function openaiOf(env: Variables): Provider {
  const apiKey = textOf(env.OPENAI_API_KEY)
  const baseUrl = addressOf('OPENAI_BASE_URL', env)
  return {
    provider: 'openai',
    type: 'openai',
    ...keysOf({ apiKey }),
    ...withoutUndefined({ baseUrl }),
    // Servers at home need no key.
    ...(apiKey === undefined && baseUrl === undefined && { missingKey: 'OPENAI_API_KEY' }),
  }
}

function addressOf(name: string, env: Variables): string | undefined {
  const url = textOf(env[name])
  // Who spells out the usual address means the usual server.
  if (url === undefined || OWN_ADDRESSES.includes(url.replace(/\/$/, ''))) return undefined
  if (isAddress(url)) return url
  throw new NoModelError(`${name} is no address of a server; it begins with http:// or https://.`)
}

interface Keys {
  readonly apiKey?: string | undefined
  readonly authToken?: string | undefined
}

function keysOf({ apiKey, authToken }: Keys): { apiKey?: string; authToken?: string } {
  return withoutUndefined({ apiKey, authToken })
}

/** Variables that are empty count as not set, and keys in files end in a new line. */
function textOf(variable: string | undefined): string | undefined {
  const value = variable?.trim()
  return value === '' ? undefined : value
}

/** There is no model to ask; `message` is one line that says what to set. */
export class NoModelError extends Error {
  override readonly name = 'NoModelError'
}
