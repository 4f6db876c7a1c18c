import type { ToolResultContent } from '../../contract/messages.js'
import { isRecord } from '../../shared/is-record.js'
import { toPlainOutput } from '../../shared/plain-output.js'
import { toPlainLine } from './to-plain-line.js'

/** Image types that models accept. */
const IMAGE_TYPES: ReadonlySet<unknown> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/
const MAX_FIELD_CHARS = 500

/** Converts the content of a server to the block types that models accept. Other content is described in text. */
export function toResultContent(blocks: readonly unknown[], structuredContent: unknown): readonly ToolResultContent[] {
  const content = blocks.map(readBlock)
  if (content.length > 0 || structuredContent === undefined) return content
  return [toTextBlock(JSON.stringify(structuredContent))]
}

/** Converts the content to text, for error messages. */
export function toResultText(blocks: readonly unknown[], structuredContent: unknown): string {
  return toResultContent(blocks, structuredContent)
    .map((block) => (block.type === 'text' ? block.text : `[${block.type}]`))
    .join('\n')
}

function readBlock(block: unknown): ToolResultContent {
  if (!isRecord(block)) return toTextBlock(`[The server sent ${toField(JSON.stringify(block))} instead of content.]`)
  switch (block.type) {
    case 'text':
      return toTextBlock(toPlainOutput(String(block.text ?? '')))
    case 'image':
      return toImageBlock(block.mimeType, block.data) ?? describeBinary('An image', block.mimeType, block.data)
    case 'audio':
      return describeBinary('Audio', block.mimeType, block.data)
    case 'resource':
      return readResource(block.resource)
    case 'resource_link':
      return describeLink(block)
    default:
      return toTextBlock(toPlainOutput(JSON.stringify(block)))
  }
}

function readResource(value: unknown): ToolResultContent {
  if (!isRecord(value)) return toTextBlock('[The server sent a resource without content.]')
  const { uri, mimeType, blob } = value
  if (typeof value.text === 'string') return toTextBlock(`[Resource ${toField(uri)}]\n${toPlainOutput(value.text)}`)
  const mediaBlock = toImageBlock(mimeType, blob) ?? toDocumentBlock(mimeType, blob, uri)
  return mediaBlock ?? describeBinary(`The resource ${toField(uri)}`, mimeType, blob)
}

function describeLink({
  uri,
  name,
  title,
  description,
  mimeType,
}: Readonly<Record<string, unknown>>): ToolResultContent {
  const facts = [title ?? name, mimeType, description].filter((fact) => typeof fact === 'string').map(toField)
  return toTextBlock(`[Link to the resource ${toField(uri)}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}]`)
}

function toImageBlock(mimeType: unknown, data: unknown): ToolResultContent | undefined {
  if (!IMAGE_TYPES.has(mimeType) || !isBase64(data)) return undefined
  return { type: 'image', source: { type: 'base64', media_type: String(mimeType), data } }
}

function toDocumentBlock(mimeType: unknown, data: unknown, uri: unknown): ToolResultContent | undefined {
  if (mimeType !== 'application/pdf' || !isBase64(data)) return undefined
  return { type: 'document', title: toField(uri), source: { type: 'base64', media_type: mimeType, data } }
}

function describeBinary(label: string, mimeType: unknown, data: unknown): ToolResultContent {
  const bytes = typeof data === 'string' ? `${Math.floor((data.length * 3) / 4)} bytes` : 'no data'
  return toTextBlock(`[${label}: ${toField(mimeType ?? 'of unknown type')}, ${bytes}; cannot be shown here]`)
}

function isBase64(data: unknown): data is string {
  return typeof data === 'string' && data !== '' && BASE64.test(data)
}

function toField(value: unknown): string {
  return toPlainLine(String(value), MAX_FIELD_CHARS)
}

function toTextBlock(value: string): ToolResultContent {
  return { type: 'text', text: value }
}
