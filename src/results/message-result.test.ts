import { expect, test } from 'vitest'
import { type ToolResultBlock, textResult } from '../contract/messages.js'
import { describeEmptyResult } from './message-result.js'

const NO_OUTPUT = '(The call succeeded and had no output.)'

test('an empty result of any form is replaced by a description', () => {
  const emptyContents: ToolResultBlock['content'][] = ['', [], [{ type: 'text', text: '' }]]

  const descriptions = emptyContents.map((content) => describeEmptyResult({ ...textResult('a', ''), content }))

  expect(descriptions).toEqual(emptyContents.map(() => textResult('a', NO_OUTPUT)))
})

test('an empty error result stays an error', () => {
  expect(describeEmptyResult({ ...textResult('a', ''), is_error: true })).toEqual({
    ...textResult('a', '(The call failed and had no output.)'),
    is_error: true,
  })
})

test('a result of only white space is replaced by a description', () => {
  expect(describeEmptyResult(textResult('a', ' \n'))).toEqual(
    textResult('a', '(The call succeeded and its output is only white space.)'),
  )
})

test('a result with content is unchanged', () => {
  const image: ToolResultBlock = {
    ...textResult('b', ''),
    content: [{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }],
  }
  const text = textResult('a', ' x')

  expect(describeEmptyResult(image)).toBe(image)
  expect(describeEmptyResult(text)).toBe(text)
})

test('describing an empty result again changes nothing', () => {
  const description = describeEmptyResult(textResult('a', ''))

  expect(describeEmptyResult(description)).toBe(description)
})
