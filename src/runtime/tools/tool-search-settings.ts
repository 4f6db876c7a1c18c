import {
  DEFAULT_TOOL_SEARCH_MODE,
  type Environment,
  parseToolSearchMode,
  type ToolSearchMode,
} from '../../contract/flags.js'
import type { ModelEndpoint } from '../../contract/model/model.js'
import { quote } from '../../shared/quote.js'
import type { Carrier } from '../../tool-search/request/choose-carrier.js'

/** How deferred tools are hidden from the model until it searches for them. */
export interface ToolSearchOptions {
  /** The tool search mode, in the format of `HAFT_TOOL_SEARCH`. Default: the value of that variable. */
  readonly mode?: string
  /** How the model receives definitions that it searched for. Default: `native` if the endpoint is known to support it. */
  readonly carrier?: Carrier
  /** The endpoint of requests, unless `definitions` is called with another one. */
  readonly endpoint?: ModelEndpoint
}

/** The tool search settings that all agents of a runtime share. */
export interface ToolSearchSettings {
  readonly mode: ToolSearchMode
  readonly configured: Carrier | undefined
  readonly endpoint: ModelEndpoint | undefined
  readonly areBetasDisabled: boolean
  /** Set when the endpoint rejected the fields of the native carrier. No agent uses it any more. */
  wasRejected: boolean
}

export function readToolSearchSettings(
  { mode, carrier, endpoint }: ToolSearchOptions = {},
  environment: Environment,
  variable: string | undefined,
  onProblem: (problem: string) => void,
): ToolSearchSettings {
  const modeText = mode ?? variable ?? ''
  const parsedMode = modeText.trim() === '' ? DEFAULT_TOOL_SEARCH_MODE : parseToolSearchMode(modeText)
  if (parsedMode === undefined)
    onProblem(`Unknown tool search mode ${quote(modeText)}; the default is used. Use true, false, auto or auto:N.`)
  return {
    mode: parsedMode ?? DEFAULT_TOOL_SEARCH_MODE,
    configured: carrier,
    endpoint,
    areBetasDisabled: environment.HAFT_DISABLE_EXPERIMENTAL_BETAS,
    wasRejected: false,
  }
}
