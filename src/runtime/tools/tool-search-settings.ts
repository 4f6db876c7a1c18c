import {
  DEFAULT_TOOL_SEARCH_MODE,
  type Environment,
  parseToolSearchMode,
  type ToolSearchMode,
} from '../../contract/flags.js'
import type { ModelEndpoint } from '../../contract/model/model.js'
import { quote } from '../../shared/quote.js'
import type { Carrier } from '../../tool-search/request/choose-carrier.js'

/** How deferred tools are kept from the model until it asks for them. */
export interface ToolSearchOptions {
  /** As `HAFT_TOOL_SEARCH` has it, which holds if this is left out. */
  readonly mode?: string
  /** Who keeps definitions back; if left out, the provider where the endpoint is known to support it. */
  readonly carrier?: Carrier
  /** The endpoint that requests go to, unless `definitions` is told of another. */
  readonly endpoint?: ModelEndpoint
}

/** What all agents of a runtime have in common. */
export interface ToolSearchSettings {
  readonly mode: ToolSearchMode
  readonly configured: Carrier | undefined
  readonly endpoint: ModelEndpoint | undefined
  readonly betasDisabled: boolean
  /** The endpoint refused the fields of the native carrier: from then on none of the agents uses it. */
  wasRejected: boolean
}

export function readToolSearchSettings(
  { mode, carrier, endpoint }: ToolSearchOptions = {},
  environment: Environment,
  variable: string | undefined,
  onProblem: (problem: string) => void,
): ToolSearchSettings {
  const written = mode ?? variable ?? ''
  const known = written.trim() === '' ? DEFAULT_TOOL_SEARCH_MODE : parseToolSearchMode(written)
  if (known === undefined) onProblem(`The mode ${quote(written)} of tool search means nothing and is ignored.`)
  return {
    mode: known ?? DEFAULT_TOOL_SEARCH_MODE,
    configured: carrier,
    endpoint,
    betasDisabled: environment.HAFT_DISABLE_EXPERIMENTAL_BETAS,
    wasRejected: false,
  }
}
