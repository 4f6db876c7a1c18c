import { expect, test } from 'vitest'
import * as z from 'zod'
import { lazySchema } from './schema.js'

test('a lazy schema is built once, on first use', () => {
  let buildCount = 0
  const schema = lazySchema(() => {
    buildCount++
    return z.object({ a: z.string() })
  })

  expect(buildCount).toBe(0)
  expect(schema['~standard'].validate({ a: 'x' })).toEqual({ value: { a: 'x' } })
  expect(schema.schema.safeParse({ a: 1 }).success).toBe(false)
  expect(buildCount).toBe(1)
})

test('lazy schemas may refer to each other before both are defined', () => {
  const tree: { schema: z.ZodType } = lazySchema(() => z.object({ leaf: leaf.schema }))
  const leaf = lazySchema(() => z.string())

  expect(tree.schema.safeParse({ leaf: 'x' }).success).toBe(true)
})

test('a lazy schema that needs itself throws an error instead of overflowing the stack', () => {
  const self: { schema: z.ZodType } = lazySchema(() => z.object({ self: self.schema }))

  expect(() => self.schema).toThrow('refers to itself')
})

test('the factory of a lazy schema is called again after it failed', () => {
  let attempts = 0
  const schema = lazySchema(() => {
    if (attempts++ === 0) throw new Error('not yet')
    return z.string()
  })

  expect(() => schema.schema).toThrow('not yet')
  expect(schema.schema.safeParse('x').success).toBe(true)
})
