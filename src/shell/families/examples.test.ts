import { describe, expect, test } from 'vitest'
import { checkCommand } from '../check-command.js'
import { FAMILIES, findSpec } from '../families.js'
import { knownWord } from '../shell-word.js'

const SPECS = FAMILIES.flat()
const names = SPECS.flatMap((spec) => spec.names.split(' '))

test('a program stands in one table only', () => {
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

/** Enough of the shell for the examples: words, quotes and an input that is redirected. */
function wordsOf(example: string): readonly string[] {
  const words = example.replace(/\s*<\s*\S+$/, '').match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []
  return words.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'))
}

describe.each(SPECS.filter(({ checker, examples }) => checker === undefined && examples.length > 0))(
  '$names',
  (spec) => {
    test.each(spec.examples.filter((example) => !/[|;&$]/.test(example)))('%s only reads', (example) => {
      const [program = '', ...words] = wordsOf(example)
      const found = findSpec(program)

      expect(found).toBe(spec)
      expect(checkCommand(spec, words.map(knownWord)).problems).toEqual([])
    })
  },
)
