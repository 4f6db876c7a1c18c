import { block, collapsible, fileLink, inline, markdown, text } from '../../contract/view-builders.js'
import type { View } from '../../contract/views.js'
import { extractPatchText, renderChange } from '../editing/edit-views.js'
import { formatItem, summariseList, summariseRename } from './format-output.js'
import type { LspInput, LspOutput } from './schema.js'

/** The views of the tool. Inputs may be partial, while the model is still streaming them. */

export function summariseUse(input: Partial<LspInput> | undefined): string {
  const { operation, filePath, line, query, newName } = input ?? {}
  const place = typeof filePath === 'string' ? `${filePath}${typeof line === 'number' ? `:${line}` : ''}` : ''
  const subject = operation === 'workspaceSymbol' && typeof query === 'string' ? query : place
  const target = typeof newName === 'string' ? ` to ${newName}` : ''
  return `${typeof operation === 'string' ? operation : ''} ${subject}${target}`.trim()
}

export function renderUse(input: Partial<LspInput>): View {
  const { operation, filePath, line, character, query, newName, changedFiles } = input
  if (typeof operation !== 'string') return ''
  const hasLine = typeof line === 'number'
  // The link shows the line.
  const column = hasLine && typeof character === 'number' ? [text(`:${character}`, 'muted')] : []
  const path = typeof filePath === 'string' ? [' ', fileLink(filePath, hasLine ? line : undefined), ...column] : []
  const details = [
    ...(operation === 'workspaceSymbol' && typeof query === 'string' ? [' ', text(query, 'match')] : path),
    ...(typeof newName === 'string' ? [' to ', text(newName, 'match')] : []),
    ...(Array.isArray(changedFiles) ? [text(` in ${changedFiles.join(', ')}`, 'muted')] : []),
  ]
  return inline(operation, ...details)
}

export function renderOutput(output: LspOutput, options: { readonly verbose: boolean }): View {
  switch (output.type) {
    case 'hover':
      return markdown(output.text)
    case 'list':
      return output.items.length === 0
        ? text(summariseList(output), 'muted')
        : collapsible(
            summariseList(output),
            block(...output.items.map((item) => text(`${item.path} ${formatItem(item).trim()}`))),
          )
    case 'renamed':
      return block(
        summariseRename(output),
        ...output.files.map((file) => renderChange(file, options)),
        ...output.remarks.map((remark) => text(remark, 'muted')),
      )
  }
}

/** Returns the text of the view, for searching. Empty for a hover, whose Markdown is drawn differently. */
export function extractSearchText(output: LspOutput): string {
  switch (output.type) {
    case 'hover':
      return ''
    case 'list':
      return output.items.map((item) => formatItem(item).trim()).join('\n')
    case 'renamed':
      return output.files.map(({ patch }) => extractPatchText(patch)).join('\n')
  }
}
