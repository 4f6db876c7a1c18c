import { isFileError } from '../../contract/ports/file-error.js'
import type { FilesPort } from '../../contract/ports/files.js'
import { decodeText } from '../../edits/text/encoding.js'
import { shortenText } from '../../shared/cut-text.js'
import { isPathInside, toRelativePath } from '../../shared/path-containment.js'

/** The folders that results are shown relative to, and the port that decides what may be shown. */
export interface SourceContext {
  readonly files: FilesPort
  readonly cwd: string
  readonly workingFolders: readonly string[]
  readonly signal: AbortSignal
}

const MAX_LINE_CHARS = 200
const MAX_FILE_BYTES = 5 * 1024 ** 2

/** Returns the path for display: relative to the working directory if it is inside. */
export function shortenPath(path: string, cwd: string): string {
  return toRelativePath(path, cwd) || path
}

/** Whether permission rules hide a file, so that none of its content is shown. */
export async function isHiddenFile(path: string, { files, cwd }: SourceContext): Promise<boolean> {
  return (await files.isHidden?.(path, cwd)) === true
}

/** Returns the lines of a file; undefined if it is outside the working folders, hidden or unreadable. */
export async function readSourceLines(path: string, context: SourceContext): Promise<readonly string[] | undefined> {
  return (await isHiddenFile(path, context)) ? undefined : readShownLines(path, context)
}

/** The same for a file that is known not to be hidden. */
export async function readShownLines(
  path: string,
  { files, workingFolders, signal }: SourceContext,
): Promise<readonly string[] | undefined> {
  if (!workingFolders.some((folder) => isPathInside(path, folder))) return undefined
  try {
    const { content, realPath } = await files.read(path, { maxBytes: MAX_FILE_BYTES, signal })
    if (!workingFolders.some((folder) => isPathInside(realPath, folder))) return undefined
    return splitLines(decodeText(content).text)
  } catch (error) {
    // A result in a file that is gone or unreadable is shown without its line.
    if (isFileError(error)) return undefined
    throw error
  }
}

/** Splits a text into lines at the line endings that the protocol defines. */
function splitLines(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/)
}

export function shortenLine(line: string): string {
  return shortenText(line.trim(), MAX_LINE_CHARS)
}

/** A name in source code, in any script. */
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/gu
const MAX_NEARBY_NAMES = 12

/** Returns the names in a line with their columns, counted from 1. */
function listNames(line: string): readonly { readonly name: string; readonly character: number }[] {
  return Array.from(line.matchAll(NAME), ({ 0: name, index }) => ({ name, character: index + 1 }))
}

/** Returns the name at a column or directly before it; undefined if there is none. */
export function findNameAt(line: string, character: number): string | undefined {
  return listNames(line).find(
    (candidate) => candidate.character <= character && character <= candidate.character + candidate.name.length,
  )?.name
}

/** Describes the line of a position where no symbol was found, and the names near it. */
export function describeLine(lines: readonly string[], line: number): string {
  const text = lines[line - 1]
  if (text === undefined) return `The file has ${lines.length} lines, so there is no line ${line}.`
  const names = listNames(text).slice(0, MAX_NEARBY_NAMES)
  const shownNames = names.map(({ name, character }) => `${name} at character ${character}`).join(', ')
  const advice = names.length === 0 ? 'It contains no names.' : `Names in it: ${shownNames}.`
  return `Line ${line} is: ${shortenLine(text)}\n${advice}`
}
