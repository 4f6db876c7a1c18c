import { type ModelEndpoint } from '../../contract/model/model.js'
import { isObject } from '../../shared/is-record.js'

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

const FIELDS = /defer_loading|tool_reference/
/** Gateways that check requests by a schema of their own answer 422. */
const REFUSALS = new Set([400, 422])
/** How SDKs and gateways name the status of an answer. */
const STATUS_MEMBERS = ['status', 'statusCode', 'status_code', 'code'] as const
/** Where they keep what the endpoint said. */
const INNER_MEMBERS = ['error', 'response', 'body', 'data', 'responseBody', 'cause'] as const
const MAX_DEPTH = 4

/** Whether an endpoint refused a request for the fields of the native carrier, in whatever shape its error comes. */
export function isCarrierRejection(error: unknown): boolean {
  const said = { texts: [] as string[], statuses: [] as number[] }
  collect(error, said, 0)
  if (!said.texts.some((text) => FIELDS.test(text))) return false
  if (said.statuses.length > 0) return said.statuses.some((status) => REFUSALS.has(status))
  // Some gateways put all they know into one line of text.
  return said.texts.some((text) => /\b(400|422)\b|invalid_request_error|bad request/i.test(text))
}

function collect(value: unknown, said: { texts: string[]; statuses: number[] }, depth: number): void {
  if (typeof value === 'string') said.texts.push(value)
  if (!isObject(value) || depth > MAX_DEPTH) return
  for (const member of STATUS_MEMBERS) {
    const status = Number(value[member])
    if (Number.isInteger(status) && status >= 100 && status < 600) said.statuses.push(status)
  }
  for (const member of ['message', 'detail', 'param'] as const) collectText(value[member], said.texts)
  for (const member of INNER_MEMBERS) collect(value[member], said, depth + 1)
}

/** Schema checkers give a list of complaints in place of a sentence. */
function collectText(value: unknown, texts: string[]): void {
  if (typeof value === 'string') texts.push(value)
  else if (Array.isArray(value)) for (const each of value) collectText(textOf(each), texts)
}

function textOf(value: unknown): unknown {
  if (!isObject(value)) return value
  try {
    return JSON.stringify(value)
  } catch {
    // What cannot be written down tells nothing.
    return undefined
  }
}
