import type { Model } from '../../contract/model/model.js'
import type { ThinkingConfig } from '../../contract/tool/context.js'
import type { ModelSettings } from '../../providers/model-settings.js'
import { openModel } from '../../providers/open-model.js'
import type { LoadedSettings } from '../../settings/load-settings.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { CommandIo } from '../io/command.js'
import { EXIT, ExitError } from '../io/exit.js'
import type { AgentOptions } from '../options/agent-options.js'
import { addStoredKeys } from '../tool-session/model-access.js'

/** Whose keys are used: the variables, and the home folder with the keys of `haft login`. */
type KeyOwner = Pick<CommandIo, 'variables' | 'homeDir'>

export interface OpenedModels {
  readonly model: Model
  readonly fallbackModel?: Model
}

/** Opens the main model, unless the program has one, and the fallback model if one is named. */
export async function openModels(
  { model, fallbackModel }: Pick<AgentOptions, 'model' | 'fallbackModel'>,
  settings: LoadedSettings,
  owner: KeyOwner,
  mainModel?: Model,
): Promise<OpenedModels> {
  const fallbackName = fallbackModel ?? settings.fallbackModel
  const [main, fallback] = await Promise.all([
    mainModel ?? openNamedModel(model, settings, owner),
    fallbackName === undefined ? undefined : openNamedModel(fallbackName, settings, owner),
  ])
  return { model: main, ...(fallback !== undefined && { fallbackModel: fallback }) }
}

export async function openNamedModel(
  name: string | undefined,
  settings: ModelSettings,
  owner: KeyOwner,
  { isServed = false }: { readonly isServed?: boolean } = {},
): Promise<Model> {
  try {
    return await openModel({ name, ...(await addStoredKeys(name, settings, owner)), served: isServed })
  } catch (error) {
    throw new ExitError(EXIT.noModel, reasonOf(error), { cause: error })
  }
}

/** Returns how the model thinks: as the options say, or else the settings. */
export function thinkingOf(
  { thinking }: Pick<LoadedSettings, 'thinking'>,
  { thinking: chosenThinking }: Pick<AgentOptions, 'thinking'>,
): { readonly thinking?: ThinkingConfig } {
  if (chosenThinking !== undefined) return { thinking: chosenThinking }
  if (thinking === undefined) return {}
  return {
    thinking: typeof thinking === 'number' ? { type: 'enabled', budgetTokens: thinking } : { type: thinking },
  }
}
