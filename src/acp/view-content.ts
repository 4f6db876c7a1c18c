import { resolve } from 'node:path'
import type { ToolCallContent, ToolCallLocation } from '@agentclientprotocol/sdk'
import type { DiffHunk, DiffView, View, ViewNode } from '../contract/views.js'
import { toPrintableLines } from '../shared/printable.js'
import { formatProgress, isViewList, renderPlainText } from '../views/plain-text.js'

/** Editors keep every update of a call, so long texts are cut. */
const MAX_TEXT_CHARS = 100_000

/** Converts a view to the content of a call: changes as diffs, images as images, everything else as Markdown. */
export function toCallContent(view: View, cwd: string): readonly ToolCallContent[] {
  const content: ToolCallContent[] = []
  let markdown = ''
  const flush = () => {
    const text = cutText(markdown.trim())
    if (text !== '') content.push({ type: 'content', content: { type: 'text', text } })
    markdown = ''
  }
  for (const node of splitView(view)) {
    if (typeof node !== 'string' && node.type === 'diff') {
      flush()
      content.push(...toDiffs(node, cwd))
    } else if (typeof node !== 'string' && node.type === 'image') {
      flush()
      content.push({ type: 'content', content: { type: 'image', data: node.data, mimeType: node.mediaType } })
    } else markdown += toMarkdown(node)
  }
  flush()
  return content
}

/** Returns the changed places of a view, so that the editor can follow the agent. */
export function listChangedPlaces(view: View, cwd: string): readonly ToolCallLocation[] {
  return splitView(view).flatMap((node) =>
    typeof node !== 'string' && node.type === 'diff'
      ? node.hunks.map(({ newStart }) => ({
          path: resolve(cwd, node.path),
          ...(newStart !== undefined && { line: newStart }),
        }))
      : [],
  )
}

/** Splits a view into its parts, so that diffs and images inside groups stand on their own. */
function splitView(view: View): readonly (string | ViewNode)[] {
  if (typeof view === 'string') return [view]
  if (isViewList(view)) return view.flatMap(splitView)
  if (view.type === 'group' && view.layout === 'block')
    return view.children.flatMap((child) => [...splitView(child), '\n'])
  if (view.type === 'collapsible') return [...splitView(view.summary), '\n', ...splitView(view.content)]
  return [view]
}

function toDiffs({ path, hunks }: DiffView, cwd: string): readonly ToolCallContent[] {
  return hunks.map((hunk) => ({
    type: 'diff',
    path: resolve(cwd, path),
    oldText: hunk.lines.every((line) => line.startsWith('+')) ? null : textOfSide(hunk, '-'),
    newText: textOfSide(hunk, '+'),
  }))
}

function textOfSide({ lines }: DiffHunk, sign: '-' | '+'): string {
  return lines.flatMap((line) => (line.startsWith(sign) || line.startsWith(' ') ? [line.slice(1)] : [])).join('\n')
}

function toMarkdown(node: string | ViewNode): string {
  if (typeof node === 'string') return toPrintableLines(node)
  switch (node.type) {
    case 'markdown':
      return `${toPrintableLines(node.text)}\n`
    case 'code':
      return fence(toPrintableLines(node.text), node.language)
    case 'list':
      return node.items
        .map(
          (item, index) =>
            `${node.isOrdered === true ? `${index + 1}.` : '-'} ${toPrintableLines(renderPlainText(item))}`,
        )
        .join('\n')
        .concat('\n')
    case 'table':
      return toTable([node.columns, node.columns.map(() => '---'), ...node.rows.map((row) => row.map(renderPlainText))])
    case 'fields':
      return node.fields.map(({ label, value }) => `${label}: ${toMarkdown(asNode(value))}`).join('\n')
    case 'progress':
      return formatProgress(node)
    default:
      return toPrintableLines(renderPlainText(node))
  }
}

function asNode(view: View): string | ViewNode {
  return typeof view === 'string' || isViewList(view) ? renderPlainText(view) : view
}

function toTable(rows: readonly (readonly string[])[]): string {
  const lines = rows.map((row) => `| ${row.map((cell) => toPrintableLines(cell).replaceAll('|', '\\|')).join(' | ')} |`)
  return `${lines.join('\n')}\n`
}

/** Puts text into a code block whose fence does not occur in it. */
export function fence(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const marks = '`'.repeat(longest + 1)
  return `\n${marks}${/^[\w+-]*$/.test(language) ? language : ''}\n${cutText(text)}\n${marks}\n`
}

function cutText(text: string): string {
  if (text.length <= MAX_TEXT_CHARS) return text
  const half = MAX_TEXT_CHARS / 2
  return `${text.slice(0, half)}\n[${text.length - MAX_TEXT_CHARS} characters left out]\n${text.slice(-half)}`
}
