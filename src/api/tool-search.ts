export { parseToolSearchMode, type ToolSearchMode } from '../contract/flags.js'
export {
  createDiscoveredTools,
  extractDiscoveredToolNames,
  isDeferredTool,
  type UserChannel,
} from '../contract/tool/deferred-tools.js'
export type { Deferral } from '../runtime/tools/tool-disclosure.js'
export {
  announceDeferredTools,
  type CurrentDeferredTools,
  type DeferredToolsNotice,
  formatDeferredTools,
} from '../tool-search/announce/announce-deferred-tools.js'
export type { DeferredName } from '../tool-search/announce/announcement-text.js'
export {
  type CarriedRequest,
  createMessageCarrier,
  keepDiscoveredTools,
} from '../tool-search/request/carry-messages.js'
export {
  type Carrier,
  type CarrierChoice,
  type CarrierFacts,
  chooseCarrier,
  isCarrierRejection,
} from '../tool-search/request/choose-carrier.js'
export {
  type DeferralDecision,
  type DeferralFacts,
  decideDeferral,
  expectDeferral,
  type RequestFacts,
} from '../tool-search/request/decide-deferral.js'
export { estimateDefinitionTokens, estimateTokens } from '../tool-search/request/estimate-tokens.js'
export { type CurrentTools, type RequestTools, selectRequestTools } from '../tool-search/request/request-tools.js'
