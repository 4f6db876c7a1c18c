import type { ToolResultContent } from '../../contract/messages.js'
import { isRecord } from '../../shared/is-record.js'
import { plainOutput } from '../../shared/plain-output.js'
import { plainLine } from './plain-line.js'

/** Image types that models accept. */
const IMAGE_TYPES: ReadonlySet<unknown> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/
const MAX_FIELD_CHARS = 500

/** Converts the content of a server to the block types that models accept. Other content is described in text. */
export function resultContent(blocks: readonly unknown[], structuredContent: unknown): readonly ToolResultContent[] {
  const content = blocks.map(readBlock)
  if (content.length > 0 || structuredContent === undefined) return content
  return [text(JSON.stringify(structuredContent))]
}

/** Converts the content to text, for error messages. */
export function resultText(blocks: readonly unknown[], structuredContent: unknown): string {
  return resultContent(blocks, structuredContent)
    .map((each) => (each.type === 'text' ? each.text : `[${each.type}]`))
    .join('\n')
}

function readBlock(block: unknown): ToolResultContent {
  if (!isRecord(block)) return text(`[The server sent ${field(JSON.stringify(block))} instead of content.]`)
  switch (block.type) {
    case 'text':
      return text(plainOutput(String(block.text ?? '')))
    case 'image':
      return image(block.mimeType, block.data) ?? binary('An image', block.mimeType, block.data)
    case 'audio':
      return binary('Audio', block.mimeType, block.data)
    case 'resource':
      return resource(block.resource)
    case 'resource_link':
      return link(block)
    default:
      return text(plainOutput(JSON.stringify(block)))
  }
}

function resource(value: unknown): ToolResultContent {
  if (!isRecord(value)) return text('[The server sent a resource without content.]')
  const { uri, mimeType, blob } = value
  if (typeof value.text === 'string') return text(`[Resource ${field(uri)}]\n${plainOutput(value.text)}`)
  const shown = image(mimeType, blob) ?? document(mimeType, blob, uri)
  return shown ?? binary(`The resource ${field(uri)}`, mimeType, blob)
}

function link({ uri, name, title, description, mimeType }: Readonly<Record<string, unknown>>): ToolResultContent {
  const facts = [title ?? name, mimeType, description].filter((fact) => typeof fact === 'string').map(field)
  return text(`[Link to the resource ${field(uri)}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}]`)
}

function image(mimeType: unknown, data: unknown): ToolResultContent | undefined {
  if (!IMAGE_TYPES.has(mimeType) || !isBase64(data)) return undefined
  return { type: 'image', source: { type: 'base64', media_type: String(mimeType), data } }
}

function document(mimeType: unknown, data: unknown, uri: unknown): ToolResultContent | undefined {
  if (mimeType !== 'application/pdf' || !isBase64(data)) return undefined
  return { type: 'document', title: field(uri), source: { type: 'base64', media_type: mimeType, data } }
}

function binary(what: string, mimeType: unknown, data: unknown): ToolResultContent {
  const bytes = typeof data === 'string' ? `${Math.floor((data.length * 3) / 4)} bytes` : 'no data'
  return text(`[${what}: ${field(mimeType ?? 'of unknown type')}, ${bytes}; cannot be shown here]`)
}

function isBase64(data: unknown): data is string {
  return typeof data === 'string' && data !== '' && BASE64.test(data)
}

function field(value: unknown): string {
  return plainLine(String(value), MAX_FIELD_CHARS)
}

function text(value: string): ToolResultContent {
  return { type: 'text', text: value }
}
