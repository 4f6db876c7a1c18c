import { expect, test } from 'vitest'
import { createJsonSchemaValidator } from '../../shared/json-schema-validator.js'
import { findRenamingProblem, renameProperties } from './property-names.js'

test('nested property names that providers reject are left alone', () => {
  const schema = { type: 'object', properties: { sort: { properties: { $meta: {} } }, limit: { type: 'number' } } }

  expect(renameProperties(schema)).toBeUndefined()
  expect(findRenamingProblem(schema)).toBeUndefined()
})

test('root property names that providers reject are renamed without collisions, and restored in arguments', () => {
  const schema = {
    type: 'object',
    properties: { 'Start<': { type: 'string' }, 'Start>': {}, Start_: {}, '': {}, ['x'.repeat(70)]: {} },
    required: ['Start<', 'Start_'],
    dependentRequired: { 'Start<': ['Start>'] },
    anyOf: [{ required: ['Start>'] }, { properties: { 'Start<': { minLength: 1 } } }],
  }

  const renamed = renameProperties(schema)

  expect(renamed?.schema).toEqual({
    type: 'object',
    properties: { Start__2: { type: 'string' }, Start__3: {}, Start_: {}, _: {}, ['x'.repeat(64)]: {} },
    required: ['Start__2', 'Start_'],
    dependentRequired: { Start__2: ['Start__3'] },
    anyOf: [{ required: ['Start__3'] }, { properties: { Start__2: { minLength: 1 } } }],
  })
  expect(renamed?.restore({ Start__2: 'a', Start__3: 'b', Start_: 'c', other: 1 })).toEqual({
    'Start<': 'a',
    'Start>': 'b',
    Start_: 'c',
    other: 1,
  })
})

test('arguments that fit the renamed schema fit the original schema after they are restored', async () => {
  const schema = {
    type: 'object',
    properties: { $where: { type: 'string' } },
    required: ['$where'],
    additionalProperties: false,
  }
  const renamed = renameProperties(schema)
  const validateRenamed = await createJsonSchemaValidator(renamed?.schema ?? {})
  const validateOriginal = await createJsonSchemaValidator(schema)

  expect(validateRenamed({ _where: 'x' })).not.toHaveProperty('issues')
  expect(validateOriginal(renamed?.restore({ _where: 'x' }))).not.toHaveProperty('issues')
  expect(validateRenamed({})).toHaveProperty('issues')
})

test.each([
  [{ patternProperties: { '^\\$': {} } }, 'the schema uses patternProperties'],
  [{ allOf: [{ propertyNames: {} }] }, 'the schema uses propertyNames'],
  [{ properties: { $a: {}, child: { $ref: '#' } } }, 'another part of the schema refers to it'],
  [{ properties: { $a: {}, child: { $ref: '#/properties/$a' } } }, 'another part of the schema refers to it'],
])('a name is not changed in a schema with %j', (part, reason) => {
  expect(findRenamingProblem({ type: 'object', properties: { $a: {} }, ...part })).toContain(reason)
})

test('references to definitions do not keep a name from being changed', () => {
  const schema = { type: 'object', properties: { $a: { $ref: '#/$defs/b' } }, $defs: { b: {} } }

  expect(findRenamingProblem(schema)).toBeUndefined()
})
