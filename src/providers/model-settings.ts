import type { ModelFacts, ModelPrices } from '../contract/model/model.js'
import { isRecord } from '../shared/is-record.js'

/** A provider of models, listed in the settings under a name that the user chooses. */
export interface ProviderSettings {
  /** The protocol: Anthropic's Messages API, or OpenAI's APIs, which most other servers support as well. */
  readonly type: 'anthropic' | 'openai'
  /** The URL of the server. Defaults to the vendor's own API. */
  readonly baseUrl?: string | undefined
  readonly apiKey?: string | undefined
  /** The name of the environment variable that holds the key. This is preferred, because it keeps the key out of the settings. */
  readonly apiKeyEnv?: string | undefined
  /** Which of OpenAI's two APIs to use. Defaults to `responses` at OpenAI itself and to `chat` for other servers. */
  readonly api?: 'chat' | 'responses' | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Whether the server accepts `defer_loading` on tools and `tool_reference` in results. */
  readonly supportsDeferLoading?: boolean | undefined
}

/** The part of the settings that chooses and describes models. */
export interface ModelSettings {
  /** `provider/model`, or only the ID of the model. */
  readonly model?: string | undefined
  readonly smallModel?: string | undefined
  readonly fallbackModel?: string | undefined
  /** Facts by model id. They add to the built-in table and override it. */
  readonly models?: Readonly<Record<string, ModelFactsSettings>> | undefined
  readonly providers?: Readonly<Record<string, ProviderSettings>> | undefined
}

type OrUndefined<Fields> = { readonly [Name in keyof Fields]: Fields[Name] | undefined }

/** Facts that a user sets for a model. Parsed settings may contain members that are undefined. */
interface ModelFactsSettings extends OrUndefined<Partial<Omit<ModelFacts, 'prices'>>> {
  readonly prices?:
    | (Pick<ModelPrices, 'input' | 'output'> & OrUndefined<Omit<ModelPrices, 'input' | 'output'>>)
    | undefined
}

const PROVIDER_TYPES: readonly unknown[] = ['anthropic', 'openai']
const KNOWN_APIS: readonly unknown[] = [undefined, 'chat', 'responses']

/**
 * Returns one line that describes the first problem in the model settings; undefined if there is none. The line never contains
 * a key.
 */
export function findModelSettingsProblem(settings: unknown): string | undefined {
  if (!isRecord(settings)) return 'The model settings must be an object.'
  const wrongName = ['model', 'smallModel', 'fallbackModel'].find((name) => !isOptionalString(settings[name]))
  if (wrongName !== undefined) return `"${wrongName}" in the settings must be a string.`
  const { models = {}, providers = {} } = settings
  if (!isRecord(models)) return '"models" in the settings must be an object.'
  if (!isRecord(providers)) return '"providers" in the settings must be an object.'
  return findFirstProblem(models, findFactsProblem) ?? findFirstProblem(providers, findProviderProblem)
}

function findFirstProblem(
  entries: Readonly<Record<string, unknown>>,
  findProblem: (name: string, entry: unknown) => string | undefined,
): string | undefined {
  for (const [name, entry] of Object.entries(entries)) {
    const problem = findProblem(name, entry)
    if (problem !== undefined) return problem
  }
  return undefined
}

function findFactsProblem(id: string, facts: unknown): string | undefined {
  if (!isRecord(facts)) return `models."${id}" in the settings must be an object.`
  const { contextWindow, maxOutputTokens, prices } = facts
  if (!isOptionalCount(contextWindow) || !isOptionalCount(maxOutputTokens)) {
    return `models."${id}" in the settings: contextWindow and maxOutputTokens must be positive whole numbers of tokens.`
  }
  return prices === undefined || isPrices(prices)
    ? undefined
    : `models."${id}" in the settings: prices must be { input, output, cacheRead?, cacheWrite? } in dollars per million tokens, and webSearch? per thousand searches.`
}

function findProviderProblem(name: string, provider: unknown): string | undefined {
  const prefix = `providers."${name}" in the settings`
  if (!isRecord(provider) || !PROVIDER_TYPES.includes(provider.type))
    return `${prefix}: type must be "anthropic" or "openai".`
  if (!KNOWN_APIS.includes(provider.api)) return `${prefix}: api must be "chat" or "responses".`
  if (!isOptionalString(provider.apiKey) || !isOptionalString(provider.apiKeyEnv))
    return `${prefix}: apiKey and apiKeyEnv must be strings.`
  if (!isOptionalHeaders(provider.headers)) return `${prefix}: headers must be an object of strings.`
  const { baseUrl } = provider
  return baseUrl === undefined || isHttpUrl(baseUrl)
    ? undefined
    : `${prefix}: baseUrl must be an http:// or https:// URL.`
}

export function isHttpUrl(url: unknown): boolean {
  return typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

function isOptionalString(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}

function isOptionalCount(value: unknown): boolean {
  return value === undefined || (Number.isSafeInteger(value) && Number(value) > 0)
}

function isOptionalHeaders(value: unknown): boolean {
  return value === undefined || (isRecord(value) && Object.values(value).every((each) => typeof each === 'string'))
}

function isPrices(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { input, output, cacheRead = 0, cacheWrite = 0, webSearch = 0 } = value
  return [input, output, cacheRead, cacheWrite, webSearch].every((price) => typeof price === 'number' && price >= 0)
}

/** Returns the file that acts as a model; undefined if the name is that of a model behind an API. */
export function parseFileModelName(
  name: string,
): { readonly kind: 'scripted' | 'replay'; readonly file: string } | undefined {
  const [, kind, file = ''] = /^(scripted|replay):(.+)$/s.exec(name) ?? []
  return kind === 'scripted' || kind === 'replay' ? { kind, file } : undefined
}
