import type { CommandInput } from '../command-input.js'
import { commandViews } from '../command-views.js'
import { parseSedEdit } from './sed-edit.js'

/** A command in short; one that only edits a file is shown as that. */
export function summaryOf(input: Partial<CommandInput> | undefined): string | null {
  const command: unknown = input?.command
  const edit = typeof command === 'string' ? parseSedEdit(command) : undefined
  return edit === undefined ? commandViews.getToolUseSummary(input) : `edit ${edit.file}`
}
