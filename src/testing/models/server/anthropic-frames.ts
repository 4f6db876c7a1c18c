import type { ServerPart, ServerTurn } from './server-turn.js'
import { splitIntoPieces } from './split-into-pieces.js'

export type Frame = string | { readonly gate: Promise<unknown> }

/** Yields one response as events of Anthropic's Messages API. */
export function* createAnthropicFrames(turn: ServerTurn, model: string, turnNumber: number): Generator<Frame> {
  const { parts = [], usage = {}, pieceSize, isUnfinished = false } = turn
  const { output_tokens = 1, ...input } = { input_tokens: 1, ...usage }
  yield formatEvent('message_start', {
    message: {
      id: `msg_${turnNumber}`,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...input, output_tokens: 1 },
    },
  })
  yield formatEvent('ping', {})
  let index = 0
  for (const part of parts) {
    if ('gate' in part) yield part
    else if ('raw' in part) yield part.raw
    else if ('error' in part) yield formatEvent('error', { error: part.error })
    else yield* createBlockFrames(part, index++, pieceSize, turnNumber)
  }
  if (isUnfinished) return
  const stopReason = turn.stopReason ?? (parts.some((part) => 'call' in part) ? 'tool_use' : 'end_turn')
  yield formatEvent('message_delta', {
    delta: { stop_reason: stopReason, stop_sequence: null },
    usage: { output_tokens },
  })
  yield formatEvent('message_stop', {})
}

type BlockPart = Extract<ServerPart, { text: string } | { thinking: string } | { redacted: string } | { call: string }>

function* createBlockFrames(part: BlockPart, index: number, size: number | undefined, turn: number): Generator<Frame> {
  const { block, deltas } = createBlock(part, `toolu_${turn}_${index}`, size)
  yield formatEvent('content_block_start', { index, content_block: block })
  for (const delta of deltas) yield formatEvent('content_block_delta', { index, delta })
  yield formatEvent('content_block_stop', { index })
}

function createBlock(part: BlockPart, id: string, size: number | undefined): { block: object; deltas: object[] } {
  if ('text' in part) {
    const deltas = splitIntoPieces(part.text, size).map((text) => ({ type: 'text_delta', text }))
    return { block: { type: 'text', text: '' }, deltas }
  }
  if ('thinking' in part) {
    const deltas: object[] = splitIntoPieces(part.thinking, size).map((thinking) => ({
      type: 'thinking_delta',
      thinking,
    }))
    const signature = { type: 'signature_delta', signature: part.signature ?? 'signed' }
    return { block: { type: 'thinking', thinking: '', signature: '' }, deltas: [...deltas, signature] }
  }
  if ('redacted' in part) return { block: { type: 'redacted_thinking', data: part.redacted }, deltas: [] }
  const json = part.json ?? JSON.stringify(part.input ?? {})
  const deltas = ['', ...splitIntoPieces(json, size)].map((partial_json) => ({
    type: 'input_json_delta',
    partial_json,
  }))
  return { block: { type: 'tool_use', id: part.id ?? id, name: part.call, input: {} }, deltas }
}

function formatEvent(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}
