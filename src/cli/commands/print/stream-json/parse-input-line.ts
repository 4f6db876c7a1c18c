import { isRecord } from '../../../../shared/is-record.js'
import { reasonOf } from '../../../../shared/reason-of.js'
import { type InputMessage, inputSchema } from './input-schema.js'

export type ParsedLine =
  | { readonly message: InputMessage }
  /** `requestId` where it is a request, which waits for an answer. */
  | { readonly problem: string; readonly requestId?: string }

/** Reads one line of another program. */
export function parseInputLine(text: string): ParsedLine {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { problem: `is not JSON: ${reasonOf(error)}` }
  }
  const { data, error } = inputSchema().safeParse(value)
  if (error === undefined) return { message: data }
  const [issue] = error.issues
  const place = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`
  const problem = `cannot be used${place}: ${issue?.message ?? 'it does not fit'}`
  const requestId = isRecord(value) && value.type === 'control_request' ? value.request_id : undefined
  return typeof requestId === 'string' ? { problem, requestId } : { problem }
}
