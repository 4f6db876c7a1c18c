import * as z from 'zod'

/** Creates the schemas of content blocks in the format of the Anthropic Messages API. */
export function createContentSchemas() {
  const text = z.object({ type: z.literal('text'), text: z.string() })
  const source = z.union([
    z.object({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
    z.object({ type: z.literal('url'), url: z.string() }),
  ])
  const image = z.object({ type: z.literal('image'), source })
  const document = z.object({ type: z.literal('document'), source, title: z.string().exactOptional() })
  const toolUse = z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown() })
  const toolResult = z.object({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    content: z.union([
      z.string(),
      z.array(z.union([text, image, document, z.object({ type: z.literal('tool_reference'), tool_name: z.string() })])),
    ]),
    is_error: z.boolean().exactOptional(),
  })
  const thinking = z.object({
    type: z.literal('thinking'),
    thinking: z.string(),
    signature: z.string().exactOptional(),
    id: z.string().exactOptional(),
  })
  const redactedThinking = z.object({ type: z.literal('redacted_thinking'), data: z.string() })
  return { text, image, document, toolUse, toolResult, thinking, redactedThinking }
}
