import type { DocumentBlock, ImageBlock, ThinkingBlock } from '../../contract/messages.js'

const IMAGE_TYPES: readonly string[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

/** Where an image is, as these APIs take it; undefined where they would refuse it. */
export function imageUrl({ source }: ImageBlock): string | undefined {
  if (source.type === 'url') return source.url
  return IMAGE_TYPES.includes(source.media_type) ? dataUrl(source) : undefined
}

/** A document that goes along with its content; undefined for one that these APIs would refuse. */
export function fileData({ source, title }: DocumentBlock): { filename: string; file_data: string } | undefined {
  if (source.type === 'url' || source.media_type !== 'application/pdf') return undefined
  return { filename: title ?? 'document.pdf', file_data: dataUrl(source) }
}

function dataUrl({ media_type, data }: { readonly media_type: string; readonly data: string }): string {
  return `data:${media_type};base64,${data}`
}

/** The fields in which servers that speak OpenAI's protocol tell what a model thinks. */
export const REASONING_FIELDS = ['reasoning_content', 'reasoning'] as const

export type ReasoningField = (typeof REASONING_FIELDS)[number]

/** The field that thinking came in, which its id tells; undefined for thinking that came in another way. */
export function reasoningFieldOf({ id }: ThinkingBlock): ReasoningField | undefined {
  return REASONING_FIELDS.find((field) => field === id)
}

/** How arguments that were no JSON go back: as they came, or within JSON for servers that read them. */
export type ArgumentsForm = 'as-they-came' | 'within-json'

/** The input of a call as the text that these APIs take. */
export function toArguments(input: unknown, form: ArgumentsForm): string {
  if (typeof input !== 'string') return JSON.stringify(input ?? {})
  return form === 'as-they-came' ? input : JSON.stringify({ invalid_json: input })
}
