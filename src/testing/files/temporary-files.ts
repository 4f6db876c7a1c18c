import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { FilesPort } from '../../contract/ports/files.js'
import { createFiles } from '../../ports/files/create-files.js'
import { computeContentHash } from '../../shared/content-hash.js'

/** A real folder that is removed after the test, the files in it, and the port through which tools access them. */
export interface TemporaryFiles {
  readonly files: FilesPort
  readonly cwd: string
  toPath(name: string): string
  /** Writes a file without going through the port. */
  put(name: string, content: string | Uint8Array): Promise<void>
  /** Writes a file and marks it as read. */
  putAndRead(name: string, content: string | Uint8Array): Promise<void>
  /** Marks only the first line of a file as read. */
  markFirstLineRead(name: string): Promise<void>
  readText(name: string): Promise<string>
  readBytes(name: string): Promise<Buffer>
}

export async function createTemporaryFiles(overrides: Partial<FilesPort> = {}): Promise<TemporaryFiles> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'haft-files-')))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const cwd = join(root, 'project')
  await mkdir(cwd)
  const files: FilesPort = { ...createFiles({ journalFolder: join(root, 'journal') }), ...overrides }
  const toPath = (name: string) => join(cwd, name)
  const put = async (name: string, content: string | Uint8Array) => {
    await mkdir(dirname(toPath(name)), { recursive: true })
    await writeFile(toPath(name), content)
  }
  return {
    files,
    cwd,
    toPath,
    put,
    async putAndRead(name, content) {
      await put(name, content)
      const { realPath, content: bytes, stat } = await files.read(toPath(name))
      files.readFileState.set(realPath, { contentHash: computeContentHash(bytes), mtimeMs: stat.mtimeMs })
    },
    async markFirstLineRead(name) {
      const range = { offset: 1, limit: 1 }
      const fileLines = await files.readLines(toPath(name), { ...range, maxBytes: 1000, maxLineBytes: 1000 })
      const { realPath, contentHash: hash, bytes, stat } = fileLines
      files.readFileState.set(realPath, { contentHash: hash, mtimeMs: stat.mtimeMs, range, bytes })
    },
    readText: (name) => readFile(toPath(name), 'utf8'),
    readBytes: (name) => readFile(toPath(name)),
  }
}
