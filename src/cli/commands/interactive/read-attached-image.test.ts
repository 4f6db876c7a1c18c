import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testWithProgram } from '../../../testing/test-with-program.js'
import { createFixturePng } from '../../../tools/documents/fixture-png.js'
import { readAttachedImage } from './read-attached-image.js'

let folder: string
let image: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'haft-attached-'))
  image = join(folder, 'picture.png')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('an attached image is sent with the type of its content, whatever its name', async () => {
  const path = join(folder, 'picture.jpg')
  const png = createFixturePng(7, 5)
  writeFileSync(path, png)

  expect(await readAttachedImage(path)).toEqual({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: Buffer.from(png).toString('base64') },
  })
})

testWithProgram('mkfifo')('a pipe with the name of an image is refused at once', async () => {
  execFileSync('mkfifo', [image])

  await expect(readAttachedImage(image)).rejects.toThrow('is not a regular file')
})

test('a file beyond the limit is refused without being read', async () => {
  writeFileSync(image, createFixturePng(7, 5))
  truncateSync(image, 200 * 1024 ** 3)

  await expect(readAttachedImage(image)).rejects.toThrow('larger than 32 MB')
})

test('a file that is not an image is not sent', async () => {
  writeFileSync(image, 'a private key')

  await expect(readAttachedImage(image)).rejects.toThrow('is not a PNG, JPEG, GIF or WebP file')
})
