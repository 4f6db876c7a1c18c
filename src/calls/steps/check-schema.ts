import { ToolCallError } from '../../contract/errors.js'
import type { SchemaIssue } from '../../contract/schema.js'
import type { Tool } from '../../contract/tool/tool.js'
import { isObject } from '../../shared/is-record.js'
import { createJsonSchemaValidator } from '../../shared/json-schema-validator.js'
import { isThenable, type MaybePromise } from '../../shared/maybe-promise.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { Input } from '../call.js'
import { copyPlain } from '../copy-plain.js'

export type SchemaCheck =
  | { readonly value: Input; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

/** Validates an input against `inputJSONSchema` of the tool, or `inputSchema` if it has none. Throws if the schema is unusable. */
export function checkSchema(tool: Tool, input: unknown): MaybePromise<SchemaCheck> {
  try {
    const result = validate(tool, input)
    return isThenable(result) ? readAsyncResult(tool, result) : readResult(result)
  } catch (error) {
    throw createUnusableSchemaError(tool, error)
  }
}

function validate(tool: Tool, input: unknown): unknown {
  if (tool.inputJSONSchema === undefined) return tool.inputSchema['~standard'].validate(input)
  const validator = createJsonSchemaValidator(tool.inputJSONSchema)
  // The validator returns its argument, so it gets a copy: tools must not share objects with the sender.
  const inputCopy = copyPlain(input)
  return typeof validator === 'function'
    ? validator(inputCopy)
    : validator.then((loadedValidator) => loadedValidator(inputCopy))
}

async function readAsyncResult(tool: Tool, result: PromiseLike<unknown>): Promise<SchemaCheck> {
  try {
    return readResult(await result)
  } catch (error) {
    throw createUnusableSchemaError(tool, error)
  }
}

/**
 * Reads the result of a schema, which can come from any library. Malformed issues count as one issue; any other malformed
 * result is an error.
 */
function readResult(result: unknown): SchemaCheck {
  if (isObject(result) && result.issues !== undefined) {
    return { issues: Array.isArray(result.issues) ? result.issues : [{ message: 'does not match the schema' }] }
  }
  if (isObject(result) && isObject(result.value) && !Array.isArray(result.value)) return result as { value: Input }
  throw new Error('it must return an object')
}

function createUnusableSchemaError(tool: Tool, cause: unknown): ToolCallError {
  const message = `InputValidationError: the schema of ${tool.name} cannot be used: ${reasonOf(cause)}`
  return new ToolCallError('input_invalid', message, { cause })
}
