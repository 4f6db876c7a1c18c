export {
  addUsage,
  costOf,
  type Model,
  type ModelBlock,
  type ModelEndpoint,
  type ModelEvent,
  type ModelFacts,
  type ModelMessage,
  type ModelPrices,
  type ModelRequest,
  type ModelUsage,
  NO_USAGE,
  type StopReason,
} from '../contract/model/model.js'
export { ModelError, type ModelErrorKind } from '../contract/model/model-error.js'
export type { ThinkingConfig } from '../contract/tool/context.js'
export { type AnthropicModelOptions, createAnthropicModel } from '../providers/anthropic/create-anthropic-model.js'
export { NoModelError } from '../providers/choose-model.js'
export { getModelFacts } from '../providers/common/facts-for.js'
export { type Fetch, httpFetch } from '../providers/http/http-fetch.js'
export type { ModelSettings, ProviderSettings } from '../providers/model-settings.js'
export { type OpenModelOptions, openModel } from '../providers/open-model.js'
export { createOpenAIModel, type OpenAIModelOptions } from '../providers/openai/create-openai-model.js'
export { loadRecordedModel, type ReplayOptions, recordModel } from '../providers/recorded/recorded-model.js'
export { loadScriptedModel } from '../providers/scripted/load-scripted-model.js'
export {
  resultsOf,
  type Script,
  type ScriptCall,
  type ScriptError,
  type ScriptedConversation,
  type ScriptFunction,
  type ScriptStep,
  type ScriptTurn,
} from '../providers/scripted/script.js'
export { createScriptedModel } from '../providers/scripted/scripted-model.js'
