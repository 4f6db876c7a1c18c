import { ToolCallError } from '../../contract/errors.js'
import type { SchemaIssue } from '../../contract/schema.js'
import type { Tool } from '../../contract/tool/tool.js'
import { isObject } from '../../shared/is-record.js'
import { jsonSchemaValidator } from '../../shared/json-schema-validator.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { Input } from '../call.js'
import { copyPlain } from '../copy-plain.js'

export type SchemaCheck =
  | { readonly value: Input; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

/** Checks an input: by JSON Schema where the tool came with it, else by its own schema. One that cannot be used refuses the input. */
export function checkSchema(tool: Tool, input: unknown): MaybePromise<SchemaCheck> {
  try {
    const answer = validate(tool, input)
    return isThenable(answer) ? whenAnswered(tool, answer) : readAnswer(tool, answer)
  } catch (error) {
    throw unusable(tool, error)
  }
}

function validate(tool: Tool, input: unknown): unknown {
  if (tool.inputJSONSchema === undefined) return tool.inputSchema['~standard'].validate(input)
  const validator = jsonSchemaValidator(tool.inputJSONSchema)
  // Such a validator hands on what it was given, so that what is checked must not be the sender's own.
  const own = copyPlain(input)
  return typeof validator === 'function' ? validator(own) : validator.then((ready) => ready(own))
}

async function whenAnswered(tool: Tool, answer: PromiseLike<unknown>): Promise<SchemaCheck> {
  try {
    return readAnswer(tool, await answer)
  } catch (error) {
    throw unusable(tool, error)
  }
}

/** Schemas come from anywhere: what is no clear yes is a no. */
function readAnswer(tool: Tool, answer: unknown): SchemaCheck {
  if (isObject(answer) && answer.issues !== undefined) {
    return { issues: Array.isArray(answer.issues) ? answer.issues : [{ message: 'The schema refuses it' }] }
  }
  if (isObject(answer) && isObject(answer.value) && !Array.isArray(answer.value)) return answer as { value: Input }
  throw new Error(`it does not make an object of the input of ${tool.name}`)
}

function unusable(tool: Tool, cause: unknown): ToolCallError {
  const message = `InputValidationError: the schema of ${tool.name} cannot be used: ${reasonOf(cause)}`
  return new ToolCallError('input_invalid', message, { cause })
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return isObject(value) && typeof value.then === 'function'
}
