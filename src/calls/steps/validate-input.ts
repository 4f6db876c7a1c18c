import { ToolCallError } from '../../contract/errors.js'
import { isObject } from '../../shared/is-record.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { reasonOf } from '../../shared/reason-of.js'
import { isToolCallError } from '../as-tool-call-error.js'
import type { CallScope } from '../call-scope.js'
import { enter, type ParsedCall, type ValidatedCall } from '../call-states.js'

/** The tool's own check of what its schema cannot say; its message goes back to the model. */
export function validateInput(call: ParsedCall, scope: CallScope): MaybePromise<ValidatedCall> {
  return call.tool.validateInput === undefined ? enter<ValidatedCall>(call) : validateByTool(call, scope)
}

async function validateByTool(call: ParsedCall, { context }: CallScope): Promise<ValidatedCall> {
  const { tool, input } = call
  const answer = await askTool(call, () => tool.validateInput?.(input, context))
  if (isObject(answer) && answer.result === true) return enter<ValidatedCall>(call)
  const said = isObject(answer) && typeof answer.message === 'string' ? answer.message : ''
  throw new ToolCallError('input_refused', said === '' ? `${tool.name} refused the input.` : said)
}

async function askTool({ tool }: ParsedCall, ask: () => unknown): Promise<unknown> {
  try {
    return await ask()
  } catch (cause) {
    if (isToolCallError(cause)) throw cause
    throw new ToolCallError('input_refused', `${tool.name} could not check its input: ${reasonOf(cause)}`, { cause })
  }
}
