import { quote } from '../shared/quote.js'
import { withoutUndefined } from './common/without-undefined.js'
import { isHttpUrl, type ModelSettings, type ProviderSettings } from './model-settings.js'

export type Variables = Readonly<Record<string, string | undefined>>

/** A model with everything needed to send requests to it. */
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
  /** The name of the environment variable to set. Undefined if the provider has a key or needs none. */
  readonly missingKey?: string
}

const DEFAULT_MODELS = { anthropic: 'claude-sonnet-5-5', openai: 'gpt-5.6-sol' } as const

/** Short names that agent files written for other tools use for the newest model of a family. */
const MODEL_ALIASES: ReadonlyMap<string, string> = new Map([
  ['sonnet', 'claude-sonnet-5-5'],
  ['opus', 'claude-opus-5-5'],
  ['haiku', 'claude-haiku-5-5'],
])

/** The URLs of the vendors' own APIs. */
const VENDOR_URLS = ['https://api.anthropic.com', 'https://api.openai.com/v1']

const NO_MODEL_CONFIGURED =
  'No model is configured. Set ANTHROPIC_API_KEY or OPENAI_API_KEY, or set OPENAI_BASE_URL and HAFT_MODEL for your own server. haft login stores a key; haft models shows what was found.'

function createNoProviderError(name: string, providers: readonly Provider[]): NoModelError {
  const providerNames = providers.map(({ provider }) => provider).join(', ')
  return new NoModelError(
    `No provider is configured for the model ${quote(name)}. Set ANTHROPIC_API_KEY for claude-…, OPENAI_API_KEY for gpt-…, or OPENAI_BASE_URL for your own server; or write PROVIDER/MODEL with one of these providers: ${providerNames}.`,
  )
}

/** Finds the model with this name and its provider. Without a name, chooses the default of the first usable provider. */
export function chooseModel(name: string | undefined, settings: ModelSettings, env: Variables): ChosenModel {
  const providers = findProviders(settings, env)
  const { provider, id } =
    name === undefined ? chooseDefault(providers) : findByName(MODEL_ALIASES.get(name) ?? name, providers)
  const { missingKey, ...endpoint } = provider
  if (missingKey !== undefined) {
    const keyOwner = name === undefined ? provider.provider : `the model ${quote(name)} of ${provider.provider}`
    throw new NoModelError(`No API key for ${keyOwner}. Set ${missingKey}.`)
  }
  return { ...endpoint, id }
}

interface ModelChoice {
  readonly provider: Provider
  readonly id: string
}

function chooseDefault(providers: readonly Provider[]): ModelChoice {
  // The models of a self-hosted server are unknown. A custom Anthropic URL is usually a proxy that serves the same models.
  const providersWithDefault = providers.filter(({ type, baseUrl }) => baseUrl === undefined || type === 'anthropic')
  const provider = providersWithDefault.find(({ missingKey }) => missingKey === undefined)
  if (provider !== undefined) return { provider, id: DEFAULT_MODELS[provider.type] }
  const [usableProvider] = providers.filter(({ missingKey }) => missingKey === undefined)
  if (usableProvider === undefined) throw new NoModelError(NO_MODEL_CONFIGURED)
  throw new NoModelError(
    `No model is chosen for ${usableProvider.provider}. Set HAFT_MODEL, or "model" in the settings.`,
  )
}

function findByName(name: string, providers: readonly Provider[]): ModelChoice {
  const usableProviders = providers.filter(({ missingKey }) => missingKey === undefined)
  const slash = name.indexOf('/')
  const namedProvider = providers.find(({ provider }) => slash > 0 && provider === name.slice(0, slash))
  const id = name.slice(slash + 1)
  // Routers serve models with names such as `anthropic/…`. If there is no key for the named provider, the name belongs to the
  // router.
  const isRouted =
    namedProvider?.missingKey !== undefined && usableProviders.some(({ baseUrl }) => baseUrl !== undefined)
  if (namedProvider !== undefined && id !== '' && !isRouted) return { provider: namedProvider, id }
  const vendor = findVendor(name)
  const type = vendor ?? 'openai'
  const provider =
    usableProviders.find((each) => each.type === type) ??
    usableProviders.find(({ baseUrl }) => canServe(baseUrl, vendor))
  if (provider !== undefined) return { provider, id: name }
  const providerWithoutKey = vendor === undefined ? undefined : providers.find((each) => each.type === vendor)
  if (providerWithoutKey === undefined) throw createNoProviderError(name, providers)
  return { provider: providerWithoutKey, id: name }
}

