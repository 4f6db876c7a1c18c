import type { DocumentBlock, ImageBlock } from '../../contract/messages.js'

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
