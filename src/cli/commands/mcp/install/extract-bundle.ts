import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Entry, ZipFile } from 'yauzl'
import { isPathBelow } from '../../../../shared/path-containment.js'
import { quote } from '../../../../shared/quote.js'
import { makeFolder } from '../../../../system/make-folder.js'

/** Limits for a bundle. Real ones have a few thousand files and some dozen megabytes. */
const MAX_ENTRIES = 20_000
const MAX_TOTAL_BYTES = 512 * 1024 * 1024
const MAX_MANIFEST_BYTES = 1024 * 1024

const TYPE_MASK = 0o170000
const LINK_TYPE = 0o120000
const EXECUTABLE_BITS = 0o111

/** Reads the manifest of a bundle. Throws if the file is not a bundle. */
export async function readManifestText(file: string): Promise<string> {
  return withZip(file, async (zip) => {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName !== 'manifest.json') continue
      if (entry.uncompressedSize > MAX_MANIFEST_BYTES) throw new Error('its manifest.json is too large')
      const chunks: Buffer[] = []
      for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer)
      return Buffer.concat(chunks).toString('utf8')
    }
    throw new Error('it has no manifest.json')
  })
}

/**
 * Extracts a bundle into an empty folder. Refuses links, names that leave the folder, and bundles that are too large; yauzl checks
 * that no file is larger than declared.
 */
export async function extractBundle(file: string, folder: string): Promise<void> {
  await withZip(file, async (zip) => {
    if (zip.entryCount > MAX_ENTRIES) throw new Error(`it has more than ${MAX_ENTRIES} files`)
    let totalBytes = 0
    const names = new Set<string>()
    for await (const entry of zip.eachEntry()) {
      totalBytes += entry.uncompressedSize
      if (totalBytes > MAX_TOTAL_BYTES)
        throw new Error(`it has more than ${MAX_TOTAL_BYTES / 1024 / 1024} MiB when extracted`)
      // Some file systems ignore case.
      const name = entry.fileName.toLowerCase()
      if (names.has(name)) throw new Error(`it contains ${quote(entry.fileName)} twice`)
      names.add(name)
      await extractEntry(zip, entry, folder)
    }
  })
}

async function extractEntry(zip: ZipFile, entry: Entry, folder: string): Promise<void> {
  const mode = entry.externalFileAttributes >>> 16
  if ((mode & TYPE_MASK) === LINK_TYPE) throw new Error(`it contains a symbolic link, ${quote(entry.fileName)}`)
  if (entry.isEncrypted()) throw new Error('it is encrypted')
  const path = join(folder, entry.fileName)
  if (!isPathBelow(path, folder)) throw new Error(`it contains the invalid name ${quote(entry.fileName)}`)
  if (entry.fileName.endsWith('/')) {
    makeFolder(path)
    return
  }
  makeFolder(join(path, '..'))
  const permissions = (mode & EXECUTABLE_BITS) === 0 ? 0o600 : 0o700
  await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(path, { mode: permissions }))
}

async function withZip<T>(file: string, work: (zip: ZipFile) => Promise<T>): Promise<T> {
  const { openPromise } = await import('yauzl')
  const zip = await openPromise(file, { lazyEntries: true, strictFileNames: true, autoClose: false })
  try {
    return await work(zip)
  } finally {
    zip.close()
  }
}
