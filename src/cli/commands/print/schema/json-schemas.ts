import * as z from 'zod'
import type { JsonSchema } from '../../../../contract/schema.js'
import { inputSchema } from './input-schema.js'
import { outputSchema } from './output-schema.js'

const TARGET = 'draft-2020-12'

/** The published JSON Schema of an output line. */
export function outputJSONSchema(): JsonSchema {
  return z.toJSONSchema(outputSchema(), { target: TARGET, io: 'input' })
}

/** The published JSON Schema of an input line. */
export function inputJSONSchema(): JsonSchema {
  return z.toJSONSchema(inputSchema(), { target: TARGET, io: 'input' })
}
