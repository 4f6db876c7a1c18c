import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { EditorFiles } from '../../contract/host/editor-files.js'
import { FileError } from '../../contract/ports/file-error.js'
import type { ExpectedContent, FilesPort, ReadFile } from '../../contract/ports/files.js'
import { joinContent } from '../../shared/file-content.js'
import { createMovedError } from '../paths/opened-path.js'
import { chooseLineEndFinder, LineRange } from './read/line-range.js'

/** Larger files are always read from the disk: an editor sends a text as one message. */
const MAX_TEXT_BYTES = 10 * 1024 * 1024
const MAX_HEAD_BYTES = 8 * 1024

/**
 * Lets tools see and change the text that the user has in an editor and has not saved. A file without unsaved changes is read
 * and written on the disk, where writes are atomic.
 */
export function withUnsavedTexts(files: FilesPort, editor: EditorFiles): FilesPort {
  const readUnsaved = (path: string, realPath: string | undefined) => findUnsaved(files, editor, path, realPath)
  return {
    ...files,
    async read(path, options = {}) {
      const unsaved = await readUnsaved(path, options.realPath)
      if (unsaved === undefined) return files.read(path, options)
      const { start = 0, end = unsaved.content.length } = options
      return { ...unsaved, content: unsaved.content.subarray(start, end) }
    },
    async *stream(path, options = {}) {
      const unsaved = await readUnsaved(path, options.realPath)
      if (unsaved === undefined) yield* files.stream(path, options)
      else yield unsaved.content.subarray(options.start ?? 0, options.end ?? unsaved.content.length)
    },
    async readLines(path, options) {
      const unsaved = await readUnsaved(path, options.realPath)
      if (unsaved === undefined) return files.readLines(path, options)
      const { content, stat, realPath } = unsaved
      const head = content.subarray(0, MAX_HEAD_BYTES)
      const range = new LineRange(options, chooseLineEndFinder(head))
      range.take(content)
      return { ...range.finish(), head, stat, realPath }
    },
    async write(path, content, options = {}) {
      const unsaved = await readUnsaved(path, options.realPath)
      if (unsaved === undefined) return files.write(path, content, options)
      const bytes = joinContent(content)
      if (editor.write === undefined || !isUtf8(bytes)) throw createUnsavedError(path)
      if (!isExpected(unsaved.content, options.expected))
        throw new FileError('changed', path, `${path} has changed in the editor since it was read. Read it again.`)
      await editor.write(unsaved.realPath, Buffer.from(bytes).toString('utf8'))
      const stat = await files.stat(unsaved.realPath)
      return { realPath: unsaved.realPath, mtimeMs: stat?.mtimeMs ?? Date.now() }
    },
    async writeAll(changes) {
      for (const { path, realPath } of changes)
        if ((await readUnsaved(path, realPath)) !== undefined) throw createUnsavedError(path)
      return files.writeAll(changes)
    },
  }
}

type UnsavedFile = ReadFile & { readonly content: Buffer }

/** Returns the text in the editor if it differs from the file; undefined if it does not, or there is no such file. */
async function findUnsaved(
  files: FilesPort,
  editor: EditorFiles,
  path: string,
  judgedPath: string | undefined,
): Promise<UnsavedFile | undefined> {
  const stat = await files.stat(path)
  if (stat === undefined || stat.kind === 'directory' || stat.size > MAX_TEXT_BYTES) return undefined
  const realPath = await files.realPath(path)
  if (judgedPath !== undefined && realPath !== judgedPath) throw createMovedError(path)
  const text = await editor.read(realPath)
  if (text === undefined) return undefined
  const saved = await files.read(path, { realPath })
  const savedText = Buffer.from(saved.content).toString('utf8')
  // Most editors drop the byte order mark and carriage returns of a file that they show.
  if (normalise(text) === normalise(savedText)) return undefined
  const usesCarriageReturns = savedText.includes('\r\n') && !text.includes('\r\n')
  const content = Buffer.from(usesCarriageReturns ? text.replaceAll('\n', '\r\n') : text)
  return { content, stat: { ...saved.stat, size: content.length }, realPath }
}

function normalise(text: string): string {
  return text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
}

function isExpected(content: Buffer, expected: ExpectedContent | undefined): boolean {
  if (expected === undefined) return true
  if (expected === 'absent') return false
  if ('content' in expected) return content.equals(expected.content)
  return createHash('sha256').update(content).digest('hex') === expected.contentHash
}

function createUnsavedError(path: string): FileError {
  return new FileError(
    'changed',
    path,
    `${path} has unsaved changes in the editor. Ask the user to save it, then try again.`,
  )
}
