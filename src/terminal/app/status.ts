import type { PermissionMode } from '../../contract/permission/context.js'
import type { Team } from '../../contract/ports/teams.js'
import { formatCounted } from '../../shared/counted.js'
import { cutText } from '../../shared/cut-text.js'
import type { SpanStyle, StyledLine } from '../../views/styled-line.js'
import { truncate, widthOf } from '../../views/text-width.js'
import { ANSWERING, createMutedSpan, formatCost, formatDuration, formatTokens } from '../blocks/format.js'
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
  readonly contextUsage: number | undefined
  readonly runningTasks: number
  /** Temporarily replaces everything else in the row. */
  readonly hint: string | undefined
}

/** Renders the row below the prompt. On a narrow screen, only the most important facts are shown. */
export function renderStatus(
  { mode, model, folder, contextUsage, runningTasks, hint }: StatusFacts,
  columns: number,
): StyledLine {
  if (hint !== undefined) return [{ text: hint, style: { tone: 'warning' } }]
  const { text, tone } = MODE_LABELS[mode]
  const facts = [
    ...(runningTasks === 0 ? [] : [`${formatCounted(runningTasks, 'task')} in background`]),
    ...(contextUsage === undefined ? [] : [`${Math.round(contextUsage * 100)}% of context`]),
    model,
    folder,
  ].map((fact) => ` · ${fact}`)
  while (facts.length > 0 && widthOf(text + facts.join('')) > columns) facts.pop()
  return [{ text, style: tone === undefined ? {} : { tone } }, createMutedSpan(facts.join(''))]
}

export interface WorkFacts {
  readonly activity: string | undefined
  readonly elapsedMs: number
  readonly tokens: number
  readonly costUsd: number | undefined
}

const SPINNER = ['◐', '◓', '◑', '◒']
/** The duration of one spinner frame. */
export const SPINNER_MS = 250

/** Renders the row with the spinner, the current activity and the elapsed time. */
export function renderWork(
  { activity = 'Working', elapsedMs, tokens, costUsd }: WorkFacts,
  columns: number,
): StyledLine {
  // While text arrives, the text shows the progress.
  const frame = SPINNER[activity === ANSWERING ? 0 : Math.floor(elapsedMs / SPINNER_MS) % SPINNER.length]
  const head = `${frame} ${activity}… `
  const facts = [
    formatDuration(elapsedMs),
    'Esc to interrupt',
    ...(tokens === 0 ? [] : [`${formatTokens(tokens)} tokens`]),
    ...(costUsd === undefined || costUsd === 0 ? [] : [formatCost(costUsd)]),
  ]
  const text = () => `(${facts.join(' · ')})`
  while (facts.length > 1 && widthOf(head + text()) > columns) facts.pop()
  return truncate([{ text: head, style: { tone: 'accent' } }, createMutedSpan(text())], columns)
}

const MAX_TODO_ROWS = 6

/** Renders at most `MAX_TODO_ROWS` items, starting just before the first one that is not completed. */
export function renderTodos(todos: readonly TodoItem[], columns: number): StyledLine[] {
  const openIndex = todos.findIndex(({ status }) => status !== 'completed')
  if (openIndex === -1) return []
  const start = Math.max(0, Math.min(openIndex - 1, todos.length - MAX_TODO_ROWS))
  const shownTodos = todos.slice(start, start + MAX_TODO_ROWS)
  const hiddenCount = todos.length - shownTodos.length
  const rows = shownTodos.map(({ content, status }): StyledLine => {
    if (status === 'completed') return [createMutedSpan(`  [x] ${content}`)]
    if (status === 'in_progress')
      return [
        { text: '  [>] ', style: { tone: 'accent' } },
        { text: content, style: { bold: true } },
      ]
    return [{ text: `  [ ] ${content}` }]
  })
  return [...rows, ...(hiddenCount > 0 ? [[createMutedSpan(`      ${hiddenCount} more`)]] : [])].map((row) =>
    truncate(row, columns),
  )
}

/** One row with the other members of the team and what they do. */
export function renderTeam(team: Team | undefined, columns: number): StyledLine[] {
  const members = team?.members.filter(({ role, agentId }) => role !== 'lead' || agentId !== undefined) ?? []
  if (team === undefined || members.length === 0) return []
  const spans = members.flatMap(({ name, status, unreadCount }, index) => [
    ...(index === 0 ? [] : [createMutedSpan(' · ')]),
    { text: `${name} `, ...(status === 'working' && { style: { tone: 'accent' } as const }) },
    createMutedSpan(unreadCount === 0 ? status : `${status}, ${formatCounted(unreadCount, 'message')} waiting`),
  ])
  return [truncate([createMutedSpan(`  team ${team.name}: `), ...spans], columns)]
}

const MAX_QUEUED_CHARS = 2_000

/** Draws prompts that the model has not received yet, one row each. */
export function renderQueue(texts: readonly string[], label: string, columns: number): StyledLine[] {
  // Pasted text can be long, and this is rendered for every frame.
  const startOf = (text: string) => cutText(text, MAX_QUEUED_CHARS).replace(/\s+/g, ' ')
  return texts.map((text) => truncate([createMutedSpan(`  ${label} `), { text: startOf(text) }], columns))
}
