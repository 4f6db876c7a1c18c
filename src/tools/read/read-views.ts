import type { GroupedToolUse } from '../../contract/tool/views.js'
import { block, code, collapsible, fileLink, image, text } from '../../contract/view-builders.js'
import type { View } from '../../contract/views.js'
import { formatCounted } from '../../shared/counted.js'
import type { ReadInput, ReadOutput } from './schema.js'

/** Renders a summary in one line; the content below it can be expanded. */
export function renderContent(output: ReadOutput): View {
  const summary = summarise(output)
  switch (output.type) {
    case 'text':
      return collapsible(summary, code(output.lines.join('\n'), { language: output.path, firstLine: output.firstLine }))
    case 'image':
      return collapsible(summary, image(output.path, output.image.mediaType, output.image.base64))
    case 'pdf':
      return collapsible(summary, block(...output.pages.map(({ text: content }) => content)))
    case 'notebook':
      return collapsible(
        summary,
        block(
          ...output.parts.map((part) =>
            'text' in part ? part.text : image(output.path, part.image.mediaType, part.image.base64),
          ),
        ),
      )
    default:
      return summary
  }
}

/** Returns the text that `renderContent` shows. */
export function extractContentText(output: ReadOutput): string {
  switch (output.type) {
    case 'text':
      return output.lines.join('\n')
    case 'pdf':
      return output.pages.map(({ text: content }) => content).join('\n')
    case 'notebook':
      return output.parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n')
    default:
      return ''
  }
}

/** Renders several reads in one line: `Read 5 files`. */
export function renderReads(uses: readonly GroupedToolUse<ReadInput, ReadOutput, unknown>[]): View {
  const isRunning = uses.some(({ state }) => state === 'running' || state === 'queued')
  const failedCount = uses.filter(({ state }) => state === 'failed' || state === 'rejected').length
  const title = text(`${isRunning ? 'Reading' : 'Read'} ${formatCounted(uses.length, 'file')}`, { bold: true })
  const files = uses.map(({ input: { file_path } }) => (typeof file_path === 'string' ? fileLink(file_path) : ''))
  const failures = failedCount === 0 ? '' : text(`, ${failedCount} failed`, 'error')
  return collapsible([title, failures], block(...files))
}

/** Describes the requested part of the file. The input may be partial. */
export function describePart({ offset, limit, pages }: { offset: unknown; limit: unknown; pages: unknown }): string {
  if (typeof pages === 'string' && pages !== '') return `, pages ${pages}`
  if (typeof offset !== 'number') return ''
  return typeof limit === 'number' ? `, lines ${offset} to ${offset + limit - 1}` : `, from line ${offset}`
}

/** Returns a one-line summary for the user. */
function summarise(output: ReadOutput): string {
  switch (output.type) {
    case 'text':
      return `Read ${formatCounted(output.lines.length, 'line')}`
    case 'empty':
      return 'The file is empty'
    case 'unchanged':
      return 'Unchanged since the last read'
    case 'image':
      return `Read an image of ${output.size.width} × ${output.size.height} pixels`
    case 'pdf':
      return `Read ${formatCounted(output.pages.length, 'page')} of ${output.pageCount}`
    case 'notebook':
      return `Read ${formatCounted(output.shownCells, 'cell')}`
  }
}
