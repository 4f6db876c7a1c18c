import { expect, test } from 'vitest'
import { findToolByName, toolMatchesName } from './identity.js'

const agent = { name: 'Agent', aliases: ['Task'] }
const task = { name: 'Task' }

test('a tool matches its name and aliases, case-sensitively', () => {
  expect(['Agent', 'Task', 'agent'].map((name) => toolMatchesName(agent, name))).toEqual([true, true, false])
})

test('a tool is found by an alias', () => expect(findToolByName([agent], 'Task')).toBe(agent))

test('a name takes precedence over an alias, even if the tool with the alias comes first', () =>
  expect(findToolByName([agent, task], 'Task')).toBe(task))

test('an unknown name is not found', () => expect(findToolByName([agent], 'toString')).toBeUndefined())
