import { expect, test } from 'vitest'
import { explainQuery } from './explain-query.js'

test.each([
  ['look-around, including look-ahead and look-behind, is not supported', 'There is no look-around'],
  ['backreferences are not supported', 'no backreferences'],
  ['repetition quantifier expects a valid decimal', 'interface\\{\\}'],
  ['repetition operator missing expression', '\\*'],
  ['unclosed group', 'main\\('],
  ['unclosed character class', 'args\\[0\\]'],
  ['the literal "\\n" is not allowed in a regex', 'multiline: true'],
])('%j gets advice', (message, advice) => {
  expect(explainQuery(message)).toContain(message)
  expect(explainQuery(message)).toContain(advice)
})

test('what is not known is passed on as it is', () => expect(explainQuery('odd')).toBe('odd'))
