import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { DiffHunk, DiffView, View } from '../../../contract/views.js'
import { isRecord } from '../../../shared/is-record.js'

const MAX_FILE_BYTES = 2 * 1024 * 1024
const CONTEXT_LINES = 3

/**
 * Adds line numbers and context lines to a diff without them, because its tool has not read the file. A hunk whose old
 * text is missing or occurs several times stays as it is.
 */
export async function placeDiff(view: View, cwd: string): Promise<View> {
  if (!isRecord(view) || view.type !== 'diff') return view
  const diff = view as unknown as DiffView
  const content = await readSmallFile(resolve(cwd, diff.path))
  return content === undefined ? view : { ...diff, hunks: diff.hunks.map((hunk) => placeHunk(hunk, content)) }
}

async function readSmallFile(path: string): Promise<string | undefined> {
  try {
    const { size } = await stat(path)
    return size > MAX_FILE_BYTES ? undefined : await readFile(path, 'utf8')
  } catch {
    // The dialog shows the change without context lines.
    return undefined
  }
}

function placeHunk(hunk: DiffHunk, content: string): DiffHunk {
  if (hunk.oldStart !== undefined) return hunk
  const oldText = textOf(hunk, '-')
  const start = oldText === '' ? -1 : content.indexOf(oldText)
  if (start === -1 || content.indexOf(oldText, start + 1) !== -1) return hunk
  const lines = content.split('\n')
  const firstIndex = countLineBreaks(content.slice(0, start))
  const lastIndex = firstIndex + countLineBreaks(oldText)
  const lineStart = content.lastIndexOf('\n', start - 1) + 1
  const end = start + oldText.length
  const lineEnd = content.indexOf('\n', end)
  const textBefore = content.slice(start === 0 ? 0 : lineStart, start)
  const textAfter = content.slice(end, lineEnd === -1 ? content.length : lineEnd)
  const newText = textBefore + textOf(hunk, '+') + textAfter
  const firstShownIndex = Math.max(0, firstIndex - CONTEXT_LINES)
  return {
    oldStart: firstShownIndex + 1,
    newStart: firstShownIndex + 1,
    lines: [
      ...lines.slice(firstShownIndex, firstIndex).map((line) => ` ${line}`),
      ...lines.slice(firstIndex, lastIndex + 1).map((line) => `-${line}`),
      ...(newText === '' ? [] : newText.split('\n').map((line) => `+${line}`)),
      ...lines.slice(lastIndex + 1, lastIndex + 1 + CONTEXT_LINES).map((line) => ` ${line}`),
    ],
  }
}

function textOf({ lines }: DiffHunk, sign: '-' | '+'): string {
  return lines
    .filter((line) => line.startsWith(sign))
    .map((line) => line.slice(1))
    .join('\n')
}

function countLineBreaks(text: string): number {
  return text.split('\n').length - 1
}
