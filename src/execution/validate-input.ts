import { ToolCallError } from '../contract/errors.js'
import type { ToolContext } from '../contract/tool.js'
import type { MaybePromise } from '../shared/maybe-promise.js'
import { enter, type ParsedCall, type ValidatedCall } from './call-states.js'

/** The tool's own check of what its schema cannot say; its message goes back to the model. */
export function validateInput(call: ParsedCall, context: ToolContext): MaybePromise<ValidatedCall> {
  const { toolUse, parentMessage, tool, input } = call
  const validated = enter<ValidatedCall>({ toolUse, parentMessage, tool, input })
  return tool.validateInput === undefined ? validated : validateByTool(call, validated, context)
}

async function validateByTool(
  { tool, input }: ParsedCall,
  validated: ValidatedCall,
  context: ToolContext,
): Promise<ValidatedCall> {
  let answer: unknown
  try {
    answer = await tool.validateInput?.(input, context)
  } catch (cause) {
    if (cause instanceof ToolCallError) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ToolCallError('input_refused', `${tool.name} could not check its input: ${reason}`, { cause })
  }
  if (isObject(answer) && answer.result === true) return validated
  const message =
    isObject(answer) && typeof answer.message === 'string' ? answer.message : `${tool.name} refused the input.`
  throw new ToolCallError('input_refused', message)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
