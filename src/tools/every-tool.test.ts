import { existsSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { type JsonSchema, LazySchema } from '../contract/schema.js'
import { isDeferredTool } from '../contract/tool/deferred-tools.js'
import { inputJSONSchemaOf } from '../contract/tool/input-json-schema.js'
import { renderPlainText } from '../views/plain-text.js'
import { builtInTools } from './index.js'

const schemas = vi.hoisted(() => ({ count: 0 }))

// Counts every schema that Zod builds, to prove that importing the tools builds none.
vi.mock('zod', async (importOriginal) => {
  const zod = await importOriginal<Record<string, unknown>>()
  const countedFunctions = Object.entries(zod).map(([name, member]) => [
    name,
    typeof member === 'function' && /^[a-z]/.test(name)
      ? (...args: unknown[]) => {
          schemas.count++
          return member(...args)
        }
      : member,
  ])
  return Object.fromEntries(countedFunctions)
})

const countAfterImport = schemas.count

test('importing the tools builds no schema', () => {
  expect(countAfterImport).toBe(0)
  expect(inputJSONSchemaOf(builtInTools[0] as (typeof builtInTools)[number])).toBeDefined()
  expect(schemas.count).toBeGreaterThan(0)
})

describe.each(builtInTools.map((tool) => [tool.name, tool] as const))('%s', (name, tool) => {
  const schema = inputJSONSchemaOf(tool)

  test('is in the folder of its name', () => {
    expect(existsSync(new URL(`./${toKebabCase(name)}/tool.ts`, import.meta.url))).toBe(true)
  })

  test('has lazy schemas for input and output', () => {
    expect(tool.inputSchema).toBeInstanceOf(LazySchema)
    expect(tool.outputSchema).toBeInstanceOf(LazySchema)
  })

  test('describes every parameter and refuses any other', () => {
    expect(findUndescribedParameters(schema)).toEqual([])
    expect(schema.additionalProperties).toBe(false)
  })

  test('has a search hint if it is deferred', () => {
    if (isDeferredTool(tool)) expect(tool.searchHint?.split(' ').length).toBeGreaterThanOrEqual(3)
  })

  test('has a search hint of three to ten words, or none', () => {
    const words = tool.searchHint?.split(' ').length ?? 3
    expect(words >= 3 && words <= 10).toBe(true)
  })

  test('can be rendered while its input is incomplete', () => {
    for (const prefix of createPartialInputs(schema)) {
      expect(() => renderPlainText(tool.renderToolUseMessage(prefix, { verbose: false }))).not.toThrow()
      expect(typeof tool.userFacingName(prefix)).toBe('string')
    }
  })
})

function toKebabCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
}

/** Returns the paths of all parameters without a description, at any depth. */
function findUndescribedParameters(schema: JsonSchema, path = ''): string[] {
  const items = schema.items === undefined ? [] : findUndescribedParameters(schema.items as JsonSchema, `${path}[]`)
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  return properties
    .flatMap(([name, property]) => {
      const propertyPath = `${path}.${name}`
      return [...(property.description ? [] : [propertyPath]), ...findUndescribedParameters(property, propertyPath)]
    })
    .concat(items)
}

/**
 * Returns inputs as they occur while arguments are streamed: each parameter may be missing, truncated, empty or of another
 * type.
 */
function createPartialInputs(schema: JsonSchema): Record<string, unknown>[] {
  const names = Object.keys((schema.properties ?? {}) as object)
  const prefixes: Record<string, unknown>[] = [{}]
  for (const [index, name] of names.entries()) {
    const wholeInputs = Object.fromEntries(names.slice(0, index).map((each) => [each, 'whole']))
    for (const value of ['', 'cu', null, 0, [], [{}], [null], {}]) prefixes.push({ ...wholeInputs, [name]: value })
  }
  return prefixes
}
