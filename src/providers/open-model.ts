import type { Model, ModelFacts, ModelPrices } from '../contract/model/model.js'
import { withoutUndefined } from '../shared/without-undefined.js'
import { type ChosenModel, chooseModel, NoModelError, type Variables } from './choose-model.js'
import { factsFor } from './common/facts-for.js'
import { httpFetch } from './http/http-fetch.js'
import { type ModelSettings, modelSettingsProblem } from './model-settings.js'

export interface OpenModelOptions {
  /** `provider/model`, the id of a model, `scripted:FILE` or `replay:FILE`; beats the settings and HAFT_MODEL. */
  readonly name?: string | undefined
  readonly settings: ModelSettings
  readonly env: Variables
  /** Only models of servers: a script is a program, and a name that a model came up with must not run it. */
  readonly served?: boolean
}

/**
 * The model that was asked for, or the one that settings and variables stand for.
 * Fails with a `NoModelError` where there is none; nothing is loaded or connected before the first request.
 */
export async function openModel({ name, settings, env, served = false }: OpenModelOptions): Promise<Model> {
  const problem = modelSettingsProblem(settings)
  if (problem !== undefined) throw new NoModelError(problem)
  const wanted = name?.trim() || settings.model || env.HAFT_MODEL?.trim()
  const { kind, file = '' } = readFileModel(wanted ?? '') ?? {}
  if (kind !== undefined && served)
    throw new NoModelError(`${kind}: names a file; only the user can choose such a model.`)
  if (kind === 'scripted') return (await import('./scripted/load-scripted-model.js')).loadScriptedModel(file)
  if (kind === 'replay') return (await import('./recorded/recorded-model.js')).loadRecordedModel(file)
  const chosen = chooseModel(wanted || undefined, settings, env)
  const facts = factsOf(chosen, settings)
  if (chosen.type === 'openai') {
    const { createOpenAIModel } = await import('./openai/create-openai-model.js')
    return createOpenAIModel({ ...chosen, facts, fetch: httpFetch })
  }
  const { createAnthropicModel } = await import('./anthropic/create-anthropic-model.js')
  const isPlain = (env.HAFT_DISABLE_EXPERIMENTAL_BETAS ?? '') !== ''
  return createAnthropicModel({ ...chosen, facts, ...(isPlain && { betas: false }) })
}

function readFileModel(name: string): { readonly kind: 'scripted' | 'replay'; readonly file: string } | undefined {
  const [, kind, file = ''] = /^(scripted|replay):(.+)$/s.exec(name) ?? []
  return kind === 'scripted' || kind === 'replay' ? { kind, file } : undefined
}

/** Only what is known: of another server than the inventor's own, the table does not say what it takes. */
function factsOf({ id, provider, baseUrl, supportsDeferLoading }: ChosenModel, { models }: ModelSettings): ModelFacts {
  const { prices, ...said } = { ...models?.[id], ...withoutUndefined(models?.[`${provider}/${id}`] ?? {}) }
  return factsFor(id, {
    ...withoutUndefined({ supportsDeferLoading: supportsDeferLoading ?? (baseUrl === undefined ? undefined : false) }),
    ...withoutUndefined(said),
    ...(prices !== undefined && { prices: withoutUndefined(prices) as ModelPrices }),
  })
}
