import { resolve } from 'node:path'
import type { ToolCall, ToolCallContent, ToolCallLocation, ToolCallUpdate, ToolKind } from '@agentclientprotocol/sdk'
import type { ToolEvent } from '../contract/events.js'
import type { ToolResultBlock } from '../contract/messages.js'
import { getCapabilities } from '../contract/tool/capabilities.js'
import { isMcpTool } from '../contract/tool/identity.js'
import type { Tool } from '../contract/tool/tool.js'
import { describeRefusal, INTERRUPTED } from '../session/transcript/storage/shown-result.js'
import { shortenText } from '../shared/cut-text.js'
import { isRecord } from '../shared/is-record.js'
import { toPrintable } from '../shared/printable.js'
import { type CallFacts, type CallState, describeCall } from '../views/call-view.js'
import { renderPlainText } from '../views/plain-text.js'
import { listChangedPlaces, toCallContent } from './view-content.js'

const MAX_TITLE_CHARS = 200

/** One call as the editor displays it, from its first event to its result. */
export class EditorCall {
  readonly id: string
  readonly #toolName: string
  readonly #tool: Tool | undefined
  readonly #cwd: string
  #state: CallState = 'queued'
  #input: unknown = {}
  #progress: unknown
  #output: unknown
  #shown: CallFacts['shown']
  #resultText: string | undefined
  #failureText: string | undefined
  #isDenied = false

  constructor(id: string, toolName: string, tool: Tool | undefined, cwd: string) {
    this.id = id
    this.#toolName = toolName
    this.#tool = tool
    this.#cwd = cwd
  }

  setInput(input: unknown): void {
    this.#input = input
  }

  /** Updates the call. Returns whether the editor should be told. */
  handle(event: ToolEvent): boolean {
    switch (event.type) {
      case 'call-queued':
        this.#input = event.input
        return true
      case 'call-started':
        this.#state = 'running'
        return true
      case 'permission-decided':
        this.#state = 'running'
        this.#isDenied = event.behavior === 'deny'
        if (this.#isDenied && event.reason.type === 'person') this.#failureText = describeRefusal(event.reason.text)
        return false
      case 'call-progressed':
        this.#progress = event.progress
        return true
      case 'call-ended':
        if (event.errorCode === 'cancelled') this.#failureText = INTERRUPTED
        this.end(event.result, event.output)
        return true
      default:
        return false
    }
  }

  /** @param shown how the tool showed the result, if another process ran the call */
  end(result: ToolResultBlock, output?: unknown, shown?: CallFacts['shown']): void {
    this.#output = output
    this.#shown = shown
    this.#resultText = textOfResult(result)
    const isRefused = this.#isDenied || shown?.isRefused === true
    this.#state = result.is_error !== true ? 'done' : isRefused ? 'rejected' : 'failed'
  }

  get hasEnded(): boolean {
    return this.#state === 'done' || this.#state === 'failed' || this.#state === 'rejected'
  }

  /** The whole call, for its first update. */
  describe(): ToolCall {
    return {
      ...this.describeChange(),
      toolCallId: this.id,
      title: this.#title,
      kind: findKind(this.#tool, this.#input),
    }
  }

  describeChange(): Omit<ToolCall, 'kind'> {
    const { body } = describeCall(this.#facts, { verbose: true })
    const content = body === undefined ? [] : toCallContent(body, this.#cwd)
    const places = body === undefined ? [] : listChangedPlaces(body, this.#cwd)
    return {
      toolCallId: this.id,
      title: this.#title,
      name: this.#toolName,
      status: this.#status,
      content: [...content],
      locations: [...(places.length > 0 ? places : listPlaces(this.#tool, this.#input, this.#cwd))],
      rawInput: this.#input,
      ...(this.#resultText !== undefined && { rawOutput: { text: this.#resultText } }),
    }
  }

  /** The call as the user has to judge it: everything that it would do. */
  describeQuestion(explanation: readonly ToolCallContent[]): ToolCallUpdate {
    const { body } = describeCall({ ...this.#facts, state: 'waiting-for-permission' }, { verbose: true })
    const intent = body === undefined ? [] : toCallContent(body, this.#cwd)
    return {
      ...this.describeChange(),
      kind: findKind(this.#tool, this.#input),
      status: 'pending',
      content: [...intent, ...explanation],
    }
  }

  get #title(): string {
    const { title } = describeCall(this.#facts, { verbose: false })
    return shortenText(toPrintable(renderPlainText(title)), MAX_TITLE_CHARS)
  }

  get #status(): NonNullable<ToolCall['status']> {
    if (this.#state === 'done') return 'completed'
    if (this.hasEnded) return 'failed'
    return this.#state === 'running' ? 'in_progress' : 'pending'
  }

  get #facts(): CallFacts {
    return {
      ...{ toolName: this.#toolName, tool: this.#tool, toolUseId: this.id, state: this.#state, input: this.#input },
      progress: this.#progress === undefined ? [] : [this.#progress],
      ...(this.#output !== undefined && { output: this.#output }),
      ...(this.#shown !== undefined && { shown: this.#shown }),
      ...(this.#resultText !== undefined && { resultText: this.#resultText }),
      ...(this.#failureText !== undefined && { failureText: this.#failureText }),
    }
  }
}

/** Chooses the icon of a call by what its tool declares. */
function findKind(tool: Tool | undefined, input: unknown): ToolKind {
  if (tool === undefined || isMcpTool(tool)) return 'other'
  if (tool.command !== undefined) return 'execute'
  if (tool.submitsPlan === true) return 'switch_mode'
  const { writesFiles, usesNetwork, delegates } = getCapabilities(tool)
  if (tool.getWebTarget !== undefined || (usesNetwork && !delegates)) return 'fetch'
  if (tool.startsAgents === true) return 'think'
  const { isSearch, isRead } = attempt(() => tool.isSearchOrReadCommand?.(isRecord(input) ? input : {})) ?? {}
  if (isSearch === true) return 'search'
  if (isRead === true) return 'read'
  return tool.getPath !== undefined && writesFiles ? 'edit' : 'other'
}

function listPlaces(tool: Tool | undefined, input: unknown, cwd: string): readonly ToolCallLocation[] {
  const path = isRecord(input) ? attempt(() => tool?.getPath?.(input)) : undefined
  if (typeof path !== 'string' || path === '') return []
  const line = isRecord(input) && typeof input.offset === 'number' ? { line: input.offset } : {}
  return [{ path: resolve(cwd, path), ...line }]
}

function textOfResult({ content }: ToolResultBlock): string {
  if (typeof content === 'string') return content
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}

/** Returns undefined if a member of a tool fails: the input may be incomplete or invalid. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    // The editor shows the call without this detail.
    return undefined
  }
}
