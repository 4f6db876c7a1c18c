import type { ModelFacts, ModelPrices } from '../contract/model/model.js'
import { isRecord } from '../shared/is-record.js'

/** Somebody who serves models, under a name of the user's choice. */
export interface ProviderSettings {
  /** The protocol: Anthropic's Messages, or OpenAI's, which most other servers speak, too. */
  readonly type: 'anthropic' | 'openai'
  /** Of another server than the inventor's own. */
  readonly baseUrl?: string | undefined
  readonly apiKey?: string | undefined
  /** The variable that has the key; better than the key itself. */
  readonly apiKeyEnv?: string | undefined
  /** Which of OpenAI's two protocols. */
  readonly api?: 'chat' | 'responses' | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The server takes `defer_loading` on tools and `tool_reference` in results. */
  readonly supportsDeferLoading?: boolean | undefined
}

/** What settings say about models. */
export interface ModelSettings {
  /** `provider/model`, or a model of the only provider. */
  readonly model?: string | undefined
  readonly smallModel?: string | undefined
  readonly fallbackModel?: string | undefined
  /** Facts by the id of a model, beside or instead of those that are known. */
  readonly models?: Readonly<Record<string, ModelFactsSettings>> | undefined
  readonly providers?: Readonly<Record<string, ProviderSettings>> | undefined
}

type OrNothing<Fields> = { readonly [Name in keyof Fields]: Fields[Name] | undefined }

/** What a user says of a model; settings that were read have members that are undefined. */
interface ModelFactsSettings extends OrNothing<Partial<Omit<ModelFacts, 'prices'>>> {
  readonly prices?:
    | (Pick<ModelPrices, 'input' | 'output'> & OrNothing<Omit<ModelPrices, 'input' | 'output'>>)
    | undefined
}

const TYPES: readonly unknown[] = ['anthropic', 'openai']
const APIS: readonly unknown[] = [undefined, 'chat', 'responses']

/** One line on what is wrong with them, if anything is; a key is never a part of it. */
export function modelSettingsProblem(settings: unknown): string | undefined {
  if (!isRecord(settings)) return 'The settings of models are no object.'
  const wrongName = ['model', 'smallModel', 'fallbackModel'].find((name) => !isTextOrNothing(settings[name]))
  if (wrongName !== undefined) return `"${wrongName}" in the settings is no text.`
  const { models = {}, providers = {} } = settings
  if (!isRecord(models)) return '"models" in the settings is no object.'
  if (!isRecord(providers)) return '"providers" in the settings is no object.'
  return firstProblem(models, factsProblem) ?? firstProblem(providers, providerProblem)
}

function firstProblem(
  entries: Readonly<Record<string, unknown>>,
  problemOf: (name: string, entry: unknown) => string | undefined,
): string | undefined {
  for (const [name, entry] of Object.entries(entries)) {
    const problem = problemOf(name, entry)
    if (problem !== undefined) return problem
  }
  return undefined
}

function factsProblem(id: string, facts: unknown): string | undefined {
  if (!isRecord(facts)) return `models."${id}" in the settings is no object.`
  const { contextWindow, maxOutputTokens, prices } = facts
  if (!isCountOrNothing(contextWindow) || !isCountOrNothing(maxOutputTokens)) {
    return `models."${id}" in the settings: contextWindow and maxOutputTokens are numbers of tokens.`
  }
  return prices === undefined || isPrices(prices)
    ? undefined
    : `models."${id}" in the settings: prices are { input, output, cacheRead?, cacheWrite? } in dollars for a million tokens.`
}

function providerProblem(name: string, provider: unknown): string | undefined {
  const where = `providers."${name}" in the settings`
  if (!isRecord(provider) || !TYPES.includes(provider.type)) return `${where}: type is "anthropic" or "openai".`
  if (!APIS.includes(provider.api)) return `${where}: api is "chat" or "responses".`
  if (!isTextOrNothing(provider.apiKey) || !isTextOrNothing(provider.apiKeyEnv)) return `${where}: a key is a text.`
  if (!isHeadersOrNothing(provider.headers)) return `${where}: headers are an object of texts.`
  const { baseUrl } = provider
  return baseUrl === undefined || isAddress(baseUrl)
    ? undefined
    : `${where}: baseUrl is an address, http:// or https://.`
}

/** Whether a server can be asked there. */
export function isAddress(url: unknown): boolean {
  return typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

function isTextOrNothing(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}

function isCountOrNothing(value: unknown): boolean {
  return value === undefined || (Number.isSafeInteger(value) && Number(value) > 0)
}

function isHeadersOrNothing(value: unknown): boolean {
  return value === undefined || (isRecord(value) && Object.values(value).every((each) => typeof each === 'string'))
}

function isPrices(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { input, output, cacheRead = 0, cacheWrite = 0 } = value
  return [input, output, cacheRead, cacheWrite].every((price) => typeof price === 'number' && price >= 0)
}
