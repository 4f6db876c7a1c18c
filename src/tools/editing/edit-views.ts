import { block, code, diff, fileLink, text } from '../../contract/view-builders.js'
import type { DiffHunk, View } from '../../contract/views.js'
import { formatCounted } from '../../shared/counted.js'

/** The views of tools that change files. Inputs may be partial, while the model is still streaming them. */

const MAX_SHOWN_LINES = 40

/** Renders a link to the file, or nothing if its path has not arrived yet. */
export function renderPath(path: unknown): View {
  return typeof path === 'string' && path !== '' ? fileLink(path) : ''
}

/** Renders a change as a diff, with the remarks about it. */
export function renderChange(
  { filePath, patch, remarks = [] }: { filePath: string; patch: string; remarks?: readonly string[] },
  { verbose }: { readonly verbose: boolean },
): View {
  const hunks = parseHunks(patch)
  const shownHunks = verbose ? hunks : limitLines(hunks, MAX_SHOWN_LINES)
  const hiddenCount = countLines(hunks) - countLines(shownHunks)
  return block(
    ...(hunks.length === 0 ? [] : [diff(filePath, shownHunks)]),
    ...(hiddenCount > 0 ? [text(`… ${formatCounted(hiddenCount, 'more line')}`, 'muted')] : []),
    ...remarks.map((remark) => text(remark, 'muted')),
  )
}

/** Whether `renderChange` hides lines without `verbose`. */
export function isPatchLong(patch: string): boolean {
  return countLines(parseHunks(patch)) > MAX_SHOWN_LINES
}

/** Returns the lines of a patch as the view shows them. */
export function extractPatchText(patch: string): string {
  return parseHunks(patch)
    .flatMap(({ lines }) => lines.map((line) => line.slice(1)))
    .join('\n')
}

/** Renders an edit that was not made. The file was not read, so there are no line numbers. */
export function renderIntendedEdit(path: unknown, edits: readonly unknown[]): View {
  const hunks = edits.flatMap((edit): DiffHunk[] => {
    const { old_string: oldText, new_string: newText } = (edit ?? {}) as Record<string, unknown>
    const lines = [...prefixLines('-', oldText), ...prefixLines('+', newText)]
    return lines.length === 0 ? [] : [{ lines }]
  })
  return diff(typeof path === 'string' ? path : '', hunks)
}

/** Renders a new file that was not written. */
export function renderIntendedFile(path: unknown, content: unknown): View {
  if (typeof content !== 'string') return ''
  return code(content, { firstLine: 1, ...(typeof path === 'string' && { language: path }) })
}

function prefixLines(sign: '-' | '+', content: unknown): readonly string[] {
  if (typeof content !== 'string' || content === '') return []
  return content
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => sign + line)
}

const HUNK_HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/

/** Reads the hunks of a unified patch. Remarks such as `\ No newline at end of file` are left out. */
export function parseHunks(patch: string): readonly DiffHunk[] {
  const hunks: { oldStart: number; newStart: number; lines: string[] }[] = []
  for (const line of patch.split('\n')) {
    const header = HUNK_HEADER.exec(line)
    if (header !== null) {
      const [, oldLine, oldCount, newLine, newCount] = header
      hunks.push({ oldStart: toStartLine(oldLine, oldCount), newStart: toStartLine(newLine, newCount), lines: [] })
    } else if (/^[ +-]/.test(line)) hunks.at(-1)?.lines.push(line)
  }
  return hunks
}

/** Returns the first line of a range. In a patch, an empty range has the number of the line before it. */
function toStartLine(line: string | undefined, count: string | undefined): number {
  return Number(line) + (count === '0' ? 1 : 0)
}

function countLines(hunks: readonly DiffHunk[]): number {
  return hunks.reduce((sum, { lines }) => sum + lines.length, 0)
}

function limitLines(hunks: readonly DiffHunk[], maxLines: number): readonly DiffHunk[] {
  let remainingLines = maxLines
  return hunks.flatMap((hunk) => {
    const lines = hunk.lines.slice(0, Math.max(0, remainingLines))
    remainingLines -= lines.length
    return lines.length === 0 ? [] : [{ ...hunk, lines }]
  })
}
