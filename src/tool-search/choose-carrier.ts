import type { ModelEndpoint } from '../contract/model/model.js'

/** How the model gets a definition that it searched for: from the provider, by reference (`defer_loading`, `tool_reference`), or from us, as text. */
export type Carrier = 'native' | 'portable'

export interface CarrierFacts {
  readonly endpoint?: ModelEndpoint | undefined
  /** What a person set. */
  readonly byHand?: Carrier | undefined
  /** `HAFT_DISABLE_EXPERIMENTAL_BETAS`. */
  readonly betasDisabled?: boolean
  /** The endpoint refused the fields once. */
  readonly wasRejected?: boolean
}

export interface CarrierChoice {
  readonly carrier: Carrier
  /** For a person: why. */
  readonly reason: string
}

/** What rules the native carrier out comes first; then what was set; then what the endpoint is known to support. */
export function chooseCarrier({ endpoint, byHand, betasDisabled, wasRejected }: CarrierFacts): CarrierChoice {
  if (betasDisabled === true) return portable('HAFT_DISABLE_EXPERIMENTAL_BETAS is set')
  if (wasRejected === true) return portable('the endpoint refused defer_loading or tool_reference')
  if (byHand !== undefined) return { carrier: byHand, reason: 'it was set by hand.' }
  if (endpoint?.supportsDeferLoading === true)
    return { carrier: 'native', reason: 'the endpoint is known to support defer_loading.' }
  return portable('the endpoint is not known to support defer_loading')
}

function portable(why: string): CarrierChoice {
  return { carrier: 'portable', reason: `${why}.` }
}
