import type { ToolEvent } from '../../contract/events.js'
import type { Message } from '../../contract/messages.js'
import type { ModelEvent } from '../../contract/model/model.js'
import type { Tool } from '../../contract/tool/tool.js'
import type { View } from '../../contract/views.js'
import type { AgentInfo } from '../../session/agents/agents-options.js'
import { describeWakeNotice } from '../../session/conversation/pending-notices.js'
import type { SessionEvent } from '../../session/conversation/session-event.js'
import { describeGroup } from '../../views/call-view.js'
import { type MarkdownOptions, MarkdownStream, renderMarkdown } from '../../views/markdown-stream.js'
import { renderView } from '../../views/render-view.js'
import { softWrap } from '../../views/soft-wrap.js'
import type { StyledLine } from '../../views/styled-line.js'
import { truncate } from '../../views/text-width.js'
import { CallItem, type CallStyle, drawCall } from './call-item.js'
import {
  ANSWERING,
  BLANK_LINE,
  describeTeamMessage,
  formatDuration,
  formatTokens,
  shortenPrompt,
  withLabel,
  withMarker,
} from './format.js'

export interface TranscriptOptions {
  /** Receives each finished line once, in order. */
  readonly commit: (lines: readonly StyledLine[]) => void
  readonly findTool: (name: string) => Tool | undefined
  readonly columns: () => number
  /** Paths inside this folder are shown relative to it. */
  readonly cwd?: (() => string) | undefined
  readonly isScreenReader: boolean
  readonly now?: () => number
}

/** Streamed text: finished lines that wait for earlier items, and the open block. */
interface TextItem {
  readonly kind: 'text'
  readonly stream: MarkdownStream
  waiting: StyledLine[]
  hasBegun: boolean
  isOpen: boolean
}

interface CallEntry {
  readonly kind: 'call'
  readonly call: CallItem
}

/**
 * Turns the events of a session into lines. Finished items are committed exactly once, in the order of the
 * conversation. Unfinished items are drawn again for each frame: the open block of the answer, running calls, and a
 * group of reads and searches that may still grow.
 */
export class Transcript {
  readonly #options: TranscriptOptions
  readonly #now: () => number
  readonly #items: (TextItem | CallEntry)[] = []
  /** Ended calls that only read or searched, to be committed together. */
  #group: CallItem[] = []
  #groupName: string | undefined
  #isThinking = false
  #hasContent = false

