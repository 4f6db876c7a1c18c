import type Anthropic from '@anthropic-ai/sdk'
import { expect, test } from 'vitest'
import type { ToolResultBlock, ToolResultContent } from '../../contract/messages.js'
import { toHostName } from '../common/sendable-request.js'
import { toAnthropicResults, toAnthropicTools } from './to-anthropic-messages.js'

test('tool definitions are sent to Anthropic’s API unchanged', () => {
  const definition = {
    name: 'Add',
    description: 'Adds',
    input_schema: { type: 'object', properties: {} },
    strict: true,
  }

  const tools: Anthropic.Tool[] = toAnthropicTools([definition])

  expect(tools).toEqual([definition])
})

test('tool results are sent unchanged, except for content that Anthropic’s API would reject', () => {
  const createImage = (media_type: string): ToolResultContent => {
    return { type: 'image', source: { type: 'base64', media_type, data: 'AAAA' } }
  }
  const createDocument = (media_type: string): ToolResultContent => {
    return { type: 'document', source: { type: 'base64', media_type, data: 'AAAA' }, title: 'Title' }
  }
  const acceptedContent: readonly ToolResultContent[] = [
    { type: 'text', text: 'text' },
    createImage('image/png'),
    createDocument('application/pdf'),
    { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
    { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
    { type: 'tool_reference', tool_name: 'Later' },
  ]
  const rejectedContent = [createImage('image/svg+xml'), createDocument('text/csv')]
  const results: ToolResultBlock[] = [
    { type: 'tool_result', tool_use_id: 'a', content: 'broken', is_error: true },
    { type: 'tool_result', tool_use_id: 'b', content: [...acceptedContent, ...rejectedContent] },
  ]

  const blocks: Anthropic.ToolResultBlockParam[] = toAnthropicResults(results)

  expect(blocks).toEqual([
    results[0],
    {
      type: 'tool_result',
      tool_use_id: 'b',
      content: [
        ...acceptedContent,
        { type: 'text', text: '[image of type image/svg+xml: cannot be shown here]' },
        { type: 'text', text: '[document of type text/csv: cannot be shown here]' },
      ],
    },
  ])
})

test('tools whose names differ only in characters that the API refuses stay different, and can be found again', () => {
  const definitions = ['a.b', 'a_b', 'a b', 'x'.repeat(80), 'x'.repeat(81)].map((name) => ({
    name,
    description: '',
    input_schema: { type: 'object' as const },
  }))

  const names = toAnthropicTools(definitions).map(({ name }) => name)

  expect(new Set(names).size).toBe(definitions.length)
  expect(names.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true)
  expect(names.map((name) => toHostName(name, definitions))).toEqual(definitions.map(({ name }) => name))
  expect(toHostName('unknown', definitions)).toBe('unknown')
})
