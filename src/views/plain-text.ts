import type { View, ViewNode } from '../contract/views.js'

/**
 * Returns the text of a view with all collapsible parts, for search, tests, logs and titles. Markdown is not rendered. The text
 * is not escaped and may contain control characters.
 */
export function renderPlainText(view: View): string {
  if (typeof view === 'string') return view
  return isViewList(view) ? view.map(renderPlainText).join('') : textOfNode(view)
}

export function isViewList(view: Exclude<View, string>): view is readonly View[] {
  return Array.isArray(view)
}

function textOfNode(node: ViewNode): string {
  switch (node.type) {
    case 'text':
    case 'markdown':
    case 'code':
    case 'link':
      return node.text
    case 'image':
      return node.alt
    case 'progress':
      return formatProgress(node)
    case 'diff':
      return node.hunks.flatMap(({ lines }) => lines).join('\n')
    case 'list':
      return node.items.map(renderPlainText).join('\n')
    case 'table':
      return [node.columns, ...node.rows].map((row) => row.map(renderPlainText).join('  ')).join('\n')
    case 'fields':
      return node.fields.map(({ label, value }) => `${label}: ${renderPlainText(value)}`).join('\n')
    case 'group':
      return node.children.map(renderPlainText).join(node.layout === 'inline' ? '' : '\n')
    case 'collapsible':
      return [node.summary, node.content].map(renderPlainText).join('\n')
    default:
      return ''
  }
}

/** Formats progress as `Downloading 40% (4 of 10)`, as far as the amounts are known. */
export function formatProgress({ label, done, total }: Extract<ViewNode, { type: 'progress' }>): string {
  if (done === undefined) return label
  if (total === undefined || total <= 0) return `${label} ${done}`
  return `${label} ${Math.floor((100 * done) / total)}% (${done} of ${total})`
}
