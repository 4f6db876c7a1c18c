import type { ModelEvent, ModelUsage, StopReason } from '../../contract/model.js'
import type { ScriptCall, ScriptTurn } from './script.js'
import { splitText } from './split-text.js'

export interface TurnFrame {
  readonly id: string
  readonly model: string
  readonly pieceLength: number
  readonly usage: ModelUsage
}

/** A turn as the events of a stream. Without a last event where the turn ends with an error. */
export function* turnEvents(turn: ScriptTurn, { id, model, pieceLength, usage }: TurnFrame): Generator<ModelEvent> {
  yield { type: 'message-started', id, model }
  const parts = partsOf(turn, id)
  for (const [index, part] of parts.entries()) {
    const isCut = turn.cut === true && index === parts.length - 1
    const text = isCut ? part.text.slice(0, Math.floor(part.text.length / 2)) : part.text
    yield* part.begin()
    for (const piece of splitText(text, pieceLength)) yield part.piece(piece)
    if (!isCut) yield part.end(text)
    else if (turn.error === undefined) yield part.cut(text)
  }
  if (turn.error === undefined) yield { type: 'message-ended', stopReason: turn.stop ?? stopReason(turn), usage }
}

function stopReason({ calls = [], cut }: ScriptTurn): StopReason {
  if (cut === true) return 'max_tokens'
  return calls.length > 0 ? 'tool_use' : 'end_turn'
}

/** A block to be, and how its stages look as events. */
interface Part {
  readonly text: string
  begin(): ModelEvent[]
  piece(text: string): ModelEvent
  end(text: string): ModelEvent
  cut(text: string): ModelEvent
}

function partsOf({ thinking, text, calls = [] }: ScriptTurn, messageId: string): Part[] {
  const parts: Part[] = []
  if (thinking !== undefined) parts.push(thinkingPart(thinking))
  if (text !== undefined) parts.push(textPart(text))
  return [...parts, ...calls.map((call, index) => callPart(call, call.id ?? `call_${messageId}_${index + 1}`))]
}

function thinkingPart(whole: string): Part {
  const end = (thinking: string): ModelEvent => ({ type: 'block-ended', block: { type: 'thinking', thinking } })
  return { text: whole, begin: () => [], piece: (text) => ({ type: 'thinking-delta', text }), end, cut: end }
}

function textPart(whole: string): Part {
  const end = (text: string): ModelEvent => ({ type: 'block-ended', block: { type: 'text', text } })
  return { text: whole, begin: () => [], piece: (text) => ({ type: 'text-delta', text }), end, cut: end }
}

function callPart({ name, input = {}, json }: ScriptCall, id: string): Part {
  return {
    text: json ?? JSON.stringify(input),
    begin: () => [{ type: 'call-begun', id, name }],
    piece: (text) => ({ type: 'input-delta', id, json: text }),
    end: (text) => ({ type: 'block-ended', block: { type: 'tool_use', id, name, input: inputOf(text) } }),
    cut: () => ({ type: 'call-cut', id, name }),
  }
}

function inputOf(json: string): unknown {
  try {
    return json.trim() === '' ? {} : JSON.parse(json)
  } catch {
    // As it came, which is what the contract asks of every model.
    return json
  }
}
