import type { DocumentBlock, ImageBlock, ThinkingBlock } from '../../contract/messages.js'

const IMAGE_TYPES: readonly string[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

/** Returns the URL of an image, which may be a data URL; undefined for types that the APIs reject. */
export function toImageUrl({ source }: ImageBlock): string | undefined {
  if (source.type === 'url') return source.url
  return IMAGE_TYPES.includes(source.media_type) ? toDataUrl(source) : undefined
}

/** Returns an embedded document; undefined for URLs and for types that the APIs reject. */
export function toFileData({ source, title }: DocumentBlock): { filename: string; file_data: string } | undefined {
  if (source.type === 'url' || source.media_type !== 'application/pdf') return undefined
  return { filename: title ?? 'document.pdf', file_data: toDataUrl(source) }
}

function toDataUrl({ media_type, data }: { readonly media_type: string; readonly data: string }): string {
  return `data:${media_type};base64,${data}`
}

/** Fields in which OpenAI-compatible servers send the reasoning of a model. */
export const REASONING_FIELDS = ['reasoning_content', 'reasoning'] as const

export type ReasoningField = (typeof REASONING_FIELDS)[number]

/** Returns the field in which thinking was received, which is stored as its ID; undefined for thinking from other sources. */
export function findReasoningField({ id }: ThinkingBlock): ReasoningField | undefined {
  return REASONING_FIELDS.find((field) => field === id)
}

/** How to send invalid JSON arguments back: unchanged, or wrapped in JSON for servers that parse them. */
export type ArgumentsForm = 'unchanged' | 'wrapped'

/** Serialises the input of a call. A string is invalid JSON that the model sent; `form` decides how to send it back. */
export function toArguments(input: unknown, form: ArgumentsForm): string {
  if (typeof input !== 'string') return JSON.stringify(input ?? {})
  return form === 'unchanged' ? input : JSON.stringify({ invalid_json: input })
}
