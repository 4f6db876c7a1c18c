import type { AskPermission } from '../../../calls/call-environment.js'
import type { ToolEvent } from '../../../contract/events.js'
import type { AssistantMessage, ToolResultBlock } from '../../../contract/messages.js'
import type { SessionEvent } from '../../../session/conversation/session-event.js'
import { toPrintable } from '../../../shared/printable.js'
import type { CommandIo } from '../../io/command.js'
import { createStyles, StyledText } from '../../io/styled-text.js'
import { truncateText } from '../../io/terminal-text.js'

interface ShownCall {
  readonly name: string
  readonly input: unknown
  startedAt?: number
  endedAt?: number
}

const joinStyled = StyledText.join
const MAX_WIDTH = 100
const DEMO_SUMMARY =
  'You have seen parallel calls, an edit that needed permission, a hook that blocked a call, a long result saved to a file, and a tool of an MCP server found by search.'
const MAX_RESULT_LINES = 3

export class DemoScreen {
  readonly #io: CommandIo
  readonly #width: number
  readonly #style: ReturnType<typeof createStyles>
  readonly #calls = new Map<string, ShownCall>()

  constructor(io: CommandIo) {
    this.#io = io
    this.#width = Math.min(io.columns ?? MAX_WIDTH, MAX_WIDTH)
    this.#style = createStyles(io)
  }

