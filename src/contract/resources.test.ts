import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPropertyOptions } from '../testing/property-runs.js'
import {
  getStatedResources,
  isPathResource,
  isSameResource,
  type Resource,
  SHELL_CWD,
  type ToolResources,
} from './resources.js'

const resource: fc.Arbitrary<Resource> = fc.oneof(
  fc.string({ unit: 'binary' }).map((path) => ({ path })),
  fc.string({ unit: 'binary' }).map((thing) => ({ thing })),
)
const resources: fc.Arbitrary<ToolResources> = fc.record(
  { reads: fc.array(resource), writes: fc.array(resource), unknown: fc.boolean(), network: fc.boolean() },
  { requiredKeys: [] },
)

const readStated = (answer: unknown) =>
  getStatedResources({ name: 'Sample', resources: () => answer as ToolResources }, {})

describe('the resources that a tool states', () => {
  test('are returned unchanged, except that a missing flag becomes false', () => {
    fc.assert(
      fc.property(resources, (answer) => {
        expect(readStated(answer)).toEqual({ unknown: false, network: false, isAll: false, ...answer })
      }),
      createPropertyOptions(200),
    )
  })

  test('are never parsed from a string, even one that looks like a resource', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom('db:users/1', 'todo:list', '/a')), (text) => {
        expect(() => readStated({ reads: [text] })).toThrow(TypeError)
        expect(() => readStated({ writes: [text] })).toThrow(TypeError)
      }),
      createPropertyOptions(200),
    )
  })

  test('are accepted only if every value is well formed', () => {
    fc.assert(
      fc.property(fc.anything(), (answer) => {
        const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer) && !('then' in answer)
        const { reads, writes } = (isObject ? answer : {}) as Record<string, unknown>
        const areListsValid = [reads, writes].every(
          (list) => list === undefined || (Array.isArray(list) && list.length === 0),
        )
        if (isObject && areListsValid) expect(readStated(answer)).toBeDefined()
        else if (!isObject) expect(() => readStated(answer)).toThrow(TypeError)
      }),
      createPropertyOptions(500),
    )
  })

  test.each([
    [{ reads: [{}] }],
    [{ reads: [{ path: 1 }] }],
    [{ reads: [{ path: 'a', thing: 'b' }] }],
    [{ writes: [{ thing: undefined }] }],
    [{ writes: { path: 'a' } }],
    [null],
    [undefined],
    [[{ path: 'a' }]],
  ])('are refused if they are %j', (answer) => {
    expect(() => readStated(answer)).toThrow(/^Sample: resources\(\) must/)
  })

  test('have the value true for any flag that is neither false nor left out', () => {
    expect(readStated({ unknown: null, network: 0 })).toEqual({ unknown: true, network: true, isAll: false })
  })

  test('are refused if they are a promise, and its rejection is handled', async () => {
    expect(() => readStated(Promise.reject(new Error('late')))).toThrow('not a promise')
    await new Promise(setImmediate)
  })

  test.each([
    [{ path: undefined, thing: 'x' }, false],
    [{ path: 'x', thing: undefined }, true],
  ])('keep the kind of %o, although the key of the other kind is present', (answer, isPath) => {
    const [statedResource] = readStated({ writes: [answer] })?.writes ?? []

    expect(statedResource).toBe(answer)
    expect(isPathResource(answer as unknown as Resource)).toBe(isPath)
    expect(isSameResource(answer as unknown as Resource, isPath ? { path: 'x' } : { thing: 'x' })).toBe(true)
  })

  test('are undefined for a tool without resources', () => {
    expect(getStatedResources({ name: 'Sample' }, {})).toBeUndefined()
  })
})

test('a path and a thing of the same name are different resources', () => {
  fc.assert(
    fc.property(resource, resource, (one, other) => {
      expect(isSameResource(one, one)).toBe(true)
      expect(isSameResource(one, other)).toBe(JSON.stringify(one) === JSON.stringify(other))
    }),
    createPropertyOptions(200),
  )
  expect(isSameResource({ path: 'shell:cwd' }, SHELL_CWD)).toBe(false)
  expect([isPathResource({ path: 'db:users/1' }), isPathResource({ thing: 'db:users/1' })]).toEqual([true, false])
})
