import { closeSync } from 'node:fs'
import type { Message, ToolResultBlock } from '../../../contract/messages.js'
import { isRecord } from '../../../shared/is-record.js'
import { LineReader, type LineRef } from '../storage/line-reader.js'
import { isShownResult, type ShownResult } from '../storage/shown-result.js'
import { openTranscriptFile } from './read-session.js'
import { isMessage, isResult } from './transcript-index.js'

/** The whole conversation of a session, for display. */
export interface SessionHistory {
  /** All messages in the order in which they were added, including those that a compaction has replaced. */
  readonly messages: readonly Message[]
  /** Returns the recorded view of a result; undefined if none was recorded. */
  findShown(result: ToolResultBlock): ShownResult | undefined
}

const RELEVANT_LINE = /^\{"type":"(message-added|messages-rewritten|call-ended)"/
const HEAD_BYTES = 64

/** Reads a transcript from its first line. Unreadable lines are skipped. */
export function readHistory(path: string): SessionHistory {
  const descriptor = openTranscriptFile(path)
  try {
    const reader = new LineReader(descriptor)
    const lines: { readonly type: string; readonly line: LineRef }[] = []
    reader.scan(({ head, line }) => {
      const type = RELEVANT_LINE.exec(head.toString('latin1', 0, HEAD_BYTES))?.[1]
      // Calls without a recorded view are skipped.
      if (type !== undefined && (type !== 'call-ended' || head.includes('"shown":'))) lines.push({ type, line })
    })
    const history = new HistoryBuilder()
    for (const { type, line } of lines) history.add(type, reader.parse(line))
    return history
  } finally {
    closeSync(descriptor)
  }
}

class HistoryBuilder implements SessionHistory {
  readonly messages: Message[] = []
  /** The recorded views by call id. Some providers reuse an id in a later turn. */
  readonly #shown = new Map<string, { readonly shown: ShownResult; readonly length: number }[]>()

  add(type: string, entry: unknown): void {
    if (!isRecord(entry)) return
    if (type === 'message-added' && isMessage(entry.message)) this.messages.push(entry.message)
    else if (type === 'messages-rewritten') this.#addRewrite(entry)
    else if (type === 'call-ended') this.#addShown(entry)
  }

  findShown(result: ToolResultBlock): ShownResult | undefined {
    const candidates = this.#shown.get(result.tool_use_id) ?? []
    const length = lengthOf(result)
    const match = candidates.find((candidate) => candidate.length === length)
    return (match ?? (candidates.length === 1 ? candidates[0] : undefined))?.shown
  }

  /** Adds a rewrite. The first one of a fork contains the messages of its origin. Later ones only change what the model receives. */
  #addRewrite({ messages, cause }: Record<string, unknown>): void {
    if (this.messages.length === 0 && Array.isArray(messages)) this.messages.push(...messages.filter(isMessage))
    else if (cause === 'compaction') this.messages.push({ type: 'system', content: 'The conversation was summarised.' })
  }

  #addShown({ shown, result }: Record<string, unknown>): void {
    if (!isShownResult(shown) || !isResult(result)) return
    const shownResults = this.#shown.get(result.tool_use_id) ?? []
    shownResults.push({ shown, length: lengthOf(result) })
    this.#shown.set(result.tool_use_id, shownResults)
  }
}

function lengthOf({ content }: ToolResultBlock): number {
  return typeof content === 'string' ? content.length : JSON.stringify(content).length
}