  begin(folder: string, prompt: string): void {
    const { bold, dim } = this.#style
    this.#printLine(bold('haft demo'))
    this.#printParagraph(
      '',
      'The model is scripted; the tools, permission questions, hook and MCP server are real.',
      dim,
    )
    this.#printLine(dim(`Temporary project folder: ${folder}`))
    this.#printLine('')
    this.#printParagraph(bold('> '), prompt)
  }

  /** Answers every permission question with yes. */
  readonly answer: AskPermission = async ({ message }) => {
    const { yellow } = this.#style
    this.#printLine(joinStyled`  ${yellow('? ')}${this.#cut(message, 4)}`)
    this.#printLine(joinStyled`  ${yellow('  yes, this once')}`)
    return { behavior: 'allow' }
  }

  show(event: SessionEvent): void {
    if (event.type === 'tool-event') this.#showCall(event.event)
    if (event.type === 'notice') this.#printLine(joinStyled`  ${this.#style.dim(this.#cut(event.text, 2))}`)
    if (event.type !== 'message-added') return
    const { message } = event
    if (message.type === 'assistant') this.#showText(message)
    if (message.type === 'user' && typeof message.content !== 'string')
      this.#showResults(message.content.filter((block) => block.type === 'tool_result'))
  }

  end(sessionId: string): void {
    const { dim } = this.#style
    this.#printLine('')
    this.#printParagraph('', DEMO_SUMMARY, dim)
    this.#printLine(dim(`Show the session again: haft --resume ${sessionId}`))
  }

  #showText({ content }: AssistantMessage): void {
    const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
    if (text.trim() === '') return
    this.#printLine('')
    this.#printParagraph(this.#style.bold('● '), text)
  }

  /** Prints wrapped text after a mark. */
  #printParagraph(mark: string | StyledText, text: string, style = (line: string): string | StyledText => line): void {
    const [firstLine = '', ...otherLines] = this.#wrap(text)
    this.#printLine(joinStyled`${mark}${style(firstLine)}`)
    for (const line of otherLines) this.#printLine(joinStyled`${mark === '' ? '' : '  '}${style(line)}`)
  }

  #showCall(event: ToolEvent): void {
    if (event.type === 'call-queued') this.#calls.set(event.toolUseId, { name: event.toolName, input: event.input })
    const call = 'toolUseId' in event ? this.#calls.get(event.toolUseId) : undefined
    if (event.type === 'call-started' && call !== undefined) call.startedAt = event.at
    if (event.type === 'call-ended' && call !== undefined) call.endedAt = event.at
    if (event.type === 'hook-reported' && event.outcome === 'blocked')
      this.#printLine(
        joinStyled`  ${this.#style.yellow(`! ${event.hookEvent} hook: ${this.#cut(event.message ?? 'blocked', 22)}`)}`,
      )
  }

  #showResults(results: readonly ToolResultBlock[]): void {
    const executedCalls = results.flatMap(({ tool_use_id }) => this.#calls.get(tool_use_id) ?? []).filter(hasRun)
    for (const result of results) this.#showResult(result)
    const startTimes = executedCalls.map(({ startedAt }) => startedAt)
    const endTimes = executedCalls.map(({ endedAt }) => endedAt)
    // The times are shown only if all calls overlapped.
    if (executedCalls.length < 2 || Math.max(...startTimes) > Math.min(...endTimes)) return
    const elapsedMs = Math.max(...endTimes) - Math.min(...startTimes)
    const sequentialMs = executedCalls.reduce((sum, { startedAt, endedAt }) => sum + endedAt - startedAt, 0)
    const text = `${executedCalls.length} calls in parallel: ${elapsedMs} ms${sequentialMs > elapsedMs ? `; sequentially ${sequentialMs} ms` : ''}`
    this.#printLine(joinStyled`  ${this.#style.dim(this.#cut(text, 2))}`)
  }

  #showResult({ tool_use_id, content, is_error }: ToolResultBlock): void {
    const { red, green, dim, bold } = this.#style
    const call = this.#calls.get(tool_use_id)
    const name = call?.name ?? '?'
    const durationText = call !== undefined && hasRun(call) ? ` ${call.endedAt - call.startedAt} ms` : ''
    const summary = this.#cut(summaryOf(call?.input), name.length + 5 + durationText.length)
    const isTooWide = name.length + 5 + summary.length + durationText.length > this.#width
    const mark = is_error === true ? red('✗') : green('✓')
    this.#printLine(joinStyled`  ${mark} ${bold(name)} ${summary}${isTooWide ? '' : dim(durationText)}`)
    const lines = textOf(content)
      .split('\n')
      .filter((line) => line.trim() !== '')
    for (const line of lines.slice(0, MAX_RESULT_LINES)) this.#printLine(joinStyled`    ${dim(this.#cut(line, 4))}`)
    const hiddenLines = lines.length - MAX_RESULT_LINES
    if (hiddenLines > 0)
      this.#printLine(joinStyled`    ${dim(`… ${hiddenLines} more ${hiddenLines === 1 ? 'line' : 'lines'}`)}`)
  }

  #wrap(text: string): readonly string[] {
    const lines: string[] = ['']
    for (const word of toPrintable(text.replace(/\s+/g, ' ')).split(' ')) {
      const lastLine = lines.at(-1) ?? ''
      if (lastLine !== '' && lastLine.length + word.length + 3 > this.#width) lines.push(word)
      else lines[lines.length - 1] = lastLine === '' ? word : `${lastLine} ${word}`
    }
    return lines
  }

  #cut(text: string, reservedColumns: number): string {
    return truncateText(toPrintable(text.replace(/\s+/g, ' ')), Math.max(10, this.#width - reservedColumns))
  }

  #printLine(text: string | StyledText): void {
    this.#io.out(joinStyled`${text}\n`)
  }
}

function hasRun(call: ShownCall): call is ShownCall & { startedAt: number; endedAt: number } {
  return call.startedAt !== undefined && call.endedAt !== undefined
}

/** Summarises a call by the first field of its input, such as the path or the command. */
function summaryOf(input: unknown): string {
  const [firstValue] = Object.values((input ?? {}) as Record<string, unknown>)
  return typeof firstValue === 'string' ? firstValue : JSON.stringify(firstValue ?? '')
}

function textOf(content: ToolResultBlock['content']): string {
  if (typeof content === 'string') return content
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
}