  constructor(options: TranscriptOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  handle(event: SessionEvent): void {
    switch (event.type) {
      case 'request-started':
        this.#isThinking = false
        break
      case 'model-event':
        this.#handleModelEvent(event.event)
        break
      case 'message-added':
        this.#handleMessage(event.message)
        break
      case 'message-discarded':
        this.#discardMessage(event.reason)
        break
      case 'request-retried':
        this.addNotice('warning', `${event.error.message} Trying again in ${formatDuration(event.delayMs + 500)}.`)
        break
      case 'model-changed':
        this.addNotice('warning', `Switched from ${event.from} to ${event.to}: ${event.reason}`)
        break
      case 'tool-event':
        if (event.agentId === undefined) this.#handleToolEvent(event.event)
        break
      case 'messages-rewritten': {
        const { cause, tokensBefore, tokensAfter } = event
        const change = cause === 'compaction' ? 'The conversation was summarised' : 'Old results were cleared'
        this.addNotice('info', `${change}: ${formatTokens(tokensBefore)} → ${formatTokens(tokensAfter)} tokens.`)
        break
      }
      case 'hook-reported':
        if (event.report.forUser !== undefined) this.addNotice('warning', event.report.forUser)
        break
      case 'notice':
        this.addNotice(event.level, event.text)
        break
    }
  }

  handleAgent(event: SessionEvent, agent: AgentInfo): void {
    if (event.type === 'message-added') this.#addTeamMessage(event.message)
    this.#findCall(agent.toolUseId)?.handleAgent(event, (toolEvent) => this.#describeActivity(toolEvent))
  }

  /** Shows a prompt of the user, shortened if it is long. */
  addPrompt(text: string): void {
    const lines = renderView({ type: 'text', text: shortenPrompt(text) }, this.#renderOptions)
    if (this.#options.isScreenReader) this.#addBlock(withLabel('you: ', lines))
    else {
      const bar = { text: '▌ ', style: { tone: 'accent' }, prefix: 'repeat' } as const
      const barredLines = lines.map((line) => [bar, ...line.map((span) => ({ ...span, style: { bold: true } }))])
      this.#addBlock(barredLines.map((line) => softWrap(line, this.#options.columns()).line))
    }
  }

  addNotice(level: 'info' | 'warning' | 'error', text: string): void {
    const tone = level === 'info' ? 'muted' : level
    const lines = this.#renderText({ type: 'text', text, tone }, NOTICE_MARKER_WIDTH)
    if (this.#options.isScreenReader) this.#addBlock(withLabel(`${level}: `, lines))
    else this.#addBlock(withMarker({ text: level === 'info' ? '· ' : '! ', style: { tone } }, lines))
  }

  /** Shows the output of a slash command. */
  addView(view: View): void {
    const isBlock = typeof view === 'object' && 'type' in view && view.type === 'group' && view.layout === 'block'
    const parts = isBlock ? view.children : [view]
    this.#addBlock(
      parts.flatMap((part) => (isText(part) ? this.#renderText(part) : renderView(part, this.#renderOptions))),
    )
  }

  /**
   * Wraps a text between words, with line breaks. The text of the model is soft-wrapped instead, so that it is copied without
   * line breaks.
   */
  #renderText(view: View, indent = 0): StyledLine[] {
    const { isScreenReader, columns } = this.#options
    return renderView(view, {
      ...this.#renderOptions,
      ...(!isScreenReader && { width: Math.max(1, columns() - indent) }),
    })
  }

  addMarkdown(text: string): void {
    this.#addBlock(renderMarkdown(text, this.#markdownOptions))
  }

  /** Shows a call that an earlier process ran, with its result. */
  addEndedCall(call: CallItem): void {
    this.#items.push({ kind: 'call', call })
    this.#flush()
  }

  createCall(id: string, toolName: string): CallItem {
    return new CallItem(id, toolName, this.#options.findTool(toolName), this.#now())
  }

  /** Commits all remaining items at the end of a turn. Calls without a result count as failed. */
  endTurn(): void {
    this.#closeText()
    for (const item of this.#items) if (item.kind === 'call' && !item.call.hasEnded) item.call.discard()
    this.#flush()
    this.#commitGroup()
    this.#isThinking = false
  }

  /** Renders at most `maxRows` rows of unfinished items, the newest ones. */
  renderLiveRows(maxRows: number): StyledLine[] {
    if (this.#options.isScreenReader) return []
    const style = this.#style
    const rows: StyledLine[] = []
    if (this.#group.length > 0) {
      const [titleRow = []] = this.#drawGroup(this.#group, style)
      rows.push(truncate(titleRow, style.columns))
    }
    for (const item of this.#items) rows.push(...this.#renderLiveRowsOf(item, rows.length > 0))
    if (rows.length > 0 && this.#hasContent && !this.#continuesCommittedText) rows.unshift(BLANK_LINE)
    return rows.length > maxRows ? rows.slice(rows.length - maxRows) : rows
  }

  /** Whether the first live row continues a text whose earlier lines are committed. */
  get #continuesCommittedText(): boolean {
    const [firstItem] = this.#items
    return this.#group.length === 0 && firstItem?.kind === 'text' && firstItem.hasBegun
  }

  #renderLiveRowsOf(item: TextItem | CallEntry, hasRowsAbove: boolean): StyledLine[] {
    const style = this.#style
    if (item.kind === 'call')
      return item.call.describe(style).isHidden ? [] : item.call.renderLiveRows(style, this.#now())
    const rows = item.stream.renderOpenBlock(style.columns)
    // A blank line separates the open block from the calls above it, as between committed blocks.
    return rows.length > 0 && hasRowsAbove && !item.hasBegun ? [BLANK_LINE, ...rows] : rows
  }

  /** The current activity, shown next to the spinner. */
  get activity(): string | undefined {
    const runningCalls = this.#items.flatMap((item) =>
      item.kind === 'call' && item.call.state === 'running' ? [item.call] : [],
    )
    const call = runningCalls.at(-1)
    if (call !== undefined) {
      const activity = call.describe(this.#style).activity ?? call.toolName
      return runningCalls.length > 1 ? `${activity} and ${runningCalls.length - 1} more` : activity
    }
    if (this.#items.some(({ kind }) => kind === 'text')) return ANSWERING
    return this.#isThinking ? 'Thinking' : undefined
  }

  get #style(): CallStyle {
    return { ...this.#renderOptions, columns: this.#options.columns() }
  }

  get #renderOptions() {
    const { isScreenReader, columns, cwd } = this.#options
    return { verbose: false, isScreenReader, columns: columns(), cwd: cwd?.() }
  }

  get #markdownOptions(): MarkdownOptions {
    const { isScreenReader, columns } = this.#options
    return {
      isScreenReader,
      isSoftWrapped: !isScreenReader,
      // The width may change while the text arrives.
      get columns() {
        return columns()
      },
    }
  }

  #handleModelEvent(event: ModelEvent): void {
    switch (event.type) {
      case 'thinking-delta':
        this.#isThinking = true
        break
      case 'text-delta':
        this.#isThinking = false
        this.#addText(event.text)
        break
      case 'call-begun':
        this.#closeText()
        this.#items.push({ kind: 'call', call: this.createCall(event.id, event.name) })
        break
      case 'input-delta':
        this.#findCall(event.id)?.addInput(event.json)
        break
      case 'block-ended':
        if (event.block.type === 'text') this.#closeText()
        break
      case 'call-cut':
        this.#findCall(event.id)?.discard()
        this.#flush()
        break
    }
  }

  #handleMessage(message: Message): void {
    // Other messages are for the model. What the user should know arrives as a notice or with the end of the turn.
    if (message.type === 'assistant') this.#closeText()
    const notice = message.type === 'attachment' ? describeWakeNotice(message) : undefined
    if (notice !== undefined) this.addNotice('info', notice)
    this.#addTeamMessage(message)
  }

  /** Shows a message between members of the team when its receiver gets it. */
  #addTeamMessage(message: Message): void {
    const text = describeTeamMessage(message)
    if (text !== undefined) this.addNotice('info', text)
  }

  /** Says that the answer is requested again, because lines that are already printed cannot be removed. */
  #discardMessage(reason: string): void {
    this.#closeText()
    for (const item of this.#items) if (item.kind === 'call' && item.call.state === 'queued') item.call.discard()
    this.#flush()
    this.addNotice('warning', `The answer above broke off and is requested again: ${reason}`)
  }

  #handleToolEvent(event: ToolEvent): void {
    if (event.type === 'mode-entered') return
    if (event.type === 'hook-reported') {
      if (event.forUser !== undefined) this.addNotice('warning', event.forUser)
      return
    }
    if (event.parentToolUseId !== undefined) {
      this.#findCall(event.parentToolUseId)?.handleNested(event, (id, toolName) => this.createCall(id, toolName))
      return
    }
    const knownCall = this.#findCall(event.toolUseId)
    if (knownCall === undefined && event.type === 'call-queued') {
      const call = this.createCall(event.toolUseId, event.toolName)
      call.handle(event)
      this.#closeText()
      this.#items.push({ kind: 'call', call })
      return
    }
    knownCall?.handle(event)
    if (event.type === 'call-ended') this.#flush()
  }

  #findCall(id: string): CallItem | undefined {
    const entry = this.#items.find((item): item is CallEntry => item.kind === 'call' && item.call.id === id)
    return entry?.call
  }

  #describeActivity(event: ToolEvent): string | undefined {
    if (event.type !== 'call-queued') return undefined
    const call = this.createCall(event.toolUseId, event.toolName)
    call.handle(event)
    return call.describe(this.#style).activity ?? event.toolName
  }

  #addText(text: string): void {
    const lastItem = this.#items.at(-1)
    let item = lastItem?.kind === 'text' && lastItem.isOpen ? lastItem : undefined
    if (item === undefined) {
      if (text.trim() === '') return
      const stream = new MarkdownStream(this.#markdownOptions)
      item = { kind: 'text', stream, waiting: [], hasBegun: false, isOpen: true }
      this.#items.push(item)
    }
    item.waiting.push(...item.stream.push(text))
    this.#flush()
  }

  #closeText(): void {
    const item = this.#items.findLast(
      (candidate): candidate is TextItem => candidate.kind === 'text' && candidate.isOpen,
    )
    if (item === undefined) return
    item.waiting.push(...item.stream.end())
    item.isOpen = false
    this.#flush()
  }

