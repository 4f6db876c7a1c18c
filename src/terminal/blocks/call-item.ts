import type { ModeEntered, ToolEvent } from '../../contract/events.js'
import type { ToolResultBlock } from '../../contract/messages.js'
import type { Tool } from '../../contract/tool/tool.js'
import type { View } from '../../contract/views.js'
import type { SessionEvent } from '../../session/conversation/session-event.js'
import { describeRefusal, INTERRUPTED } from '../../session/transcript/storage/shown-result.js'
import { formatCounted } from '../../shared/counted.js'
import { type CallDescription, type CallFacts, type CallState, describeCall } from '../../views/call-view.js'
import { renderView } from '../../views/render-view.js'
import type { StyledLine, StyledSpan } from '../../views/styled-line.js'
import { truncate } from '../../views/text-width.js'
import { createMutedSpan, formatDuration, formatTokens, withLabel, withMarker } from './format.js'
import { parsePartialJson } from './partial-json.js'

/** Older progress events are dropped, because only the latest ones are displayed. */
const MAX_PROGRESS_EVENTS = 100
/** The maximum number of rows for the body of a running call. */
const MAX_LIVE_ROWS = 8

/** The maximum number of nested calls that are shown while the call runs, and afterwards. */
const MAX_LIVE_NESTED = 6
const MAX_NESTED = 20

/** How calls are drawn. */
export interface CallStyle {
  readonly isScreenReader: boolean
  readonly verbose: boolean
  /** The width of the screen. */
  readonly columns: number
  readonly cwd: string | undefined
}

/** The displayed state of a call, from the first streamed part of its input to its result. */
export class CallItem {
  readonly id: string
  readonly toolName: string
  readonly #tool: Tool | undefined
  readonly #startedAt: number
  readonly #progress: unknown[] = []
  #state: CallState = 'queued'
  #input: unknown
  #json = ''
  #output: unknown
  #shown: CallFacts['shown']
  #resultText: string | undefined
  /** Why the call was denied or cancelled, as shown to the user. */
  #failureText: string | undefined
  #isDenied = false
  #agent: AgentProgress | undefined
  /** The calls that the tool of this call has made. */
  readonly #nestedCalls: CallItem[] = []

  constructor(id: string, toolName: string, tool: Tool | undefined, now: number) {
    this.id = id
    this.toolName = toolName
    this.#tool = tool
    this.#startedAt = now
  }

  get state(): CallState {
    return this.#state
  }

  get hasEnded(): boolean {
    return this.#state === 'done' || this.#state === 'rejected' || this.#state === 'failed'
  }

