import type { AssistantMessage, Message, ToolResultBlock, UserMessage } from '../../../contract/messages.js'
import { findSessionByPrefix } from '../../../session/transcript/read/find-session.js'
import { type ListedSession, listSessions } from '../../../session/transcript/read/list-sessions.js'
import { readSession } from '../../../session/transcript/read/read-session.js'
import { SessionError } from '../../../session/transcript/storage/session-error.js'
import { findProjectRoot } from '../../../settings/files/find-project-root.js'
import { cutText } from '../../../shared/cut-text.js'
import { toPrintable, toPrintableLines } from '../../../shared/printable.js'
import type { CommandIo } from '../../io/command.js'
import { asUsageError, EXIT, UsageError } from '../../io/exit.js'
import { formatResult } from '../../io/format-result.js'
import type { SessionChoice } from '../../options/agent-options.js'

const MAX_LISTED_SESSIONS = 50

/** Shows a session, or lists the sessions of this folder. Needs no model. */
export async function showSession(
  io: CommandIo,
  { shouldContinueLatest, resume = '' }: SessionChoice,
): Promise<number> {
  const host = await io.host()
  const projectRoot = await findProjectRoot({ cwd: host.cwd, home: host.homeDir })
  if (resume !== '') return showTranscript(io, resume, projectRoot)
  const sessions = await listSessions(io.homeDir, projectRoot)
  const [newestSession, ...others] = sessions
  if (newestSession === undefined) throw new UsageError('no sessions in this folder yet. Start one with haft -p "…".')
  if (shouldContinueLatest || others.length === 0) return showTranscript(io, newestSession.id, projectRoot)
  io.out(`${sessions.slice(0, MAX_LISTED_SESSIONS).map(toSessionLine).join('\n')}\n`)
  io.err('Show a session with haft --resume ID; continue it with haft -p --resume ID "…".\n')
  return EXIT.done
}

export async function showTranscript(io: CommandIo, session: string, projectRoot: string): Promise<number> {
  try {
    const foundSession = findSessionByPrefix(session, { home: io.homeDir, projectRoot })
    const { messages, title } = readSession(foundSession)
    const host = await io.host()
    for (const chunk of formatTranscript(messages)) await host.write(chunk)
    io.err(
      `${title === undefined ? '' : `${toPrintable(title)}\n`}Continue it: haft -p --resume ${foundSession.id} "…"\n`,
    )
    return EXIT.done
  } catch (error) {
    throw error instanceof SessionError ? asUsageError(error) : error
  }
}

function toSessionLine({ id, lastAt, messages, title, isOpen }: ListedSession): string {
  const lastTime = new Date(lastAt).toISOString().slice(0, 16).replace('T', ' ')
  const count = messages === undefined ? '' : `${messages} messages`
  return [id, lastTime, count.padEnd(13), `${isOpen ? '(open) ' : ''}${toPrintable(title ?? '')}`].join('  ').trimEnd()
}

const MAX_INPUT_CHARS = 300
const MAX_RESULT_LINES = 8
const MAX_LINE_CHARS = 300

/** Yields a conversation as text. Long inputs and results are cut. */
function* formatTranscript(messages: readonly (Message | undefined)[]): Generator<string, void> {
  for (const message of messages) {
    if (message === undefined) yield '[unreadable message]\n\n'
    else if (message.type === 'user') yield formatUserMessage(message)
    else if (message.type === 'assistant') yield formatAssistantMessage(message)
    else if (message.type === 'system') yield `[${escapeLines(message.content)}]\n\n`
  }
}

function formatUserMessage({ content }: UserMessage): string {
  if (typeof content === 'string') return quotePrompt(content)
  return content
    .map((block) => {
      if (block.type === 'text') return quotePrompt(block.text)
      return block.type === 'tool_result' ? formatResultBlock(block) : `> [${block.type}]\n\n`
    })
    .join('')
}

function quotePrompt(text: string): string {
  return `${escapeLines(text)
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')}\n\n`
}

function formatAssistantMessage({ content }: AssistantMessage): string {
  return content
    .map((block) => {
      if (block.type === 'text') return block.text.trim() === '' ? '' : `${escapeLines(block.text.trim())}\n\n`
      if (block.type !== 'tool_use') return ''
      return `● ${toPrintable(block.name)} ${truncate(toPrintable(JSON.stringify(block.input) ?? ''), MAX_INPUT_CHARS)}\n\n`
    })
    .join('')
}

function formatResultBlock(block: ToolResultBlock): string {
  const lines = escapeLines(formatResult(block).trimEnd()).split('\n')
  const shownLines = lines.slice(0, MAX_RESULT_LINES).map((line) => truncate(line, MAX_LINE_CHARS))
  const hiddenCount = lines.length - shownLines.length
  const [firstLine = '', ...otherLines] = [...shownLines, ...(hiddenCount > 0 ? [`[${hiddenCount} more lines]`] : [])]
  return `${[`  └ ${block.is_error === true ? 'error: ' : ''}${firstLine}`, ...otherLines.map((line) => `    ${line}`)].join('\n')}\n\n`
}

/** Escapes control characters before lines are cut, because escapes are longer. */
function escapeLines(text: string): string {
  return toPrintableLines(text.replaceAll('\r\n', '\n').replaceAll('\t', '  '))
}

function truncate(text: string, chars: number): string {
  return text.length <= chars ? text : `${cutText(text, chars)}…`
}
