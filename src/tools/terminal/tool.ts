import * as z from 'zod'
import { ToolCallError } from '../../contract/errors.js'
import { textResult } from '../../contract/messages.js'
import type { TerminalPort, TerminalSession } from '../../contract/ports/terminal.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { block, code, text } from '../../contract/view-builders.js'
import { toPlainOutput } from '../../shared/plain-output.js'
import { quote } from '../../shared/quote.js'
import { matchesCommandRule } from '../../shell/patterns/match-command.js'
import { toKeySequence } from './key-sequence.js'
import { prompt } from './prompt.js'
import {
  createTerminalInputSchema,
  DEFAULT_WAIT_MS,
  findInputProblem,
  MAX_WAIT_MS,
  type TerminalInput,
} from './terminal-input.js'

/** Command rules apply to the command of `start`. Keys may contain any command, so `send` needs approval. */
export const TerminalTool = buildTool({
  name: 'Terminal',
  searchHint: 'drive interactive programs',
  needs: ['terminal'],
  description: 'Drives an interactive program',
  prompt,

  inputSchema: lazySchema(createTerminalInputSchema),
  outputSchema: lazySchema(() =>
    z.object({
      session_id: z.string(),
      screen: z.string(),
      cursor: z.object({ row: z.number(), column: z.number() }),
      found: z.boolean().optional(),
      exitCode: z.number().optional(),
      isClosed: z.boolean().optional(),
    }),
  ),

  command: ({ action, command = '' }) => (action === 'start' ? { text: command, language: 'bash' } : undefined),
  isReadOnly: ({ action }) => action === 'read' || action === 'wait',
  isDestructive: ({ action }) => action !== 'read' && action !== 'wait',
  isOpenWorld: ({ action }) => action === 'start' || action === 'send',
  interruptBehavior: () => 'cancel',
  resources({ action, session_id = '' }) {
    const session = { thing: `terminal:${session_id}` }
    if (action === 'close') return { writes: [session] }
    return action === 'start' || action === 'send' ? { unknown: true } : { reads: [session] }
  },
  preparePermissionMatcher({ action }, command) {
    // No rule can cover keys, because their effects are unknown.
    if (action === 'send') return rejectUnknownEffect
    return action === 'start' ? (content) => matchesCommandRule(content, command) : () => false
  },
  validateInput(input) {
    const problem = findInputProblem(input)
    if (problem !== undefined) return { result: false, errorCode: 1, message: problem }
    toKeySequence(input.keys ?? [])
    return { result: true }
  },
  checkPermissions(input) {
    // Reading or closing a session of this conversation needs no approval.
    if (input.action !== 'start' && input.action !== 'send') return { behavior: 'allow', updatedInput: input }
    return { behavior: 'passthrough' }
  },
  // A classifier cannot judge keys: several harmless calls can make up one command, and the effect depends on the program.
  toAutoClassifierInput: ({ action, command = '' }) => (action === 'start' ? command : ''),

  async call(input, { terminal, cwd, signal }) {
    if (input.action === 'start') {
      const { command = '', columns, rows } = input
      const size = { ...(columns !== undefined && { columns }), ...(rows !== undefined && { rows }) }
      return { data: await readScreen(await terminal.open(command, { cwd, ...size })) }
    }
    const session = getSession(input, terminal)
    if (input.action === 'send') await session.send(toKeySequence(input.keys ?? []))
    if (input.action !== 'wait') return { data: await readScreen(session, input.action === 'close') }
    const timeoutMs = Math.min(input.timeout ?? DEFAULT_WAIT_MS, MAX_WAIT_MS)
    const isFound = await session.waitFor(input.text ?? '', { signal, timeoutMs })
    return { data: { ...(await readScreen(session)), found: isFound } }
  },

  mapToolResultToToolResultBlockParam(output, toolUseId) {
    const { screen, exitCode, isClosed, found, session_id } = output
    const notes = [
      ...(found === false ? ['The text to wait for did not appear.'] : []),
      ...(exitCode === undefined ? [] : [`The program has ended with exit code ${exitCode}.`]),
      isClosed === true
        ? `Session ${session_id} is closed.`
        : `Session ${session_id}, cursor at ${formatPosition(output.cursor)}.`,
    ]
    return textResult(toolUseId, `${screen === '' ? '(The screen is empty.)' : screen}\n\n${notes.join(' ')}`)
  },

  getToolUseSummary: summarise,
  getActivityDescription: (input) => `Terminal: ${summarise(input) ?? 'starting'}`,
  renderToolUseMessage: (input) => summarise(input) ?? '',
  renderToolResultMessage: ({ screen, exitCode }) =>
    block(code(screen), ...(exitCode === undefined ? [] : [text(`Ended with exit code ${exitCode}`, 'muted')])),
  extractSearchText: ({ screen }) => screen,
})

function rejectUnknownEffect(): never {
  throw new Error('The effect of keys is unknown before they are typed.')
}

async function readScreen(session: TerminalSession, shouldClose = false) {
  const { text, cursor, exit } = await session.screen()
  if (shouldClose) await session.close()
  return {
    session_id: session.id,
    screen: toPlainOutput(text),
    cursor: { row: cursor.row, column: cursor.column },
    ...(exit !== undefined && { exitCode: exit.exitCode }),
    ...(shouldClose && { isClosed: true }),
  }
}

function getSession({ session_id = '' }: TerminalInput, terminal: TerminalPort): TerminalSession {
  const session = terminal.get(session_id)
  if (session !== undefined) return session
  const openSessions = terminal.list().map(({ id, command }) => `${id} (${command})`)
  const list =
    openSessions.length === 0 ? 'No session is open; start one.' : `Open sessions: ${openSessions.join(', ')}.`
  throw new ToolCallError('tool_failed', `Unknown session ${quote(session_id)}. ${list}`)
}

function summarise(input: Partial<TerminalInput> | undefined): string | null {
  const { action, command, keys, text }: Record<string, unknown> = input ?? {}
  if (action === 'start' && typeof command === 'string') return command
  if (action === 'send' && Array.isArray(keys)) return `send ${keys.map(String).join(' ')}`
  if (action === 'wait' && typeof text === 'string') return `wait for ${text}`
  return typeof action === 'string' ? action : null
}

function formatPosition({ row, column }: { readonly row: number; readonly column: number }): string {
  return `row ${row + 1}, column ${column + 1}`
}