  /** Commits finished items, up to the first unfinished one. */
  #flush(): void {
    for (let item = this.#items[0]; item !== undefined; item = this.#items[0]) {
      if (item.kind === 'text') {
        this.#commitText(item)
        if (item.isOpen) return
        this.#items.shift()
        continue
      }
      const { call } = item
      if (!call.hasEnded) return
      this.#items.shift()
      const { group, isHidden } = call.describe(this.#style)
      if (isHidden) continue
      if (group === undefined || call.state !== 'done') this.#addBlock(call.renderLines(this.#style))
      else this.#addToGroup(call, group)
    }
  }

  #addToGroup(call: CallItem, name: string): void {
    if (this.#groupName !== name) this.#commitGroup()
    this.#groupName = name
    this.#group.push(call)
  }

  #commitText(item: TextItem): void {
    if (item.waiting.length === 0) return
    const lines = item.waiting
    item.waiting = []
    if (item.hasBegun) this.#options.commit(lines)
    else this.#addBlock(this.#options.isScreenReader ? withLabel('assistant: ', lines) : lines)
    item.hasBegun = true
  }

  #commitGroup(): void {
    if (this.#group.length === 0) return
    const group = this.#group
    this.#group = []
    this.#addBlock(this.#drawGroup(group, this.#style))
  }

  /** Draws the calls of a group together. A single call is drawn like any other. */
  #drawGroup(group: readonly CallItem[], style: CallStyle): StyledLine[] {
    const [firstCall, ...otherCalls] = group
    if (firstCall !== undefined && otherCalls.length === 0) return firstCall.renderLines(style)
    const description = describeGroup(
      group.map(({ facts }) => facts),
      { verbose: false },
    )
    if (description === undefined) return group.flatMap((call) => call.renderLines(style))
    return drawCall({ title: description.title, state: 'done', style })
  }

  /**
   * Commits the group before the block, then the block, separated by a blank line. Blocks must arrive complete and in
   * order.
   */
  #addBlock(lines: readonly StyledLine[]): void {
    this.#commitGroup()
    if (lines.length === 0) return
    this.#options.commit(this.#hasContent ? [BLANK_LINE, ...lines] : lines)
    this.#hasContent = true
  }
}

const NOTICE_MARKER_WIDTH = 2

/** Whether a view is only text: a sentence, sentences in one line, or fields. */
function isText(view: View): boolean {
  if (typeof view === 'string') return true
  if (!('type' in view)) return false
  return view.type === 'text' || view.type === 'fields' || (view.type === 'group' && view.layout === 'inline')
}
