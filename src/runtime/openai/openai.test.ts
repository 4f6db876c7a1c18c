import { describe, expect, test } from 'vitest'
import type { ToolResultBlock } from '../../contract/messages.js'
import { toOpenAITools } from '../../providers/openai/to-chat-messages.js'
import { fromOpenAIToolCalls } from './from-openai-tool-calls.js'
import { toOpenAIToolMessages } from './to-openai-tool-messages.js'

test('a tool definition becomes a function without strict mode', () => {
  const definition = {
    name: 'Add',
    description: 'Adds',
    input_schema: { type: 'object', properties: { a: {} } },
    strict: true,
  }

  expect(toOpenAITools([definition])).toEqual([
    {
      type: 'function',
      function: { name: 'Add', description: 'Adds', parameters: { type: 'object', properties: { a: {} } } },
    },
  ])
})

describe('a tool call', () => {
  test.each([
    ['{"a":1}', { a: 1 }],
    ['', {}],
    ['  ', {}],
    ['{"a":', '{"a":'],
    ['null', null],
    ['"text"', 'text'],
  ])('converts the arguments %j to the input %j', (text, input) => {
    const call = { id: 'call_1', type: 'function', function: { name: 'Add', arguments: text } } as const

    expect(fromOpenAIToolCalls([call])).toEqual([{ type: 'tool_use', id: 'call_1', name: 'Add', input }])
  })

  test('is converted if its type is custom, and a missing list of calls yields no calls', () => {
    const customCall = { id: 'call_2', type: 'custom', custom: { name: 'Shell', input: 'ls' } } as const

    expect(fromOpenAIToolCalls([customCall])).toEqual([{ type: 'tool_use', id: 'call_2', name: 'Shell', input: 'ls' }])
    expect([fromOpenAIToolCalls(undefined), fromOpenAIToolCalls(null)]).toEqual([[], []])
  })
})

test('a result becomes text: errors get a prefix, and blocks other than text become placeholders', () => {
  const results: ToolResultBlock[] = [
    { type: 'tool_result', tool_use_id: 'a', content: 'fine' },
    { type: 'tool_result', tool_use_id: 'b', content: 'broken', is_error: true },
    {
      type: 'tool_result',
      tool_use_id: 'c',
      content: [
        { type: 'text', text: 'a picture:' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
        { type: 'tool_reference', tool_name: 'Later' },
      ],
    },
  ]

  expect(toOpenAIToolMessages(results)).toEqual([
    { role: 'tool', tool_call_id: 'a', content: 'fine' },
    { role: 'tool', tool_call_id: 'b', content: 'Error: broken' },
    {
      role: 'tool',
      tool_call_id: 'c',
      content:
        'a picture:\n[image of type image/png: cannot be shown here]\n[document at https://example.com/a.pdf]\n[tool Later]',
    },
  ])
})
