import type { ModelEndpoint } from '../../contract/model/model.js'
import { isObject } from '../../shared/is-record.js'

/**
 * How the model receives a definition that it searched for: `native` means by reference from the provider (`defer_loading`,
 * `tool_reference`), `portable` means as text in the tool result.
 */
export type Carrier = 'native' | 'portable'

/** The facts on which `chooseCarrier` bases its decision. */
export interface CarrierFacts {
  readonly endpoint?: ModelEndpoint | undefined
  /** The carrier from the settings. */
  readonly configured?: Carrier | undefined
  /** Whether `HAFT_DISABLE_EXPERIMENTAL_BETAS` is set. */
  readonly areBetasDisabled?: boolean
  /** Whether the endpoint has rejected the native fields. */
  readonly wasRejected?: boolean
}

/** How loaded tools are sent to the model, with an explanation for the user. */
export interface CarrierChoice {
  readonly carrier: Carrier
  /** Explains the choice to the user. */
  readonly reason: string
}

/** Chooses the carrier. A reason against `native` overrides the setting, and the setting overrides known features of the endpoint. */
export function chooseCarrier({ endpoint, configured, areBetasDisabled, wasRejected }: CarrierFacts): CarrierChoice {
  if (areBetasDisabled === true) return choosePortable('HAFT_DISABLE_EXPERIMENTAL_BETAS is set')
  if (wasRejected === true) return choosePortable('the endpoint rejected defer_loading or tool_reference')
  if (configured !== undefined) return { carrier: configured, reason: 'the settings specify this carrier.' }
  if (endpoint?.supportsDeferLoading === true)
    return { carrier: 'native', reason: 'the endpoint is known to support defer_loading.' }
  return choosePortable('the endpoint is not known to support defer_loading')
}

function choosePortable(cause: string): CarrierChoice {
  return { carrier: 'portable', reason: `${cause}.` }
}

const NATIVE_FIELDS = /defer_loading|tool_reference/
/** Gateways that validate requests against a schema respond with 422. */
const REJECTION_STATUSES = new Set([400, 422])
/** The names that SDKs and gateways use for the response status. */
const STATUS_MEMBERS = ['status', 'statusCode', 'status_code', 'code'] as const
/** The names that SDKs and gateways use for the response or error that they wrap. */
const INNER_MEMBERS = ['error', 'response', 'body', 'data', 'responseBody', 'cause'] as const
const MAX_DEPTH = 4

/** Whether an error, in any of the common shapes, says that the endpoint rejected the fields of the native carrier. */
export function isCarrierRejection(error: unknown): boolean {
  const details = { texts: [] as string[], statuses: [] as number[] }
  collectDetails(error, details, 0)
  if (!details.texts.some((text) => NATIVE_FIELDS.test(text))) return false
  if (details.statuses.length > 0) return details.statuses.some((status) => REJECTION_STATUSES.has(status))
  // Some gateways return a single line of text.
  return details.texts.some((text) => /\b(400|422)\b|invalid_request_error|bad request/i.test(text))
}

function collectDetails(value: unknown, details: { texts: string[]; statuses: number[] }, depth: number): void {
  if (typeof value === 'string') details.texts.push(value)
  if (!isObject(value) || depth > MAX_DEPTH) return
  for (const member of STATUS_MEMBERS) {
    const status = Number(value[member])
    if (Number.isInteger(status) && status >= 100 && status < 600) details.statuses.push(status)
  }
  for (const member of ['message', 'detail', 'param'] as const) collectText(value[member], details.texts)
  for (const member of INNER_MEMBERS) collectDetails(value[member], details, depth + 1)
}

/** Collects a string or the items of a list: schema validators return a list of problems instead of a sentence. */
function collectText(value: unknown, texts: string[]): void {
  if (typeof value === 'string') texts.push(value)
  else if (Array.isArray(value)) for (const item of value) collectText(textOf(item), texts)
}

function textOf(value: unknown): unknown {
  if (!isObject(value)) return value
  try {
    return JSON.stringify(value)
  } catch {
    // The value is not serialisable, so it contains no readable detail.
    return undefined
  }
}
