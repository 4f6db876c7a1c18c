import * as z from 'zod'
import type { JsonSchema } from '../../../contract/schema.js'
import { getInputSchema } from './input-schema.js'
import { getOutputSchema } from './output-schema.js'

const SCHEMA_DRAFT = 'draft-2020-12'

/** Returns the published JSON Schema of an output line. */
export function createOutputJSONSchema(): JsonSchema {
  return z.toJSONSchema(getOutputSchema(), { target: SCHEMA_DRAFT, io: 'input' })
}

/** Returns the published JSON Schema of an input line. */
export function createInputJSONSchema(): JsonSchema {
  return z.toJSONSchema(getInputSchema(), { target: SCHEMA_DRAFT, io: 'input' })
}
