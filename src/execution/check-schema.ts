import type { JsonSchema } from '../contract/json-schema.js'
import type { SchemaIssue } from '../contract/schema.js'
import type { Tool } from '../contract/tool.js'
import type { MaybePromise } from '../shared/maybe-promise.js'
import { jsonSchemaValidator } from './json-schema-validator.js'

export type SchemaCheck =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

/** Checks an input: by JSON Schema where the tool came with it, else by its own schema. */
export function checkSchema(tool: Tool, input: unknown): MaybePromise<SchemaCheck> {
  return tool.inputJSONSchema === undefined
    ? tool.inputSchema['~standard'].validate(input)
    : checkJsonSchema(tool.inputJSONSchema, input)
}

function checkJsonSchema(schema: JsonSchema, input: unknown): MaybePromise<SchemaCheck> {
  const validate = jsonSchemaValidator(schema)
  return typeof validate === 'function' ? validate(input) : validate.then((ready) => ready(input))
}
