import { expect, test } from 'vitest'
import { findToolByName, toolMatchesName } from './identity.js'

const agent = { name: 'Agent', aliases: ['Task'] }
const task = { name: 'Task' }

test('a tool answers to its name and its aliases, in their own letter case', () => {
  expect(['Agent', 'Task', 'agent'].map((name) => toolMatchesName(agent, name))).toEqual([true, true, false])
})

test('a tool is found by an alias', () => expect(findToolByName([agent], 'Task')).toBe(agent))

test('a name beats an alias wherever it stands', () => expect(findToolByName([agent, task], 'Task')).toBe(task))

test('what nobody is called is not found', () => expect(findToolByName([agent], 'toString')).toBeUndefined())
