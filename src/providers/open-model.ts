import type { Model } from '../contract/model/model.js'
import { quote } from '../shared/quote.js'
import { chooseModel, NoModelError, type Variables } from './choose-model.js'
import { getChosenModelFacts } from './common/facts-for.js'
import { httpFetch } from './http/http-fetch.js'
import { findModelSettingsProblem, type ModelSettings, parseFileModelName } from './model-settings.js'

/** Options of `openModel`. */
export interface OpenModelOptions {
  /** `provider/model`, a model id, `scripted:FILE` or `replay:FILE`. Overrides the settings and HAFT_MODEL. */
  readonly name?: string | undefined
  readonly settings: ModelSettings
  readonly env: Variables
  /**
   * Whether to accept only models behind an API. A script file can run code, so a name that a model chooses must not load one.
   */
  readonly served?: boolean
}

/**
 * Opens the named model or, without a name, the one that the settings or environment variables select. Throws a `NoModelError`
 * if there is none. Script and recording files are read at once, but SDKs are loaded and connections opened only with the
 * first request.
 */
export async function openModel({ name, settings, env, served = false }: OpenModelOptions): Promise<Model> {
  const problem = findModelSettingsProblem(settings)
  if (problem !== undefined) throw new NoModelError(problem)
  const requestedName = name?.trim() || settings.model || env.HAFT_MODEL?.trim()
  const { kind, file = '' } = parseFileModelName(requestedName ?? '') ?? {}
  if (kind !== undefined && served)
    throw new NoModelError(
      `The model ${quote(requestedName ?? '')} loads a file. Only the user can choose such a model; name a model of a provider.`,
    )
  if (kind === 'scripted') return (await import('./scripted/load-scripted-model.js')).loadScriptedModel(file)
  if (kind === 'replay') return (await import('./recorded/recorded-model.js')).loadRecordedModel(file)
  const chosenModel = chooseModel(requestedName || undefined, settings, env)
  const facts = getChosenModelFacts(chosenModel, settings)
  if (chosenModel.type === 'openai') {
    const { createOpenAIModel } = await import('./openai/create-openai-model.js')
    return createOpenAIModel({ ...chosenModel, facts, fetch: httpFetch })
  }
  const { createAnthropicModel } = await import('./anthropic/create-anthropic-model.js')
  const areBetasDisabled = (env.HAFT_DISABLE_EXPERIMENTAL_BETAS ?? '') !== ''
  return createAnthropicModel({ ...chosenModel, facts, ...(areBetasDisabled && { betas: false }) })
}
