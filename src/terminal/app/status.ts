import type { PermissionMode } from '../../contract/permission/context.js'
import type { SpanStyle, StyledLine } from '../../views/styled-line.js'
import { truncate } from '../../views/text-width.js'
import { formatCost, formatCount, formatDuration, formatTokens, muted } from '../blocks/format.js'
import type { TodoItem } from './app-session.js'

/** The modes that Shift+Tab cycles through. */
export const CYCLED_MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'auto']

const MODE_LABELS: Readonly<Record<PermissionMode, { readonly text: string; readonly tone: SpanStyle['tone'] }>> = {
  default: { text: 'asks before changes', tone: 'muted' },
  acceptEdits: { text: 'accepts edits', tone: 'accent' },
  plan: { text: 'plan mode', tone: 'success' },
  auto: { text: 'auto mode', tone: 'warning' },
  dontAsk: { text: 'never asks', tone: 'warning' },
  bypassPermissions: { text: 'bypasses permissions', tone: 'error' },
}

export interface StatusFacts {
  readonly mode: PermissionMode
  readonly model: string
  readonly folder: string
  /** How much of the context window is used, from 0 to 1. */
  readonly usedShare: number | undefined
  readonly runningTasks: number
  /** Takes the place of everything else for a moment. */
  readonly hint: string | undefined
}

/** The row below the prompt. */
export function renderStatus({ mode, model, folder, usedShare, runningTasks, hint }: StatusFacts): StyledLine {
  if (hint !== undefined) return [{ text: hint, style: { tone: 'warning' } }]
  const { text, tone } = MODE_LABELS[mode]
  const facts = [
    model,
    folder,
    ...(usedShare === undefined ? [] : [`${Math.round(usedShare * 100)}% of context`]),
    ...(runningTasks === 0 ? [] : [`${formatCount(runningTasks, 'task')} in background`]),
  ]
  return [{ text, style: tone === undefined ? {} : { tone } }, muted(` · ${facts.join(' · ')}`)]
}

export interface WorkFacts {
  readonly activity: string | undefined
  readonly elapsedMs: number
  readonly tokens: number
  readonly costUsd: number | undefined
}

const SPINNER = ['◐', '◓', '◑', '◒']
/** Duration of a frame of the spinner. */
export const SPINNER_MS = 250

/** The row that shows that work is going on. */
export function renderWork(
  { activity = 'Working', elapsedMs, tokens, costUsd }: WorkFacts,
  columns: number,
): StyledLine {
  const frame = SPINNER[Math.floor(elapsedMs / SPINNER_MS) % SPINNER.length]
  const facts = [
    formatDuration(elapsedMs),
    ...(tokens === 0 ? [] : [`${formatTokens(tokens)} tokens`]),
    ...(costUsd === undefined || costUsd === 0 ? [] : [formatCost(costUsd)]),
    'Esc to interrupt',
  ]
  return truncate(
    [{ text: `${frame} ${activity}… `, style: { tone: 'accent' } }, muted(`(${facts.join(' · ')})`)],
    columns,
  )
}

const MAX_TODO_ROWS = 6

/** The todo list, from the first item that is not done. */
export function renderTodos(todos: readonly TodoItem[], columns: number): StyledLine[] {
  const openIndex = todos.findIndex(({ status }) => status !== 'completed')
  if (openIndex === -1) return []
  const start = Math.max(0, Math.min(openIndex - 1, todos.length - MAX_TODO_ROWS))
  const shown = todos.slice(start, start + MAX_TODO_ROWS)
  const hidden = todos.length - shown.length
  const rows = shown.map(({ content, status }): StyledLine => {
    if (status === 'completed') return [muted(`  ✓ ${content}`)]
    if (status === 'in_progress') return [{ text: `  ▸ ${content}`, style: { bold: true } }]
    return [{ text: `  ☐ ${content}` }]
  })
  return [...rows, ...(hidden > 0 ? [[muted(`    ${hidden} more`)]] : [])].map((row) => truncate(row, columns))
}

/** Prompts that wait. */
export function renderQueue(texts: readonly string[], label: string, columns: number): StyledLine[] {
  return texts.map((text) => truncate([muted(`  ${label} `), { text: text.replace(/\s+/g, ' ') }], columns))
}
