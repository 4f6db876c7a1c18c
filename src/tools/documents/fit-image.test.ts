import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { detectImageType, type ImageType } from './file-kind.js'
import { fitImage, readImageSize } from './fit-image.js'
import { createFixturePng } from './fixture-png.js'

const createPicture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#3a7' } })

const IMAGE_FORMATS = [
  ['image/png', () => createPicture(30, 20).png().toBuffer()],
  ['image/jpeg', () => createPicture(30, 20).jpeg().toBuffer()],
  [
    'image/jpeg',
    () =>
      createPicture(30, 20)
        .jpeg({ progressive: true })
        .withExif({ IFD0: { Copyright: 'x' } })
        .toBuffer(),
  ],
  ['image/gif', () => createPicture(30, 20).gif().toBuffer()],
  ['image/webp', () => createPicture(30, 20).webp().toBuffer()],
  ['image/webp', () => createPicture(30, 20).webp({ lossless: true }).toBuffer()],
  [
    'image/webp',
    () =>
      createPicture(30, 20)
        .webp()
        .withExif({ IFD0: { Copyright: 'x' } })
        .toBuffer(),
  ],
] as const

describe.each(IMAGE_FORMATS)('%s', (type, make) => {
  test('is detected by its bytes, and its size is read', async () => {
    const bytes = await make()
    expect(detectImageType(bytes)).toBe(type)
    expect(readImageSize(bytes, type)).toEqual({ width: 30, height: 20 })
  })

  test('is returned unchanged if it is small enough', async () => {
    const bytes = await make()
    expect(await fitImage(bytes, type, 'image', async () => undefined)).toEqual({
      mediaType: type,
      base64: bytes.toString('base64'),
      size: { width: 30, height: 20 },
    })
  })

  test('is refused if its end is missing, because a provider would refuse the whole request', async () => {
    const bytes = await make()
    for (const length of [12, 16, Math.floor(bytes.length / 2), bytes.length - 4])
      await expect(fitImage(bytes.subarray(0, length), type, 'a.image')).rejects.toThrow('a.image has the header of')
  })
})

test('sharp can read the PNG fixture', async () => {
  expect(await sharp(createFixturePng(7, 5)).metadata()).toMatchObject({ format: 'png', width: 7, height: 5 })
})

describe('an image that is too large', () => {
  test('to be decoded in little memory is refused before it is decoded', async () => {
    const bytes = Buffer.from(createFixturePng(7, 5))
    bytes.writeUInt32BE(20_000, 16)
    bytes.writeUInt32BE(20_000, 20)
    const load = () => Promise.reject(new Error('sharp was loaded'))
    await expect(fitImage(bytes, 'image/png', 'a.png', load)).rejects.toThrow(/20000 × 20000 pixels.*too much memory/)
  })

  test('is scaled down and keeps its aspect ratio', async () => {
    const fittedImage = await fitImage(createFixturePng(4000, 1000), 'image/png', 'image')
    expect(fittedImage).toMatchObject({
      size: { width: 1568, height: 392 },
      originalSize: { width: 4000, height: 1000 },
    })
    expect(readImageSize(Buffer.from(fittedImage.base64, 'base64'), fittedImage.mediaType)).toEqual({
      width: 1568,
      height: 392,
    })
  })

  test('in bytes is encoded in fewer bytes', async () => {
    const [width, height] = [1500, 1500]
    const noise = Buffer.from(
      Uint32Array.from({ length: (width * height * 3) / 4 }, (_, i) => Math.imul(i, 2654435761)).buffer,
    )
    const bytes = await sharp(noise, { raw: { width, height, channels: 3 } })
      .png({ compressionLevel: 0 })
      .toBuffer()
    const fittedImage = await fitImage(bytes, 'image/png', 'image')
    expect(bytes.length).toBeGreaterThan(4_000_000)
    expect(fittedImage.base64.length).toBeLessThanOrEqual(5 * 1024 * 1024)
    expect(detectImageType(Buffer.from(fittedImage.base64, 'base64'))).toBe<ImageType>(fittedImage.mediaType)
  })

  test('is refused with advice if sharp is not installed', async () => {
    await expect(fitImage(createFixturePng(2000, 10), 'image/png', 'a.png', async () => undefined)).rejects.toThrow(
      /a\.png is 2000 × 10 pixels.*npm install sharp/,
    )
  })
})
