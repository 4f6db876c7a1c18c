import { ToolCallError } from '../../contract/errors.js'
import { isObject } from '../../shared/is-record.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { reasonOf } from '../../shared/reason-of.js'
import { isToolCallError } from '../as-tool-call-error.js'
import type { KnownCall } from '../call.js'
import type { ParsedCall } from './parse-input.js'

declare const validated: unique symbol

/** A call whose input the tool's own validation accepted. */
export interface ValidatedCall extends KnownCall {
  readonly [validated]: true
}

/** Runs the tool's own check of what its schema cannot express. Its message goes back to the model. */
export function validateInput(parsedCall: ParsedCall): MaybePromise<ValidatedCall> {
  const { call, tool, input } = parsedCall
  return tool.validateInput === undefined ? ({ call, tool, input } as ValidatedCall) : validateWithTool(parsedCall)
}

async function validateWithTool({ call, tool, input }: ParsedCall): Promise<ValidatedCall> {
  const answer = await runValidator({ call, tool, input })
  if (isObject(answer) && answer.result === true) return { call, tool, input } as ValidatedCall
  const message = isObject(answer) && typeof answer.message === 'string' ? answer.message : ''
  throw new ToolCallError('input_refused', message === '' ? `${tool.name} rejected the input.` : message)
}

async function runValidator({ call, tool, input }: KnownCall): Promise<unknown> {
  try {
    return await tool.validateInput?.(input, call.context)
  } catch (cause) {
    if (isToolCallError(cause)) throw cause
    throw new ToolCallError('input_refused', `${tool.name} could not validate its input: ${reasonOf(cause)}`, { cause })
  }
}
