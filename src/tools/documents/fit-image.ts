import { ToolCallError } from '../../contract/errors.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { ImageType } from './file-kind.js'

/** An image that providers accept. */
interface FittedImage {
  readonly mediaType: ImageType
  readonly base64: string
  readonly size: ImageSize
  /** The size before the image was scaled down. */
  readonly originalSize?: ImageSize
}

/** Providers scale down images whose longer side exceeds this, and reject files that exceed the two limits below. */
const MAX_SIDE_PIXELS = 1568
const MAX_BASE64_CHARS = 5 * 1024 * 1024
const MAX_BYTES = Math.floor(MAX_BASE64_CHARS / 4) * 3

/** Decoded, this many pixels take at most 256 MB. */
const MAX_PIXELS = 64 * 1024 ** 2

type Sharp = typeof import('sharp')['default']

/** Scales an image down so that providers accept it. An image within the limits is returned unchanged. */
export async function fitImage(
  bytes: Uint8Array,
  mediaType: ImageType,
  name: string,
  load: () => Promise<Sharp | undefined> = loadSharp,
): Promise<FittedImage> {
  const size = readImageSize(bytes, mediaType)
  if (size === undefined)
    throw new ToolCallError(
      'tool_failed',
      `${name} has the header of ${mediaType} but is damaged or truncated, so it cannot be shown. Check the file, or create it again.`,
    )
  if (hasAllowedSize(size) && bytes.length <= MAX_BYTES) return { mediaType, base64: base64Of(bytes), size }
  // Checked before decoding: a small file can declare a huge image.
  if (size.width * size.height > MAX_PIXELS) throw new ToolCallError('tool_failed', describeTooManyPixels(name, size))
  const sharp = await load()
  if (sharp === undefined) throw new ToolCallError('tool_failed', describeTooLarge(name, size, bytes.length))
  try {
    return { ...(await shrink(sharp, bytes, mediaType)), originalSize: size }
  } catch (cause) {
    throw new ToolCallError(
      'tool_failed',
      `${name} could not be scaled down: ${reasonOf(cause)}. Make a smaller copy with another program and read that.`,
      { cause },
    )
  }
}

function hasAllowedSize({ width, height }: ImageSize): boolean {
  return Math.max(width, height) <= MAX_SIDE_PIXELS
}

function describeTooManyPixels(name: string, { width, height }: ImageSize): string {
  return `${name} is ${width} × ${height} pixels, which would take too much memory to scale down: the limit is ${MAX_PIXELS} pixels. Make a smaller copy with another program and read that.`
}

function describeTooLarge(name: string, { width, height }: ImageSize, bytes: number): string {
  return `${name} is ${width} × ${height} pixels and ${bytes} bytes; at most ${MAX_SIDE_PIXELS} pixels on the longer side and ${MAX_BYTES} bytes can be sent, and sharp, which scales images, is not installed. Make a smaller copy with another program and read that, or ask the user to run: npm install sharp`
}

/** The JPEG qualities that are tried in order until the image is small enough. */
const JPEG_QUALITIES = [85, 60, 30]

async function shrink(sharp: Sharp, bytes: Uint8Array, mediaType: ImageType): Promise<FittedImage> {
  const picture = sharp(bytes, { limitInputPixels: MAX_PIXELS, sequentialRead: true })
    .rotate()
    .resize({ width: MAX_SIDE_PIXELS, height: MAX_SIDE_PIXELS, fit: 'inside', withoutEnlargement: true })
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
  throw new Error('it is too large even at the lowest quality')
}

async function loadSharp(): Promise<Sharp | undefined> {
  try {
    return (await import('sharp')).default
  } catch {
    // sharp is an optional dependency, which is not available on every platform.
    return undefined
  }
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

interface ImageSize {
  readonly width: number
  readonly height: number
}

/** Returns the size in the header of an image; undefined if the file is damaged or truncated. */
export function readImageSize(bytes: Uint8Array, type: ImageType): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    const size = SIZE_READERS[type](view)
    return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

type SizeReader = (view: DataView) => ImageSize | undefined

const SIZE_READERS: Readonly<Record<ImageType, SizeReader>> = {
  'image/png': readPngSize,
  'image/jpeg': readJpegSize,
  'image/gif': readGifSize,
  'image/webp': readWebpSize,
}

function readPngSize(view: DataView): ImageSize | undefined {
  // A truncated file lacks its last chunk, and a provider would reject the whole request.
  if (!containsText(view, 16, 'IEND\xae\x42\x60\x82')) return undefined
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

const GIF_TRAILER = 0x3b

function readGifSize(view: DataView): ImageSize | undefined {
  let lastIndex = view.byteLength - 1
  while (view.getUint8(lastIndex) === 0) lastIndex--
  if (view.getUint8(lastIndex) !== GIF_TRAILER) return undefined
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) }
}

function readJpegSize(view: DataView): ImageSize | undefined {
  let at = 2
  while (view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1)
    if (isFrame(marker)) {
      // The end marker cannot occur inside the image data.
      if (!containsText(view, at, '\xff\xd9')) return undefined
      return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    }
    // Fill bytes may precede a marker.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2)
  }
  return undefined
}

function containsText({ buffer, byteOffset, byteLength }: DataView, from: number, text: string): boolean {
  return Buffer.from(buffer, byteOffset, byteLength).includes(text, from, 'latin1')
}

/** Whether a marker starts a frame: SOF0 to SOF15, except for three codes that mean something else. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

const VP8 = 0x56503820
const VP8L = 0x5650384c
const VP8X = 0x56503858

function readWebpSize(view: DataView): ImageSize | undefined {
  if (view.getUint32(4, true) + 8 > view.byteLength) return undefined
  const chunkType = view.getUint32(12)
  if (chunkType === VP8) return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  if (chunkType === VP8L) {
    const bits = view.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
  }
  if (chunkType !== VP8X) return undefined
  return { width: readUint24(view, 24) + 1, height: readUint24(view, 27) + 1 }
}

function readUint24(view: DataView, at: number): number {
  return view.getUint16(at, true) + (view.getUint8(at + 2) << 16)
}
