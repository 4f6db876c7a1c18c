import type { ContentBlock } from '@agentclientprotocol/sdk'
import type { ImageBlock, TextBlock, UserMessage } from '../contract/messages.js'
import { toPath } from '../shared/file-uri.js'

/** A prompt of an editor, in the terms of a conversation. */
export interface EditorPrompt {
  readonly content: UserMessage['content']
  /** The text that the user typed, without attached files. */
  readonly text: string
}

/** Converts the content blocks of a prompt: text and images as they are, files and links as text that names them. */
export function readPrompt(blocks: readonly ContentBlock[]): EditorPrompt {
  const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
  const isPlain = blocks.every(({ type }) => type === 'text')
  return { content: isPlain ? text : mergeTexts(blocks.map(toBlock)), text }
}

function toBlock(block: ContentBlock): TextBlock | ImageBlock {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'image':
      return { type: 'image', source: { type: 'base64', media_type: block.mimeType, data: block.data } }
    case 'resource_link':
      return { type: 'text', text: ` ${toMention(block.uri)} ` }
    case 'resource':
      return { type: 'text', text: describeResource(block.resource) }
    default:
      return { type: 'text', text: '[The editor attached audio, which cannot be read.]' }
  }
}

/** Returns `@path` for a file, and the address of anything else. */
function toMention(uri: string): string {
  const path = toPath(uri)
  return path === undefined ? uri : `@${path}`
}

function describeResource(resource: Extract<ContentBlock, { type: 'resource' }>['resource']): string {
  const name = toMention(resource.uri)
  if (!('text' in resource)) return `\n\n[The editor attached ${name}, which is not text.]\n\n`
  return `\n\nThe editor attached ${name}:\n\n${resource.text}\n\n`
}

/** Joins neighbouring texts, so that a sentence with a mentioned file stays one block. */
function mergeTexts(blocks: readonly (TextBlock | ImageBlock)[]): readonly (TextBlock | ImageBlock)[] {
  const merged: (TextBlock | ImageBlock)[] = []
  for (const block of blocks) {
    const last = merged.at(-1)
    if (block.type === 'text' && last?.type === 'text')
      merged[merged.length - 1] = { type: 'text', text: last.text + block.text }
    else merged.push(block)
  }
  return merged
}
