import { closeSync, mkdirSync, openSync, utimesSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER_COUNT = 1_000
const FILES_PER_FOLDER = 100
const FILE_EXTENSIONS = ['ts', 'js', 'md', 'json', 'css']

/**
 * Creates a hundred thousand small files; every hundredth contains the word.
 * @param {string} folder
 * @param {string} word
 */
export function makeTree(folder, word) {
  const filler = 'const value = compute(first, second) // without the word\n'.repeat(20)
  for (let folderIndex = 0; folderIndex < FOLDER_COUNT; folderIndex++) {
    const path = join(folder, `part-${folderIndex % 40}`, `folder-${folderIndex}`)
    mkdirSync(path, { recursive: true })
    for (let fileIndex = 0; fileIndex < FILES_PER_FOLDER; fileIndex++) {
      const number = folderIndex * FILES_PER_FOLDER + fileIndex
      const file = join(path, `file-${number}.${FILE_EXTENSIONS[number % FILE_EXTENSIONS.length]}`)
      writeFileSync(file, number % 100 === 7 ? `${filler}${word} here\n${filler}` : filler)
      utimesSync(file, number, (number * 7919) % 100_000)
    }
  }
}

/**
 * Creates a file of 1 GB with lines of different lengths.
 * @param {string} file
 */
export function makeHugeFile(file) {
  const lines = Array.from({ length: 100_000 }, (_, index) => `${index} ${'x'.repeat((index * 37) % 160)}\n`)
  const block = Buffer.from(lines.join(''))
  const handle = openSync(file, 'w')
  for (let writtenBytes = 0; writtenBytes < 1024 ** 3; writtenBytes += block.length) writeSync(handle, block)
  closeSync(handle)
}
