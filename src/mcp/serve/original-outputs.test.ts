import { expect, test } from 'vitest'
import { MCPTool } from '../tools/build-mcp-tool.js'
import { type OriginalOutput, OriginalOutputs } from './original-outputs.js'

const TEXT_BLOCK = { type: 'text', text: 'Done.' }

/** Returns the original output of a call whose result was not changed. */
function keepOutput(output: OriginalOutput): OriginalOutput | undefined {
  const outputs = new OriginalOutputs()
  const [tool] = outputs.wrapTools([MCPTool])
  const block = tool?.mapToolResultToToolResultBlockParam(output, 'call')
  return block && outputs.take(block)
}

test('structured content is kept together with the text', () => {
  const output = { content: [TEXT_BLOCK], structuredContent: { rows: ['one'] } }

  expect(keepOutput(output)).toEqual(output)
})

test('structured content that exceeds the size limit is omitted', () => {
  const rows = Array.from({ length: 100 }, () => 'x'.repeat(1_000))

  expect(keepOutput({ content: [TEXT_BLOCK], structuredContent: { rows } })).toEqual({
    content: [TEXT_BLOCK, { type: 'text', text: expect.stringContaining('is omitted') }],
  })
})
