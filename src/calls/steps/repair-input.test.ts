import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import type { SchemaIssue } from '../../contract/schema.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { createFixtureTool } from '../fixture-host.js'
import { repairInput } from './repair-input.js'

/** A schema and values that match it. */
interface Shape {
  readonly schema: z.ZodType
  readonly values: fc.Arbitrary<unknown>
}

const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value))

const leaf: fc.Arbitrary<Shape> = fc.constantFrom(
  { schema: z.number(), values: number },
  { schema: z.int(), values: fc.maxSafeInteger().map((value) => value + 0) },
  { schema: z.boolean(), values: fc.boolean() },
  { schema: z.null(), values: fc.constant(null) },
  { schema: z.literal([1, 2, 3]), values: fc.constantFrom(1, 2, 3) },
  { schema: z.union([z.number(), z.boolean()]), values: fc.oneof(number, fc.boolean()) },
)

const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    tie('shape').map(({ schema, values }) => ({ schema: z.array(schema), values: fc.array(values, { maxLength: 4 }) })),
    tie('shape').map(({ schema, values }) => ({ schema: schema.nullable(), values: fc.option(values) })),
    fc.tuple(tie('shape'), tie('shape')).map(([a, b]) => ({
      schema: z.tuple([a.schema, b.schema]),
      values: fc.tuple(a.values, b.values),
    })),
    tie('shape').map(({ schema, values }) => ({
      schema: z.record(z.string(), schema),
      values: fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), values, { noNullPrototype: true }),
    })),
    fc.tuple(tie('shape'), tie('shape'), fc.boolean()).map(([a, b, isStrict]) => ({
      schema: (isStrict ? z.strictObject : z.object)({ a: a.schema, b: b.schema.optional(), name: z.string() }),
      values: fc.record({ a: a.values, b: b.values, name: fc.string() }, { requiredKeys: ['a', 'name'] }),
    })),
  ),
}))

const schemaAndValue = shape.chain(({ schema, values }) =>
  fc.record({ schema: fc.constant(z.strictObject({ value: schema, text: z.string() })), value: values }),
)

/** The paths of all values that are not strings. */
function listPaths(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value === 'string') return []
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, part]) => listPaths(part, [...path, key]))]
}

function stringifyAt(value: unknown, [key, ...remainingKeys]: readonly string[]): unknown {
  if (key === undefined) return JSON.stringify(value)
  const copy = structuredClone(value) as Record<string, unknown>
  copy[key] = stringifyAt(copy[key], remainingKeys)
  return copy
}

const repair = async (schema: z.ZodObject, input: unknown) => {
  const { error } = schema.safeParse(input)
  const tool = createFixtureTool({ inputSchema: schema })
  return repairInput(tool, input, (error?.issues ?? []) as readonly SchemaIssue[])
}

test('a value sent as JSON text is repaired at any path of any schema', async () => {
  await fc.assert(
    fc.asyncProperty(schemaAndValue, fc.nat(), async ({ schema, value }, position) => {
      const input = { value, text: 'unchanged' }
      const paths = listPaths(input)
      const sentInput = stringifyAt(input, paths[position % paths.length] ?? [])

      expect((await repair(schema, sentInput))?.value).toEqual(input)
    }),
    createPropertyOptions(),
  )
})

test('JSON text inside JSON text is repaired', async () => {
  await fc.assert(
    fc.asyncProperty(schemaAndValue, fc.nat(), async ({ schema, value }, position) => {
      const input = { value, text: 'unchanged' }
      const innerPaths = listPaths(input).filter((path) => path.length > 1)
      fc.pre(innerPaths.length > 0)
      const sentInput = stringifyAt(stringifyAt(input, innerPaths[position % innerPaths.length] ?? []), ['value'])

      expect((await repair(schema, sentInput))?.value).toEqual(input)
    }),
    createPropertyOptions(),
  )
})

test('a repair does not modify the original input', async () => {
  await fc.assert(
    fc.asyncProperty(schemaAndValue, fc.nat(), async ({ schema, value }, position) => {
      const paths = listPaths({ value })
      const sentInput = {
        ...(stringifyAt({ value }, paths[(position % (paths.length - 1)) + 1] ?? []) as object),
        text: 't',
      }
      const originalInput = structuredClone(sentInput)

      await repair(schema, sentInput)

      expect(sentInput).toEqual(originalInput)
    }),
    createPropertyOptions(),
  )
})

test('an input is not repaired if decoding its JSON text does not make it valid', async () => {
  const schema = z.strictObject({ limit: z.number(), colour: z.enum(['red', 'blue']) })

  expect(await repair(schema, { limit: 'many', colour: 'red' })).toBeUndefined()
  expect(await repair(schema, { limit: '5', colour: 'green' })).toBeUndefined()
})

test('a string is not repaired if decoding it loses precision', async () => {
  const schema = z.strictObject({ id: z.number() })

  expect(await repair(schema, { id: '12345678901234567891' })).toBeUndefined()
  expect(await repair(schema, { id: '1e999' })).toBeUndefined()
})

test('a value inside a union of objects is repaired', async () => {
  const schema = z.strictObject({
    target: z.union([z.strictObject({ line: z.number() }), z.strictObject({ from: z.number(), to: z.number() })]),
  })

  expect(await repair(schema, { target: { from: '1', to: '2' } })).toEqual({
    value: { target: { from: 1, to: 2 } },
    paths: ['target.from', 'target.to'],
  })
})

test('a list of a hundred thousand encoded numbers is repaired', async () => {
  const schema = z.strictObject({ list: z.array(z.number()) })
  const list = Array.from({ length: 100_000 }, (_, index) => String(index))

  expect((await repair(schema, { list }))?.value).toEqual({ list: list.map(Number) })
})

test('a repair does not modify a prototype', async () => {
  const schema = z.object({}).catchall(z.number())
  const sentInput = JSON.parse('{"__proto__":"{\\"polluted\\":1}","a":"1"}')

  const repairedInput = await repair(schema, sentInput)

  expect((repairedInput?.value as { polluted?: unknown } | undefined)?.polluted).toBeUndefined()
})
