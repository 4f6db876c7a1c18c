import type { DocumentBlock, ImageBlock, ToolResultBlock, ToolResultContent } from '../../contract/messages.js'
import { blockNote } from '../../providers/block-note.js'

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const
type ImageType = (typeof IMAGE_TYPES)[number]
type UrlSource = { type: 'url'; url: string }

export type AnthropicResultContent =
  | { type: 'text'; text: string }
  | { type: 'image'; source: UrlSource | { type: 'base64'; media_type: ImageType; data: string } }
  | {
      type: 'document'
      source: UrlSource | { type: 'base64'; media_type: 'application/pdf'; data: string }
      title?: string
    }
  | { type: 'tool_reference'; tool_name: string }

/** A result as Anthropic's messages take it. */
export interface AnthropicResult {
  type: 'tool_result'
  tool_use_id: string
  content: string | AnthropicResultContent[]
  is_error?: boolean
}

/** The results as blocks of one user message. What the API would refuse the message for becomes a note. */
export function toAnthropicResults(results: readonly ToolResultBlock[]): AnthropicResult[] {
  return results.map(({ tool_use_id, content, is_error }) => ({
    type: 'tool_result',
    tool_use_id,
    content: typeof content === 'string' ? content : content.map(contentOf),
    ...(is_error !== undefined && { is_error }),
  }))
}

function contentOf(block: ToolResultContent): AnthropicResultContent {
  if (block.type === 'image') return imageOf(block)
  return block.type === 'document' ? documentOf(block) : { ...block }
}

function imageOf(block: ImageBlock): AnthropicResultContent {
  const { source } = block
  if (source.type === 'url') return { type: 'image', source: { ...source } }
  const mediaType = IMAGE_TYPES.find((type) => type === source.media_type)
  if (mediaType === undefined) return { type: 'text', text: blockNote(block) }
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: source.data } }
}

function documentOf(block: DocumentBlock): AnthropicResultContent {
  const { source, title } = block
  const named = title === undefined ? {} : { title }
  if (source.type === 'url') return { type: 'document', source: { ...source }, ...named }
  const { media_type, data } = source
  if (media_type !== 'application/pdf') return { type: 'text', text: blockNote(block) }
  return { type: 'document', source: { type: 'base64', media_type, data }, ...named }
}
