import type Anthropic from '@anthropic-ai/sdk'
import { expect, test } from 'vitest'
import type { ToolResultBlock, ToolResultContent } from '../../contract/messages.js'
import { toAnthropicResults, toAnthropicTools } from './to-anthropic-messages.js'

test('definitions go as they are, in the types of the SDK', () => {
  const definition = {
    name: 'Add',
    description: 'Adds',
    input_schema: { type: 'object', properties: {} },
    strict: true,
  }

  const tools: Anthropic.Tool[] = toAnthropicTools([definition])

  expect(tools).toEqual([definition])
})

test('results go as they are, but for what the API would refuse the whole message for', () => {
  const image = (media_type: string): ToolResultContent => {
    return { type: 'image', source: { type: 'base64', media_type, data: 'AAAA' } }
  }
  const document = (media_type: string): ToolResultContent => {
    return { type: 'document', source: { type: 'base64', media_type, data: 'AAAA' }, title: 'Title' }
  }
  const kept: readonly ToolResultContent[] = [
    { type: 'text', text: 'text' },
    image('image/png'),
    document('application/pdf'),
    { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
    { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
    { type: 'tool_reference', tool_name: 'Later' },
  ]
  const refused = [image('image/svg+xml'), document('text/csv')]
  const results: ToolResultBlock[] = [
    { type: 'tool_result', tool_use_id: 'a', content: 'broken', is_error: true },
    { type: 'tool_result', tool_use_id: 'b', content: [...kept, ...refused] },
  ]

  const blocks: Anthropic.ToolResultBlockParam[] = toAnthropicResults(results)

  expect(blocks).toEqual([
    results[0],
    {
      type: 'tool_result',
      tool_use_id: 'b',
      content: [
        ...kept,
        { type: 'text', text: '[image, image/svg+xml, which cannot be shown here]' },
        { type: 'text', text: '[document, text/csv, which cannot be shown here]' },
      ],
    },
  ])
})
