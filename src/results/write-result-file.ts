import { createHash } from 'node:crypto'
import { lstat, readFile, unlink } from 'node:fs/promises'
import { createResultFile, type ResultFile } from './result-file.js'
import { resultPaths } from './result-paths.js'

/** Writes a text to the file of its id and gives the path; the same text of the same id goes to the same path. */
export async function writeResultFile(
  directory: string,
  id: string,
  text: string,
  create: (path: string) => ResultFile | undefined = createResultFile,
): Promise<string> {
  const bytes = Buffer.from(text)
  const digest = () => createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  for (const path of resultPaths(directory, id, digest)) {
    const file = create(path)
    if (file !== undefined) {
      await fill(file, bytes)
      return path
    }
    if (await holds(path, bytes)) return path
  }
  throw new Error('every name for its file is taken')
}

async function fill(file: ResultFile, bytes: Uint8Array): Promise<void> {
  try {
    await file.write(bytes, 0)
  } catch (error) {
    // Half a result under the name of a whole one would mislead whoever reads it later.
    await unlink(file.path).catch(() => {})
    throw error
  } finally {
    await file.close()
  }
}

/** Left by an earlier run that ended before its decision was recorded. */
async function holds(path: string, bytes: Buffer): Promise<boolean> {
  const found = await lstat(path)
  return found.isFile() && found.size === bytes.length && (await readFile(path)).equals(bytes)
}
