import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { splitRules } from './settings-options.js'

test.each([
  [['Read,Edit Bash'], ['Read', 'Edit', 'Bash']],
  [
    ['Bash(git add, commit),Read(a b.txt)', ' Edit '],
    ['Bash(git add, commit)', 'Read(a b.txt)', 'Edit'],
  ],
  [['Bash(echo (a, b) c) Read'], ['Bash(echo (a, b) c)', 'Read']],
  [['', ' , '], []],
  [['Bash(open, Read'], ['Bash(open, Read']],
  [['Read) Edit'], ['Read)', 'Edit']],
])('the option values %j are split into the rules %j', (optionValues, rules) => {
  expect(splitRules(optionValues)).toEqual(rules)
})

test('permission rules joined by commas or spaces are split into the same rules', () => {
  const name = fc.stringMatching(/^[A-Za-z]{1,8}$/)
  const content = fc.stringMatching(/^[a-z ,*:/]{1,12}$/)
  const rule = fc.oneof(
    name,
    fc.tuple(name, content).map(([tool, ruleContent]) => `${tool}(${ruleContent})`),
  )
  fc.assert(
    fc.property(fc.array(rule), fc.constantFrom(',', ' ', ', '), (rules, separator) => {
      expect(splitRules([rules.join(separator)])).toEqual(rules)
    }),
    createPropertyOptions(),
  )
})
