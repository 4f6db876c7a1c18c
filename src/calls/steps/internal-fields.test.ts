import { expect, test } from 'vitest'
import { extractInternalFields, stripInternalFields } from './parse-input.js'

test('an input without internal fields stays the same object', () => {
  const input = { command: 'ls' }

  expect(stripInternalFields(input)).toBe(input)
})

test('internal fields are stripped, even inherited ones', () => {
  expect(stripInternalFields({ command: 'ls', _simulatedSedEdit: 1 })).toEqual({ command: 'ls' })
  expect('_simulatedSedEdit' in stripInternalFields(Object.create({ _simulatedSedEdit: 1 }))).toBe(false)
})

test('the internal fields of an answer are returned separately', () => {
  expect(extractInternalFields({ command: 'ls', _simulatedSedEdit: 1 })).toEqual({ _simulatedSedEdit: 1 })
  expect(extractInternalFields({ command: 'ls' })).toBeUndefined()
})
