import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as z from 'zod'
import { getMcpServerEntrySchema } from '../../contract/mcp/server-entry.js'
import type { JsonSchema } from '../../contract/schema.js'
import { createSettingsSchema } from './settings-schema.js'

const SCHEMA_OPTIONS = { target: 'draft-2020-12', io: 'input' } as const

/**
 * Returns the published JSON Schema of a settings file. It is stricter about MCP servers than the reader, which reports invalid
 * ones individually.
 */
export function createSettingsJSONSchema(): JsonSchema {
  const { $schema, ...entry } = z.toJSONSchema(getMcpServerEntrySchema(), SCHEMA_OPTIONS)
  const publishedSchema = createSettingsSchema().extend({
    mcpServers: createSettingsSchema().shape.mcpServers.unwrap().meta({ additionalProperties: entry }).optional(),
  })
  return z.toJSONSchema(publishedSchema.meta(createSettingsSchema().meta() ?? {}), SCHEMA_OPTIONS)
}

/** Writes the schema to a file. Creates the folder of the file if it does not exist. */
export async function writeSettingsJSONSchema(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `${JSON.stringify(createSettingsJSONSchema(), null, 2)}\n`)
}
