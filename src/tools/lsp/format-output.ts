import { formatCounted } from '../../shared/counted.js'
import { withoutReminderTags } from '../../shared/reminder-tags.js'
import { formatChange } from '../editing/change-text.js'
import type { LspItem, LspOutput } from './schema.js'

type ListOutput = Extract<LspOutput, { type: 'list' }>

/** What each operation lists. */
const NOUNS: Readonly<Record<ListOutput['operation'], string>> = {
  goToDefinition: 'definition',
  goToImplementation: 'implementation',
  findReferences: 'reference',
  documentSymbol: 'symbol',
  workspaceSymbol: 'symbol',
  incomingCalls: 'call',
  outgoingCalls: 'called function',
  diagnostics: 'problem',
  hover: 'text',
  rename: 'change',
}

/**
 * Returns the output for the model. Reminder tags in source code are changed, so that they cannot look like a message of the
 * system.
 */
export function formatOutput(output: LspOutput): string {
  switch (output.type) {
    case 'hover':
      return withoutReminderTags(`${output.path}:${output.line}:${output.character}\n\n${output.text}`)
    case 'list':
      return withoutReminderTags([summariseList(output), ...formatItems(output)].join('\n'))
    case 'renamed': {
      const changes = output.files.map(({ filePath, count, patch }) =>
        formatChange({
          summary: `Changed ${filePath} in ${formatCounted(count, 'place')}`,
          patch,
          showsLines: true,
        }),
      )
      return withoutReminderTags([summariseRename(output), ...changes, ...output.remarks].join('\n'))
    }
  }
}

export function summariseList({ operation, items, total, hiddenCount, filePath }: ListOutput): string {
  const noun = NOUNS[operation]
  const fileCount = new Set(items.map(({ path }) => path)).size
  const locationNote = fileCount > 1 ? ` in ${formatCounted(fileCount, 'file')}` : ''
  const limitNote = items.length < total ? `, the first ${items.length} are listed` : ''
  const count =
    total === 0 ? `No ${noun} found (${filePath})` : `${formatCounted(total, noun)}${locationNote}${limitNote}`
  const hiddenNote =
    hiddenCount === 0 ? '' : ` ${formatCounted(hiddenCount, 'more result')} in files that permission rules hide.`
  return `${count}${total === 0 ? '.' : ' (line:character, from 1):'}${hiddenNote}`
}

export function summariseRename({ newName, files }: Extract<LspOutput, { type: 'renamed' }>): string {
  const count = files.reduce((sum, file) => sum + file.count, 0)
  return `Renamed to ${newName}: ${formatCounted(count, 'place')} in ${formatCounted(files.length, 'file')}.`
}

/** Formats the results, grouped by file, in the order in which the server returned them. */
function formatItems({ items }: ListOutput): readonly string[] {
  const itemsByPath = new Map<string, LspItem[]>()
  for (const item of items) itemsByPath.set(item.path, [...(itemsByPath.get(item.path) ?? []), item])
  return [...itemsByPath].flatMap(([path, fileItems]) => [path, ...fileItems.map(formatItem)])
}

export function formatItem({ line, character, text, label, depth = 0 }: LspItem): string {
  const details = [label, text].filter((part) => part !== undefined && part !== '').join(' | ')
  return `${'  '.repeat(depth + 1)}${line}:${character} ${details}`.trimEnd()
}
