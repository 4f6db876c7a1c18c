import type { ImageBlock } from '../../../contract/messages.js'
import { readRegularFile } from '../../../system/read-regular-file.js'
import { detectImageType } from '../../../tools/documents/file-kind.js'
import { fitImage } from '../../../tools/documents/fit-image.js'

/** Larger files are not read. Smaller images are scaled down to what providers accept. */
const MAX_IMAGE_BYTES = 32 * 1024 * 1024

/** Reads an image whose path the user pasted. Rejects with a message for the user if it cannot be sent. */
export async function readAttachedImage(path: string): Promise<ImageBlock> {
  const readResult = readRegularFile(path, { maxBytes: MAX_IMAGE_BYTES })
  if (readResult.kind !== 'found')
    throw new Error(
      `The image ${path} was not sent: it does not exist, is not a regular file, cannot be read or is larger than 32 MB.`,
    )
  const type = detectImageType(readResult.content)
  if (type === undefined) throw new Error(`The image ${path} was not sent: it is not a PNG, JPEG, GIF or WebP file.`)
  const { mediaType, base64 } = await fitImage(readResult.content, type, path)
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: base64 } }
}
