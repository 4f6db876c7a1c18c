import { ToolCallError } from '../../contract/errors.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { ImageType } from './file-kind.js'
import { type ImageSize, imageSize } from './image-size.js'

/** A picture that a provider takes. */
export interface FittedImage {
  readonly mediaType: ImageType
  readonly base64: string
  readonly size: ImageSize
  /** What it was before it was made smaller. */
  readonly originalSize?: ImageSize
}

/** Providers scale down what is longer, and refuse what is larger. */
const MAX_SIDE = 1568
const MAX_BASE64_CHARS = 5 * 1024 * 1024
const MAX_BYTES = Math.floor(MAX_BASE64_CHARS / 4) * 3

type Sharp = typeof import('sharp')['default']

/** Makes a picture small enough for providers; one that is small enough goes as it is. */
export async function fitImage(
  bytes: Uint8Array,
  mediaType: ImageType,
  name: string,
  load: () => Promise<Sharp | undefined> = loadSharp,
): Promise<FittedImage> {
  const size = imageSize(bytes, mediaType)
  if (size === undefined)
    throw new ToolCallError(
      'tool_failed',
      `${name} begins as ${mediaType} and is damaged or cut off. No model can take it.`,
    )
  if (fits(size) && bytes.length <= MAX_BYTES) return { mediaType, base64: base64Of(bytes), size }
  const sharp = await load()
  if (sharp === undefined) throw new ToolCallError('tool_failed', tooLarge(name, size, bytes.length))
  try {
    return { ...(await shrink(sharp, bytes, mediaType)), originalSize: size }
  } catch (cause) {
    throw new ToolCallError('tool_failed', `${name} could not be made smaller: ${reasonOf(cause)}`, { cause })
  }
}

function fits({ width, height }: ImageSize): boolean {
  return Math.max(width, height) <= MAX_SIDE
}

function tooLarge(name: string, { width, height }: ImageSize, bytes: number): string {
  return `${name} is ${width} × ${height} pixels and ${bytes} bytes; at most ${MAX_SIDE} pixels on the longer side and ${MAX_BYTES} bytes can be sent, and sharp, which makes pictures smaller, is not installed. Make a smaller copy with another program and read that, or ask the user to run: npm install sharp`
}

/** Qualities to try in order, until the picture is small enough. */
const JPEG_QUALITIES = [85, 60, 30]

async function shrink(sharp: Sharp, bytes: Uint8Array, mediaType: ImageType): Promise<FittedImage> {
  const picture = sharp(bytes)
    .rotate()
    .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true })
  if (mediaType !== 'image/jpeg') {
    const { data, info } = await picture.clone().png().toBuffer({ resolveWithObject: true })
    if (data.length <= MAX_BYTES) return { mediaType: 'image/png', base64: base64Of(data), size: info }
  }
  for (const quality of JPEG_QUALITIES) {
    const { data, info } = await picture
      .clone()
      .flatten({ background: '#fff' })
      .jpeg({ quality })
      .toBuffer({ resolveWithObject: true })
    if (data.length <= MAX_BYTES) return { mediaType: 'image/jpeg', base64: base64Of(data), size: info }
  }
  throw new Error('it stays too large at the lowest quality')
}

async function loadSharp(): Promise<Sharp | undefined> {
  try {
    return (await import('sharp')).default
  } catch {
    // Optional: it has no build for every machine.
    return undefined
  }
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