  get facts(): CallFacts {
    return {
      ...{ toolName: this.toolName, tool: this.#tool, toolUseId: this.id, state: this.#state },
      ...{ input: this.#input ?? {}, progress: this.#progress },
      ...(this.#output !== undefined && { output: this.#output }),
      ...(this.#shown !== undefined && { shown: this.#shown }),
      ...(this.#resultText !== undefined && { resultText: this.#resultText }),
      ...(this.#failureText !== undefined && { failureText: this.#failureText }),
    }
  }

  addInput(json: string): void {
    this.#json += json
    this.#input = undefined
  }

  setInput(input: unknown): void {
    this.#input = input
    this.#json = ''
  }

  /** Updates the state from an event of the call. */
  handle(event: ToolEvent): void {
    switch (event.type) {
      case 'call-queued':
        this.setInput(event.input)
        break
      case 'call-started':
        this.#state = 'running'
        break
      case 'permission-asked':
        this.#state = 'waiting-for-permission'
        break
      case 'permission-decided':
        this.#state = 'running'
        if (event.behavior === 'deny') {
          this.#isDenied = true
          if (event.reason.type === 'person') this.#failureText = describeRefusal(event.reason.text)
        }
        break
      case 'call-progressed':
        this.#progress.push(event.progress)
        if (this.#progress.length > MAX_PROGRESS_EVENTS) this.#progress.shift()
        break
      case 'call-ended':
        if (event.errorCode === 'cancelled') this.#failureText = INTERRUPTED
        this.end(event.result, event.output)
        break
    }
  }

  /** @param shown how the tool showed the result, if another process ran the call */
  end(result: ToolResultBlock, output?: unknown, shown?: CallFacts['shown']): void {
    this.#output = output
    this.#shown = shown
    this.#resultText = textOfResult(result)
    const isRefused = this.#isDenied || shown?.isRefused === true
    this.#state = result.is_error !== true ? 'done' : isRefused ? 'rejected' : 'failed'
    this.#failureText ??= textOfRefusal(shown)
  }

  /** Marks the call as failed, because it will have no result. */
  discard(): void {
    this.#resultText = "The model's answer broke off."
    this.#state = 'failed'
  }

  /** Handles an event of the sub-agent that this call has started. */
  handleAgent(event: SessionEvent, describe: (event: ToolEvent) => string | undefined): void {
    this.#agent ??= new AgentProgress()
    this.#agent.handle(event, describe)
  }

  /** Handles an event of a call that the tool of this call has made. */
  handleNested(event: Exclude<ToolEvent, ModeEntered>, createCall: (id: string, toolName: string) => CallItem): void {
    if (event.type === 'call-queued') this.#nestedCalls.push(createCall(event.toolUseId, event.toolName))
    const call = this.#nestedCalls.findLast(({ id }) => id === event.toolUseId)
    // Only titles and states of nested calls are shown, so their results are not kept.
    call?.handle(event.type === 'call-ended' ? { ...event, output: undefined } : event)
  }

  describe(style: CallStyle): CallDescription {
    if (this.#input === undefined) this.#input = parsePartialJson(this.#json) ?? {}
    return describeCall(this.facts, { verbose: style.verbose })
  }

  /** Renders the finished call as logical lines. */
  renderLines(style: CallStyle): StyledLine[] {
    const { title, body } = this.describe(style)
    const nestedLines = this.#renderNested(style, MAX_NESTED)
    return drawCall({ title, body, state: this.#state, style, nestedLines })
  }

  /** Renders one line for each of the last nested calls. */
  #renderNested(style: CallStyle, maxCount: number): StyledLine[] {
    const calls = this.#nestedCalls
    const hiddenCount = Math.max(0, calls.length - maxCount)
    const notice = hiddenCount === 0 ? [] : [[createMutedSpan(`  … ${formatCounted(hiddenCount, 'earlier call')}`)]]
    return [...notice, ...calls.slice(-maxCount).map((call) => call.#renderNestedLine(style))]
  }

  #renderNestedLine(style: CallStyle): StyledLine {
    const [titleLine = []] = renderView(this.describe(style).title, { ...style, columns: style.columns - 4 })
    if (style.isScreenReader)
      return [{ text: `  tool${this.#state === 'done' ? '' : ` ${this.#state}`}: ` }, ...titleLine]
    const isAsking = this.#state === 'waiting-for-permission'
    const marker: StyledSpan = this.hasEnded ? markerOf(this.#state) : { text: '○ ', style: { tone: 'accent' } }
    const line = [
      { text: '  ' },
      marker,
      ...titleLine,
      ...(isAsking ? [createMutedSpan('  waiting for your answer')] : []),
    ]
    return truncate(line, style.columns)
  }

  /** Renders the running call as rows for the footer. */
  renderLiveRows(style: CallStyle, now: number): StyledLine[] {
    const { title, body, isInteractive } = this.describe(style)
    const width = style.columns
    const [titleRow = [], ...otherTitleRows] = renderView(title, { width: width - 2, verbose: false, cwd: style.cwd })
    const isAsking = this.#state === 'waiting-for-permission' || (isInteractive && this.#state === 'running')
    const state = isAsking ? 'waiting for your answer' : undefined
    const seconds = formatDuration(now - this.#startedAt)
    const time = this.hasEnded || seconds === '0s' ? '' : seconds
    const isQueued = this.#state === 'queued' && body === undefined
    const note = state ?? (isQueued ? 'queued' : time)
    const head: StyledLine = [
      ...titleRow,
      ...(otherTitleRows.length > 0 ? [createMutedSpan(' …')] : []),
      createMutedSpan(note === '' ? '' : `  ${note}`),
    ]
    // The permission dialog already shows what the call would do.
    const hasBody = body !== undefined && this.#state !== 'waiting-for-permission'
    const bodyRows = !hasBody ? [] : renderView(body, { width: width - 4, verbose: false, cwd: style.cwd })
    const agentRow = this.hasEnded ? undefined : this.#agent?.renderRow()
    const rows = agentRow === undefined ? bodyRows.slice(-MAX_LIVE_ROWS) : [agentRow]
    const marker: StyledSpan = this.hasEnded ? markerOf(this.#state) : { text: '○ ', style: { tone: 'accent' } }
    const nestedRows = this.#renderNested(style, MAX_LIVE_NESTED)
    return [
      truncate([marker, ...head], width),
      ...nestedRows,
      ...withMarker(createMutedSpan('  └ '), rows).map((row) => truncate(row, width)),
    ]
  }

  get activity(): string | undefined {
    return this.#agent?.activity
  }
}

/** Draws an ended call: a coloured dot and its title, below it the indented body. */
export function drawCall(call: {
  readonly title: View
  readonly body?: View | undefined
  readonly state: CallState
  readonly style: CallStyle
  /** The lines of nested calls, between the title and the body. */
  readonly nestedLines?: readonly StyledLine[]
}): StyledLine[] {
  const { title, body, state, style, nestedLines = [] } = call
  const { isScreenReader, columns } = style
  const options = { ...style, columns: columns - 4 }
  const titleLines = renderView(title, options)
  const bodyLines = body === undefined ? [] : renderView(body, options)
  if (isScreenReader) {
    const label = state === 'done' ? 'tool: ' : `tool ${state}: `
    return [...withLabel(label, titleLines), ...nestedLines, ...withLabel('result: ', bodyLines)]
  }
  return [...withMarker(markerOf(state), titleLines), ...nestedLines, ...withMarker(createMutedSpan('  └ '), bodyLines)]
}

/** Returns the text of a refusal that another process has recorded. */
export function textOfRefusal(shown: CallFacts['shown']): string | undefined {
  if (shown?.isRefused !== true || typeof shown.view !== 'object' || !('type' in shown.view)) return undefined
  return shown.view.type === 'text' ? shown.view.text : undefined
}

export function markerOf(state: CallState): StyledSpan {
  if (state === 'failed') return { text: '✗ ', style: { tone: 'error' } }
  if (state === 'rejected') return { text: '⊘ ', style: { tone: 'warning' } }
  return { text: '● ', style: { tone: 'success' } }
}

export function textOfResult({ content }: ToolResultBlock): string {
  if (typeof content === 'string') return content
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
}

/** The progress of a sub-agent, in one row. */
class AgentProgress {
  activity: string | undefined
  #calls = 0
  #tokens = 0

  handle(event: SessionEvent, describe: (event: ToolEvent) => string | undefined): void {
    if (event.type === 'tool-event') {
      if (event.event.type === 'call-queued') this.#calls++
      this.activity = describe(event.event) ?? this.activity
    } else if (event.type === 'message-added' && event.facts.usage !== undefined) {
      const { input, output, cacheWrite } = event.facts.usage
      this.#tokens += input + output + cacheWrite
    } else if (event.type === 'request-started') this.activity ??= 'Thinking'
  }

  renderRow(): StyledLine {
    const parts = [this.activity, formatCounted(this.#calls, 'call'), `${formatTokens(this.#tokens)} tokens`]
    return [createMutedSpan(parts.filter((part) => part !== undefined).join(' · '))]
  }
}
