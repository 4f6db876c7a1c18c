import * as z from 'zod'
import { isRecord } from '../../shared/is-record.js'
import { valueHash } from './value-hash.js'

/** What a server says of a tool, as far as a person approves it. */
export interface PinnableTool {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
  readonly annotations?: unknown
}

/** As much of a description as a model reads. */
const MAX_DESCRIPTION = 2_048

/** What is kept of an approved definition: its hash to know it again, and enough to tell what has changed. */
export type PinnedTool = z.output<typeof pinnedToolSchema>

export const pinnedToolSchema = z.object({
  hash: z.string(),
  title: z.string(),
  description: z.string(),
  /** The hash of each parameter's schema. */
  parameters: z.record(z.string(), z.string()),
  input: z.string(),
  output: z.string(),
  annotations: z.record(z.string(), z.unknown()),
})

export function pinTool(tool: PinnableTool): PinnedTool {
  const { name, title = '', description = '', inputSchema = null, outputSchema = null, annotations = null } = tool
  return {
    hash: valueHash([name, title, description, inputSchema, outputSchema, annotations]),
    title,
    description: description.slice(0, MAX_DESCRIPTION),
    parameters: hashes(isRecord(inputSchema) ? inputSchema.properties : undefined),
    input: valueHash(inputSchema),
    output: valueHash(outputSchema),
    annotations: scalars(annotations),
  }
}

function hashes(properties: unknown): Record<string, string> {
  if (!isRecord(properties)) return {}
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valueHash(schema)]))
}

/** Annotations are a few switches and names; whatever else is in them counts in the hash alone. */
function scalars(annotations: unknown): Record<string, unknown> {
  if (!isRecord(annotations)) return {}
  return Object.fromEntries(Object.entries(annotations).filter(([, value]) => typeof value !== 'object'))
}
