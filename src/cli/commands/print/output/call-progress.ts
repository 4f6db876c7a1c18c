import type { CallEnded, ToolEvent } from '../../../../contract/events.js'
import type { ToolResultBlock } from '../../../../contract/messages.js'
import type { Tool } from '../../../../contract/tool/tool.js'
import { type CallFacts, type CallState, describeCall } from '../../../../views/call-view.js'
import { indentLines } from '../../../../views/plain-lines.js'
import { renderView } from '../../../../views/render-view.js'
import { type StyledLine, textOfLine } from '../../../../views/styled-line.js'
import { truncate } from '../../../../views/text-width.js'
import type { CommandIo } from '../../../io/command.js'

const DEFAULT_COLUMNS = 80

interface ProgressOptions {
  /** Whether results are printed as well. Lines are then not cut. */
  readonly isVerbose: boolean
  readonly findTool: (name: string) => Tool | undefined
}

/** Prints a line drawn by the tool to standard error when a call starts, and another one if it fails. */
export class CallProgress {
  readonly #io: Pick<CommandIo, 'err' | 'columns'>
  readonly #options: ProgressOptions
  readonly #calls = new Map<string, Omit<CallFacts, 'state'>>()
  readonly #deniedIds = new Set<string>()
  /** Calls that another call made are indented below it. */
  readonly #nestedIds = new Set<string>()

  constructor(io: Pick<CommandIo, 'err' | 'columns'>, options: ProgressOptions) {
    this.#io = io
    this.#options = options
  }

  handleEvent(event: ToolEvent): void {
    if (event.type === 'mode-entered') return
    const { toolUseId } = event
    if (event.type === 'call-queued') {
      const { toolName, input } = event
      this.#calls.set(toolUseId, { toolName, tool: this.#options.findTool(toolName), toolUseId, input })
      if (event.parentToolUseId !== undefined) this.#nestedIds.add(toolUseId)
      return
    }
    const call = this.#calls.get(toolUseId)
    if (call === undefined) return
    if (event.type === 'call-started') this.#printTitle(call)
    else if (event.type === 'permission-decided' && event.behavior === 'deny') this.#deniedIds.add(toolUseId)
    else if (event.type === 'call-ended') this.#end(call, event)
  }

  #printTitle(call: Omit<CallFacts, 'state'>): void {
    const { title, isHidden } = describeCall({ ...call, state: 'running' }, this.#viewOptions)
    if (!isHidden) this.#print(call.toolUseId, renderView(title, this.#viewOptions).slice(0, 1))
  }

  #end(call: Omit<CallFacts, 'state'>, { toolUseId, result, output, errorCode }: CallEnded): void {
    this.#calls.delete(toolUseId)
    const state: CallState = this.#deniedIds.delete(toolUseId)
      ? 'rejected'
      : result.is_error === true
        ? 'failed'
        : 'done'
    // Denied calls are listed at the end, with the rules that would allow them.
    if (!this.#options.isVerbose && (state !== 'failed' || errorCode === 'cancelled')) return
    const { body } = describeCall({ ...call, state, output, resultText: textOf(result) }, this.#viewOptions)
    if (body === undefined) return
    const lines = indentLines(renderView(body, this.#viewOptions), 2)
    this.#print(toolUseId, this.#options.isVerbose ? lines : lines.slice(-1))
    this.#nestedIds.delete(toolUseId)
  }

  get #viewOptions() {
    return { verbose: this.#options.isVerbose }
  }

  /** Does not escape control characters, because `io.err` does. */
  #print(toolUseId: string | undefined, unindentedLines: readonly StyledLine[]): void {
    const isNested = toolUseId !== undefined && this.#nestedIds.has(toolUseId)
    const lines = isNested ? indentLines(unindentedLines, 2) : unindentedLines
    // A terminal of unknown width reports 0.
    const width = this.#io.columns || DEFAULT_COLUMNS
    const shownLines = this.#options.isVerbose ? lines : lines.map((line) => truncate(line, width))
    for (const line of shownLines) this.#io.err(`${textOfLine(line)}\n`)
  }
}

function textOf({ content }: ToolResultBlock): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')
}
