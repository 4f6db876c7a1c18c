import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as z from 'zod'
import type { JsonSchema } from '../contract/json-schema.js'
import { settingsSchema } from './settings-schema.js'

/** The published JSON Schema of a settings file. */
export function settingsJSONSchema(): JsonSchema {
  return z.toJSONSchema(settingsSchema(), { target: 'draft-2020-12', io: 'input' })
}

/** Writes the published schema to a file. */
export async function writeSettingsJSONSchema(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `${JSON.stringify(settingsJSONSchema(), null, 2)}\n`)
}
