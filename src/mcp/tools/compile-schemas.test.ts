import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createJsonSchemaValidator } from '../../shared/json-schema-validator.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { refuseUncompilable } from './compile-schemas.js'
import { readDefinitions } from './read-definition.js'

const readCompilable = (...schemas: readonly object[]) =>
  refuseUncompilable(readDefinitions(schemas.map((inputSchema, index) => ({ name: `t${index}`, inputSchema }))))

test.each([
  [{ properties: { a: { enum: [] } } }, 'enum must have non-empty array'],
  [{ properties: { a: { minimum: '3' } } }, 'minimum'],
  [{ patternProperties: { '(': { type: 'string' } } }, 'Invalid regular expression'],
  [{ properties: { a: { uniqueItems: 'yes' } } }, 'uniqueItems'],
])('a tool with the schema part %j is refused, because it cannot be compiled', async (part, reason) => {
  const { definitions, refused } = await readCompilable({ type: 'object', ...part }, { type: 'object' })

  expect(definitions.map(({ name }) => name)).toEqual(['t1'])
  expect(refused).toEqual([{ name: 't0', reason: expect.stringContaining(reason) }])
})

test('a tool whose output schema cannot be compiled is refused', async () => {
  const entry = { name: 'a', inputSchema: { type: 'object' }, outputSchema: { type: 'object', minProperties: 'x' } }

  const { refused } = await refuseUncompilable(readDefinitions([entry]))

  expect(refused[0]?.reason).toContain('its output schema cannot be compiled')
})

test('every schema of a tool that is offered can be compiled', async () => {
  const value = fc.oneof(
    fc.integer(),
    fc.boolean(),
    fc.string(),
    fc.constant(null),
    fc.array(fc.string(), { maxLength: 2 }),
  )
  const createSchema = (child: fc.Arbitrary<unknown>) =>
    fc.record(
      {
        type: fc.constantFrom('string', 'object', 'number', 'array', ['string', 'null']),
        properties: fc.dictionary(fc.string(), child, { maxKeys: 2 }),
        items: fc.oneof(child, fc.array(child, { maxLength: 2 })),
        anyOf: fc.array(child, { maxLength: 2 }),
        required: fc.oneof(fc.array(fc.string()), fc.boolean()),
        enum: fc.oneof(fc.array(value), value),
        minimum: value,
        exclusiveMaximum: value,
        maxLength: value,
        multipleOf: value,
        uniqueItems: value,
        format: value,
        const: value,
        nullable: value,
        $ref: fc.constantFrom('#', '#/$defs/a', '#/properties/a', '#/definitions/b%20c'),
        $id: fc.constantFrom('https://example.com/a', 'https://example.com/b.json', 'x'),
        $defs: fc.record({ a: child }),
        definitions: fc.record({ 'b c': child }),
        dependentRequired: value,
        additionalProperties: fc.oneof(fc.boolean(), child),
        $schema: fc.constantFrom('http://json-schema.org/draft-07/schema#', 'https://example.com/schema'),
      },
      { requiredKeys: [] },
    )
  const schema = createSchema(createSchema(fc.constant({ type: 'string' })))
  await fc.assert(
    fc.asyncProperty(schema, async (properties) => {
      const { definitions } = await readCompilable({ ...properties, type: 'object' })
      for (const { inputSchema } of definitions)
        await expect(Promise.resolve(createJsonSchemaValidator(structuredClone(inputSchema)))).resolves.toBeDefined()
    }),
    createPropertyOptions(150),
  )
}, 60_000)
