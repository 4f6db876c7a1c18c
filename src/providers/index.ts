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
export { type AnthropicModelOptions, createAnthropicModel } from './anthropic/create-anthropic-model.js'
export { NoModelError } from './choose-model.js'
export { factsFor } from './common/facts-for.js'
export { type Fetch, httpFetch } from './http/http-fetch.js'
export type { ModelSettings, ProviderSettings } from './model-settings.js'
export { type OpenModelOptions, openModel } from './open-model.js'
export { createOpenAIModel, type OpenAIModelOptions } from './openai/create-openai-model.js'
export { loadRecordedModel, type ReplayOptions, recordModel } from './recorded/recorded-model.js'
export { loadScriptedModel } from './scripted/load-scripted-model.js'
export type {
  Script,
  ScriptCall,
  ScriptError,
  ScriptedConversation,
  ScriptFunction,
  ScriptStep,
  ScriptTurn,
} from './scripted/script.js'
export { resultsOf } from './scripted/script.js'
export { createScriptedModel } from './scripted/scripted-model.js'
