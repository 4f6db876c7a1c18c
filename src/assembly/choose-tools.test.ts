import { expect, test } from 'vitest'
import { chooseTools, UnknownToolChoiceError } from './choose-tools.js'

const tools = [{ name: 'Bash' }, { name: 'Agent', aliases: ['Task'] }, { name: 'Read' }]
const names = (choice: string, presets?: Record<string, readonly string[] | 'all'>) =>
  chooseTools(tools, choice, presets).map(({ name }) => name)

test('the preset "default" selects all tools', () => expect(names('default')).toEqual(['Bash', 'Agent', 'Read']))
test('names select tools in the order of the pool', () => expect(names('Read, Task')).toEqual(['Agent', 'Read']))
test('an empty choice selects no tools', () => expect(names('')).toEqual([]))
test('a host can define presets', () => {
  expect(names('reading', { reading: ['Read', 'Grep'] })).toEqual(['Read'])
})
test('an unknown name throws an error that suggests a similar name', () => {
  expect(() => names('Raed')).toThrow(UnknownToolChoiceError)
  expect(() => names('Raed')).toThrow('Unknown tool or preset "Raed". Did you mean Read?')
  expect(() => names('constructor')).toThrow(UnknownToolChoiceError)
})