/** Returns the vendor whose API serves the model, if the name shows it. */
function findVendor(id: string): Provider['type'] | undefined {
  if (id.startsWith('claude')) return 'anthropic'
  return /^(gpt-|chatgpt|o\d)/.test(id) ? 'openai' : undefined
}

/**
 * Whether a server may serve the models of a vendor. A proxy may serve any model, but a vendor's own API does not serve the
 * models of another vendor.
 */
function canServe(baseUrl: string | undefined, vendor: Provider['type'] | undefined): boolean {
  return baseUrl !== undefined || vendor === undefined
}

/** Returns the providers from the settings in their order, then the standard providers, which environment variables configure. */
function findProviders({ providers = {} }: ModelSettings, env: Variables): Provider[] {
  const configuredProviders = Object.entries(providers).map(([name, provider]) => readProvider(name, provider, env))
  const providersFromEnv = [readAnthropicFromEnv(env), readOpenaiFromEnv(env)].filter(
    ({ provider }) => !Object.hasOwn(providers, provider),
  )
  return [...configuredProviders, ...providersFromEnv]
}

function readProvider(name: string, entry: ProviderSettings, env: Variables): Provider {
  const { type, baseUrl, apiKeyEnv, api, headers, supportsDeferLoading } = entry
  const standardProvider = type === 'anthropic' ? readAnthropicFromEnv(env) : readOpenaiFromEnv(env)
  const configuredKey = toNonEmpty(entry.apiKey) ?? (apiKeyEnv === undefined ? undefined : toNonEmpty(env[apiKeyEnv]))
  // A custom server from the settings receives only its own key, never the standard one.
  const keys =
    configuredKey === undefined && apiKeyEnv === undefined && baseUrl === undefined
      ? toDefinedKeys(standardProvider)
      : toDefinedKeys({ apiKey: configuredKey })
  const needsNoKey = baseUrl !== undefined && apiKeyEnv === undefined
  const hasKey = keys.apiKey !== undefined || keys.authToken !== undefined
  return {
    provider: name,
    type,
    ...keys,
    ...(!hasKey &&
      !needsNoKey && { missingKey: apiKeyEnv ?? (type === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY') }),
    ...withoutUndefined({ baseUrl, api, headers, supportsDeferLoading }),
  }
}

function readAnthropicFromEnv(env: Variables): Provider {
  const apiKey = toNonEmpty(env.ANTHROPIC_API_KEY)
  const authToken = apiKey === undefined ? toNonEmpty(env.ANTHROPIC_AUTH_TOKEN) : undefined
  const hasKey = apiKey !== undefined || authToken !== undefined
  return {
    provider: 'anthropic',
    type: 'anthropic',
    ...toDefinedKeys({ apiKey, authToken }),
    ...withoutUndefined({ baseUrl: readBaseUrl('ANTHROPIC_BASE_URL', env) }),
    ...(!hasKey && { missingKey: 'ANTHROPIC_API_KEY' }),
  }
}

function readOpenaiFromEnv(env: Variables): Provider {
  const apiKey = toNonEmpty(env.OPENAI_API_KEY)
  const baseUrl = readBaseUrl('OPENAI_BASE_URL', env)
  return {
    provider: 'openai',
    type: 'openai',
    ...toDefinedKeys({ apiKey }),
    ...withoutUndefined({ baseUrl }),
    // A custom server, such as a local one, may need no key.
    ...(apiKey === undefined && baseUrl === undefined && { missingKey: 'OPENAI_API_KEY' }),
  }
}

function readBaseUrl(name: string, env: Variables): string | undefined {
  const url = toNonEmpty(env[name])
  // The vendor's own URL means the same as no URL.
  if (url === undefined || isVendorUrl(url)) return undefined
  if (isHttpUrl(url)) return url
  throw new NoModelError(`${name} is not a valid URL. It must start with http:// or https://.`)
}

export function isVendorUrl(url: string): boolean {
  return VENDOR_URLS.includes(url.replace(/\/$/, ''))
}

interface Keys {
  readonly apiKey?: string | undefined
  readonly authToken?: string | undefined
}

function toDefinedKeys({ apiKey, authToken }: Keys): { apiKey?: string; authToken?: string } {
  return withoutUndefined({ apiKey, authToken })
}

/** Trims a value, since keys read from files end with a newline. Empty values count as not set. */
function toNonEmpty(variable: string | undefined): string | undefined {
  const value = variable?.trim()
  return value === '' ? undefined : value
}

/** No model is configured. `message` is one line that says what to set. */
export class NoModelError extends Error {
  override readonly name = 'NoModelError'
}
