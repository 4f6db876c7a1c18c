import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { ToolDefinitionError } from '../errors.js'
import { buildTool } from './build-tool.js'
import { checkTool } from './check-tool.js'

const validDefinition = { name: 'Good', description: 'd', inputSchema: z.object({}), call: async () => ({ data: 1 }) }

/** Builds a tool without type checks, as JavaScript code does. */
function build(changes: object): unknown {
  return buildTool({ ...validDefinition, ...changes } as typeof validDefinition)
}

function getProblem(changes: object): ToolDefinitionError {
  try {
    build(changes)
  } catch (error) {
    if (error instanceof ToolDefinitionError) return error
    throw error
  }
  throw new Error('the definition was accepted')
}

test('a valid tool definition is accepted', () => expect(build({})).toMatchObject({ name: 'Good' }))

describe('an invalid definition is rejected with an error that names the tool and the member', () => {
  test.each([
    ['name_invalid', 'name', { name: 'two words' }],
    ['name_invalid', 'name', { name: '' }],
    ['name_invalid', 'name', { name: 'a'.repeat(65) }],
    ['name_invalid', 'name', { name: 'naïve' }],
    ['name_invalid', 'name', { name: 'Bash\n' }],
    ['member_missing', 'name', { name: undefined }],
    ['member_missing', 'name', { name: 7 }],
    ['name_invalid', 'aliases', { aliases: ['fine', 'not fine'] }],
    ['member_invalid', 'aliases', { aliases: 'Old' }],
    ['member_missing', 'call', { call: undefined }],
    ['member_invalid', 'call', { call: 'later' }],
    ['member_missing', 'description', { description: undefined }],
    ['member_invalid', 'description', { description: 7 }],
    ['member_invalid', 'isReadOnly', { isReadOnly: true }],
    ['member_invalid', 'isConcurrencySafe', { isConcurrencySafe: 'yes' }],
    ['member_invalid', 'validateInput', { validateInput: {} }],
    ['member_invalid', 'preparePermissionMatcher', { preparePermissionMatcher: 'x' }],
    ['member_invalid', 'maxResultSizeChars', { maxResultSizeChars: Number.NaN }],
    ['member_invalid', 'maxResultSizeChars', { maxResultSizeChars: 0 }],
    ['member_invalid', 'maxResultSizeChars', { maxResultSizeChars: '10' }],
    ['member_invalid', 'needs', { needs: ['disk'] }],
    ['member_invalid', 'needs', { needs: 'files' }],
    ['member_invalid', 'inputSchema', { inputSchema: { type: 'object' } }],
    ['member_invalid', 'inputSchema', { inputSchema: null }],
    ['member_invalid', 'outputSchema', { outputSchema: 'text' }],
    ['schema_not_object', 'inputJSONSchema', { inputJSONSchema: { type: 'string' } }],
    ['schema_not_object', 'inputJSONSchema', { inputJSONSchema: null }],
    ['member_invalid', 'mcpInfo', { isMcp: true }],
    ['member_invalid', 'mcpInfo', { isMcp: true, mcpInfo: { serverName: 'x' } }],
    ['member_invalid', 'mcpInfo', { isMcp: true, mcpInfo: null }],
    ['member_invalid', 'isMcp', { mcpInfo: { serverName: 'x', toolName: 'y' } }],
    ['member_invalid', 'aliases', { isMcp: true, mcpInfo: { serverName: 'x', toolName: 'y' }, aliases: ['Bash'] }],
    ['member_invalid', 'inputSchema', { inputSchema: { '~standard': null } }],
  ])('with code %s and member %s for %j', (code, member, changes) => {
    const problem = getProblem(changes)
    const expectedName = 'name' in changes ? (typeof changes.name === 'string' ? changes.name : '(no name)') : 'Good'
    expect({ code: problem.code, member: problem.member, tool: problem.toolName }).toEqual({
      code,
      member,
      tool: expectedName,
    })
    expect(problem.message).toContain(JSON.stringify(expectedName))
    expect(problem.message).toContain(member)
  })
})

test('a tool definition with an infinite maxResultSizeChars is accepted', () =>
  expect(build({ maxResultSizeChars: Number.POSITIVE_INFINITY })).toBeDefined())

describe('a tool definition with inherited members is rejected', () => {
  class GuardedTool {
    name = 'Guarded'
    description = 'd'
    inputSchema = z.object({})
    call = async () => ({ data: 1 })
    checkPermissions() {
      return { behavior: 'deny', message: 'never' } as const
    }
  }

  test.each([
    ['an instance of a class', () => buildTool(new GuardedTool())],
    ['an object that inherits', () => buildTool(Object.create(validDefinition))],
    ['an object with a __proto__ member', () => buildTool(JSON.parse('{"name":"P","__proto__":{"alwaysLoad":true}}'))],
  ])('if it is %s', (_, build) => {
    expect(build).toThrow(expect.objectContaining({ name: 'ToolDefinitionError', member: 'definition' }))
  })
})

test('checking any object as a tool definition throws nothing but a ToolDefinitionError', () => {
  const member = fc.constantFrom(
    'name',
    'aliases',
    'call',
    'needs',
    'inputSchema',
    'inputJSONSchema',
    'mcpInfo',
    'isMcp',
    'maxResultSizeChars',
    'prompt',
  )
  const value = fc.oneof(
    fc.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true }),
    fc.constant(Symbol('x')),
  )
  fc.assert(
    fc.property(fc.dictionary(member, value), (changes) => {
      try {
        checkTool({ ...buildTool(validDefinition), ...changes })
      } catch (error) {
        expect(error).toBeInstanceOf(ToolDefinitionError)
      }
    }),
    createPropertyOptions(500),
  )
})

test('a JSON Schema as inputSchema is refused with the member to use instead', () => {
  const definition = { ...validDefinition, inputSchema: { type: 'object', properties: {} } }
  expect(() => buildTool(definition as never)).toThrow(/inputSchema is a JSON Schema; pass it as inputJSONSchema/)
})
