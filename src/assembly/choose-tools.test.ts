import { expect, test } from 'vitest'
import { chooseTools, UnknownToolChoiceError } from './choose-tools.js'

const tools = [{ name: 'Bash' }, { name: 'Agent', aliases: ['Task'] }, { name: 'Read' }]
const names = (choice: string, presets?: Record<string, readonly string[] | 'all'>) =>
  chooseTools(tools, choice, presets).map(({ name }) => name)

test('default is all there are', () => expect(names('default')).toEqual(['Bash', 'Agent', 'Read']))
test('names choose, in the order of the pool', () => expect(names('Read, Task')).toEqual(['Agent', 'Read']))
test('an empty choice is no tool', () => expect(names('')).toEqual([]))
test('a host adds presets of its own', () => {
  expect(names('reading', { reading: ['Read', 'Grep'] })).toEqual(['Read'])
})
test('a slip is answered with the name that was meant', () => {
  expect(() => names('Raed')).toThrow(UnknownToolChoiceError)
  expect(() => names('Raed')).toThrow('Unknown tool or preset "Raed". Did you mean Read?')
  expect(() => names('constructor')).toThrow(UnknownToolChoiceError)
})
