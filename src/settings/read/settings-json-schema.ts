import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as z from 'zod'
import { getMcpServerEntrySchema } from '../../contract/mcp/server-entry.js'
import type { JsonSchema } from '../../contract/schema.js'
import { settingsSchema } from './settings-schema.js'

const SCHEMA_OPTIONS = { target: 'draft-2020-12', io: 'input' } as const

/** The published JSON Schema of a settings file. It is stricter about MCP servers than the reader, which reports invalid ones individually. */
export function settingsJSONSchema(): JsonSchema {
  const { $schema, ...entry } = z.toJSONSchema(getMcpServerEntrySchema(), SCHEMA_OPTIONS)
  const publishedSchema = settingsSchema().extend({
    mcpServers: settingsSchema().shape.mcpServers.unwrap().meta({ additionalProperties: entry }).optional(),
  })
  return z.toJSONSchema(publishedSchema.meta(settingsSchema().meta() ?? {}), SCHEMA_OPTIONS)
}

/** Also creates the folder of the file if it does not exist. */
export async function writeSettingsJSONSchema(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `${JSON.stringify(settingsJSONSchema(), null, 2)}\n`)
}
