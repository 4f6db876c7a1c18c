import type { DocumentBlock, ImageBlock, ToolResultContent } from '../../contract/messages.js'
import { blockNote } from '../block-note.js'

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const
type ImageType = (typeof IMAGE_TYPES)[number]
type UrlSource = { type: 'url'; url: string }

type AnthropicText = { type: 'text'; text: string }
type AnthropicImage = {
  type: 'image'
  source: UrlSource | { type: 'base64'; media_type: ImageType; data: string }
}
type AnthropicDocument = {
  type: 'document'
  source: UrlSource | { type: 'base64'; media_type: 'application/pdf'; data: string }
  title?: string
}

export type AnthropicContent = AnthropicText | AnthropicImage | AnthropicDocument
export type AnthropicResultContent = AnthropicContent | { type: 'tool_reference'; tool_name: string }

/** What the API would refuse the message for becomes a note. */
export function toAnthropicContent(block: ToolResultContent): AnthropicResultContent {
  if (block.type === 'tool_reference') return { ...block }
  return toAnthropicUserContent(block)
}

export function toAnthropicUserContent(
  block: Exclude<ToolResultContent, { type: 'tool_reference' }>,
): AnthropicContent {
  if (block.type === 'image') return imageOf(block)
  return block.type === 'document' ? documentOf(block) : { ...block }
}

function imageOf(block: ImageBlock): AnthropicText | AnthropicImage {
  const { source } = block
  if (source.type === 'url') return { type: 'image', source: { ...source } }
  const mediaType = IMAGE_TYPES.find((type) => type === source.media_type)
  if (mediaType === undefined) return { type: 'text', text: blockNote(block) }
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: source.data } }
}

function documentOf(block: DocumentBlock): AnthropicText | AnthropicDocument {
  const { source, title } = block
  const named = title === undefined ? {} : { title }
  if (source.type === 'url') return { type: 'document', source: { ...source }, ...named }
  const { media_type, data } = source
  if (media_type !== 'application/pdf') return { type: 'text', text: blockNote(block) }
  return { type: 'document', source: { type: 'base64', media_type, data }, ...named }
}
