import type { ToolEvent } from '../../../contract/events.js'
import type { ToolResultBlock } from '../../../contract/messages.js'
import { findToolByName } from '../../../contract/tool/identity.js'
import type { Tool } from '../../../contract/tool/tool.js'
import { cutText } from '../../../shared/cut-text.js'
import { builtInTools } from '../../../tools/index.js'
import { describeCall } from '../../../views/call-view.js'
import { renderPlainText } from '../../../views/plain-text.js'
import type { CommandHost } from '../../io/command.js'

/** Number of pending lines after which progress events are dropped for a slow reader. */
const MAX_PENDING_LINES = 1_000

/** Writes the lines of `haft run --events`. If the reader is slow, progress events are dropped. */
export class EventOutput {
  readonly #host: Pick<CommandHost, 'write'>
  #pendingLineCount = 0
  /** Every line contains this number. The caller increments it for each message. */
  messageNumber = 0

  constructor(host: Pick<CommandHost, 'write'>) {
    this.#host = host
  }

  add(event: ToolEvent): void {
    if (event.type === 'call-progressed' && this.#pendingLineCount >= MAX_PENDING_LINES) return
    this.#pendingLineCount++
    const findTool = (name: string) => findToolByName(builtInTools, name)
    void this.#host.write(formatEvent(event, { messageNumber: this.messageNumber, findTool })).then(() => {
      this.#pendingLineCount--
    })
  }
}

/**
 * Returns an event as a line of `haft run --events`. The input is omitted because the caller sent it, and the result because it
 * has its own line. A summary and the size of the result are kept for the timeline.
 */
function formatEvent(
  event: ToolEvent,
  { messageNumber, findTool }: { messageNumber: number; findTool: (name: string) => Tool | undefined },
): string {
  const { type, ...fields } = withoutPayload(event, findTool)
  return `${serialiseEvent({ type: 'event', event: type, messageNumber, ...fields })}\n`
}

interface EventFields {
  readonly type: string
  readonly [field: string]: unknown
}

function withoutPayload(event: ToolEvent, findTool: (name: string) => Tool | undefined): EventFields {
  if (event.type === 'call-queued') {
    const { input, ...otherFields } = event
    return { ...otherFields, ...summaryOf(findTool(event.toolName), input) }
  }
  if (event.type === 'user-messaged')
    return { ...event, files: event.files.map(({ path, bytes }) => ({ path, bytes })) }
  if (event.type !== 'call-ended') return { ...event }
  const { result, output: _output, ...otherFields } = event
  return { ...otherFields, resultChars: countChars(result), ...(result.is_error === true && { isError: true }) }
}

/** Returns the title of the call. Without it, the timeline shows the tool name. */
function summaryOf(tool: Tool | undefined, input: unknown): { readonly summary?: string } {
  if (tool === undefined) return {}
  const { title } = describeCall({ toolName: tool.name, tool, state: 'queued', input }, { verbose: false })
  return { summary: cutText(renderPlainText(title), MAX_SUMMARY_CHARS) }
}

const MAX_SUMMARY_CHARS = 200

function countChars({ content }: ToolResultBlock): number {
  if (typeof content === 'string') return content.length
  return content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0)
}

/** Serialises an event. Progress data that cannot be serialised is omitted. */
function serialiseEvent({ progress, ...event }: EventFields): string {
  try {
    return JSON.stringify({ ...event, ...(progress !== undefined && { progress }) })
  } catch {
    // The progress cannot be serialised.
    return JSON.stringify(event)
  }
}
