import * as z from 'zod'
import type { JsonSchema } from '../../../../contract/schema.js'
import { inputSchema } from './input-schema.js'
import { outputSchema } from './output-schema.js'

const SCHEMA_DRAFT = 'draft-2020-12'

/** Returns the published JSON Schema of an output line. */
export function outputJSONSchema(): JsonSchema {
  return z.toJSONSchema(outputSchema(), { target: SCHEMA_DRAFT, io: 'input' })
}

/** Returns the published JSON Schema of an input line. */
export function inputJSONSchema(): JsonSchema {
  return z.toJSONSchema(inputSchema(), { target: SCHEMA_DRAFT, io: 'input' })
}
