import { isTooDeep } from '../../contract/schema.js'
import { jsonSchemaProblem } from '../../shared/json-schema-problem.js'

/** Why answers cannot be held to a schema, for the person who wrote it; undefined if they can. */
export async function outputSchemaProblem(schema: unknown): Promise<string | undefined> {
  const problem = isTooDeep(schema) ? 'it is nested too deeply' : await jsonSchemaProblem(schema)
  return problem === undefined ? undefined : `The JSON Schema for the answer cannot be used: ${problem}.`
}
