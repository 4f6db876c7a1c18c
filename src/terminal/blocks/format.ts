import type { Message } from '../../contract/messages.js'
import { readTeamMessage } from '../../session/messages/team-messages.js'
import { formatCounted } from '../../shared/counted.js'
import { cutText } from '../../shared/cut-text.js'
import type { StyledLine, StyledSpan } from '../../views/styled-line.js'
import { widthOf } from '../../views/text-width.js'

/** The activity while the model writes text. */
export const ANSWERING = 'Answering'

/** Formats a number of tokens briefly: `950`, `12.3k`, `1.2M`. */
export function formatTokens(tokens: number): string {
  if (tokens < 1_000) return String(tokens)
  if (tokens < 999_950) return `${(tokens / 1_000).toFixed(tokens < 99_950 ? 1 : 0)}k`
  return `${(tokens / 1_000_000).toFixed(1)}M`
}

/** Formats a duration briefly: `8s`, `1m 05s`, `2h 03m`. */
export function formatDuration(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m ${pad(seconds % 60)}s`
  return `${Math.floor(minutes / 60)}h ${pad(minutes % 60)}m`
}

/** Formats an amount in US dollars, with more digits if it is small. */
export function formatCost(costUsd: number): string {
  return `$${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`
}

function pad(number: number): string {
  return String(number).padStart(2, '0')
}

export const BLANK_LINE: StyledLine = []

/** Creates a span for secondary text. */
export function createMutedSpan(text: string): StyledSpan {
  return { text, style: { tone: 'muted' } }
}

/** Puts a marker before the first line, and spaces of the same width before the others. */
export function withMarker(marker: StyledSpan, lines: readonly StyledLine[]): StyledLine[] {
  const indent: StyledSpan = { text: ' '.repeat(widthOf(marker.text)), prefix: 'space' }
  return lines.map((line, index) => [index === 0 ? { ...marker, prefix: 'space' } : indent, ...line])
}

/** Puts a label before the first line, for screen readers. */
export function withLabel(label: string, lines: readonly StyledLine[]): StyledLine[] {
  return lines.map((line, index) => (index === 0 ? [{ text: label }, ...line] : line))
}

/** Limits for displayed prompts, which may contain pastes of any size. */
const MAX_PROMPT_LINES = 40
const MAX_PROMPT_CHARS = 4_000

export function shortenPrompt(text: string): string {
  const lines = text.split('\n', MAX_PROMPT_LINES + 1)
  if (lines.length <= MAX_PROMPT_LINES && text.length <= MAX_PROMPT_CHARS) return text
  const shownText = cutText(lines.slice(0, MAX_PROMPT_LINES).join('\n'), MAX_PROMPT_CHARS)
  return `${shownText}\n… ${formatCounted(text.length - shownText.length, 'more character')}: Ctrl+O shows them.`
}

/** A message between members of the team, with its sender and receiver. Undefined for other messages. */
export function describeTeamMessage(message: Message): string | undefined {
  const teamMessage = readTeamMessage(message)
  if (teamMessage === undefined) return undefined
  const { from, to, kind, text } = teamMessage
  const remark = kind === 'idle' ? ' (now waits for messages)' : ''
  return `${from} → ${to}${remark}: ${shortenPrompt(text)}`
}
