import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSettingsJSONSchema, writeSettingsJSONSchema } from './settings-json-schema.js'
import { createSettingsSchema } from './settings-schema.js'

test('the JSON Schema describes every key of the settings and allows unknown ones', () => {
  const schema = createSettingsJSONSchema() as { properties: Record<string, { description?: string }> }

  expect(schema).toMatchObject({ type: 'object', title: 'Haft settings', additionalProperties: {} })
  expect(Object.keys(schema.properties)).toEqual(Object.keys(createSettingsSchema().shape))
  for (const [key, property] of Object.entries(schema.properties)) expect(property.description, key).toBeTruthy()
})

test('the JSON Schema contains the permission modes and the structure of hooks for editors', () => {
  expect(createSettingsJSONSchema()).toMatchObject({
    properties: {
      permissions: {
        properties: {
          defaultMode: { enum: ['default', 'acceptEdits', 'plan', 'auto', 'dontAsk', 'bypassPermissions'] },
          deny: { type: 'array', items: { type: 'string' } },
        },
      },
      hooks: { additionalProperties: { type: 'array', items: { required: ['hooks'] } } },
    },
  })
})

test('the JSON Schema can be written to a file in a folder that does not exist yet', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'haft-schema-'))
  const file = join(folder, 'schemas/settings.schema.json')

  await writeSettingsJSONSchema(file)

  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(createSettingsJSONSchema())
  await rm(folder, { recursive: true })
})

test('the JSON Schema matches schemas/settings.schema.json (run npm run docs after a change)', async () => {
  const publishedSchemaUrl = new URL('../../../schemas/settings.schema.json', import.meta.url)

  expect(JSON.parse(await readFile(publishedSchemaUrl, 'utf8'))).toEqual(createSettingsJSONSchema())
})
