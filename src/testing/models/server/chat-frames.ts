import type { Frame } from './anthropic-frames.js'
import type { ServerPart, ServerTurn } from './server-turn.js'
import { splitIntoPieces } from './split-into-pieces.js'

const STOP_REASONS: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
}

/** Yields one response as chunks of OpenAI's chat completions API. */
export function* createChatFrames(turn: ServerTurn, model: string, turnNumber: number): Generator<Frame> {
  const { parts = [], usage = {}, pieceSize, isUnfinished = false } = turn
  const head = { id: `chatcmpl-${turnNumber}`, object: 'chat.completion.chunk', created: 0, model }
  const formatChunk = (delta: object, finish_reason: string | null = null) =>
    formatData({ ...head, choices: [{ index: 0, delta, finish_reason }] })
  yield formatChunk({ role: 'assistant', content: '' })
  let calls = 0
  for (const part of parts) {
    if ('gate' in part) yield part
    else if ('raw' in part) yield part.raw
    else if ('error' in part) yield formatData({ error: part.error })
    else
      yield* createDeltas(part, { index: 'call' in part ? calls++ : 0, pieceSize, turnNumber }).map((delta) =>
        formatChunk(delta),
      )
  }
  if (isUnfinished) return
  const stopReason = turn.stopReason ?? (calls > 0 ? 'tool_use' : 'end_turn')
  yield formatChunk({}, STOP_REASONS[stopReason] ?? stopReason)
  yield formatData({ ...head, choices: [], usage: toChatUsage(usage) })
  yield 'data: [DONE]\n\n'
}

function toChatUsage(usage: Readonly<Record<string, number>>): object {
  const { input_tokens = 1, output_tokens = 1, cache_read_input_tokens = 0 } = usage
  const prompt_tokens = input_tokens + cache_read_input_tokens
  return {
    prompt_tokens,
    completion_tokens: output_tokens,
    total_tokens: prompt_tokens + output_tokens,
    prompt_tokens_details: { cached_tokens: cache_read_input_tokens },
  }
}

interface DeltaPosition {
  readonly index: number
  readonly pieceSize: number | undefined
  readonly turnNumber: number
}

function createDeltas(
  part: Exclude<ServerPart, { gate: unknown } | { raw: string } | { error: unknown }>,
  position: DeltaPosition,
): object[] {
  if ('call' in part) return createCallDeltas(part, position)
  if ('text' in part) return splitIntoPieces(part.text, position.pieceSize).map((content) => ({ content }))
  if ('redacted' in part) return []
  // OpenAI has no field for thinking; several servers of open models use this name.
  return splitIntoPieces(part.thinking, position.pieceSize).map((reasoning_content) => ({ reasoning_content }))
}

function createCallDeltas(
  part: Extract<ServerPart, { call: string }>,
  { index, pieceSize, turnNumber }: DeltaPosition,
): object[] {
  const json = part.json ?? JSON.stringify(part.input ?? {})
  const header = { index, id: part.id ?? `call_${turnNumber}_${index}`, type: 'function' }
  return [
    { tool_calls: [{ ...header, function: { name: part.call, arguments: '' } }] },
    ...splitIntoPieces(json, pieceSize).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ]
}

function formatData(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`
}
