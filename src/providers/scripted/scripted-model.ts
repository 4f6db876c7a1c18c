import { setTimeout as pause } from 'node:timers/promises'
import { BYTES_PER_TOKEN } from '../../contract/limits.js'
import type { Model, ModelEvent, ModelFacts, ModelRequest, ModelUsage, StopReason } from '../../contract/model/model.js'
import { ModelError } from '../../contract/model/model-error.js'
import { roughSize } from '../../shared/rough-size.js'
import {
  parseScript,
  type Script,
  type ScriptCall,
  type ScriptError,
  type ScriptStep,
  type ScriptTurn,
} from './script.js'

const PIECE_LENGTH = 16
const FACTS: ModelFacts = { contextWindow: 200_000, maxOutputTokens: 32_000 }

/**
 * A model that says what a script tells it to, turn by turn, in small pieces that are the same every time.
 *
 *     createScriptedModel([
 *       { text: 'I look at it.', calls: [{ name: 'Read', input: { file_path: '/project/a.txt' } }] },
 *       (request) => `It says: ${resultsOf(request)[0]?.text}`,
 *     ])
 */
export function createScriptedModel(script: Script | readonly ScriptStep[]): Model {
  const checked = parseScript(script)
  const { id = 'scripted', pieceLength = PIECE_LENGTH, pauseMs = 0 } = checked
  const nextStep = stepsOf(checked)
  let requests = 0

  async function* stream(request: ModelRequest, { signal }: { signal: AbortSignal }): AsyncGenerator<ModelEvent> {
    refuseAborted(signal)
    requests += 1
    // The number of messages keeps ids apart in a conversation that is resumed with the script from its start.
    const messageId = `${request.messages.length}_${requests}`
    const step = nextStep(request)
    const made = typeof step === 'function' ? checkedTurn(await step(request)) : step
    const turn = typeof made === 'string' ? { text: made } : made
    refuseAborted(signal)
    if (turn.error !== undefined && turn.cut !== true) throw failureOf(turn.error)

    const usage = { ...estimatedUsage(request, turn), ...turn.usage }
    for (const event of turnEvents(turn, { id: messageId, model: id, pieceLength, usage })) {
      if (pauseMs > 0) await pause(pauseMs, undefined, { signal }).catch(() => refuseAborted(signal))
      yield event
      refuseAborted(signal)
    }
    if (turn.error !== undefined) throw failureOf(turn.error)
  }

  return { id, provider: 'scripted', facts: { ...FACTS, ...checked.facts }, stream }
}

/** Gives the next step of the conversation that a request belongs to. */
function stepsOf({ turns, conversations = [], afterwards }: Script): (request: ModelRequest) => ScriptStep {
  const main = turns.values()
  const others = conversations.map(({ opening, turns }) => ({ opening, left: turns.values() }))
  return (request) => {
    const first = firstWords(request)
    const { left } = others.find(({ opening }) => first.includes(opening)) ?? { left: main }
    const { value, done } = left.next()
    if (done !== true) return value
    const message = 'The script has no more turns.'
    return afterwards === 'error' ? { error: { kind: 'invalid_request', message } } : message
  }
}

function firstWords({ messages: [first] }: ModelRequest): string {
  if (first === undefined) return ''
  if (typeof first.content === 'string') return first.content
  return first.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
}

/** What a function made is checked only now. */
function checkedTurn(made: ScriptTurn | string): ScriptTurn | string {
  const [turn] = parseScript([made], 'What a function of the script made').turns
  if (turn !== undefined && typeof turn !== 'function') return turn
  throw new ModelError('invalid_request', 'A function of the script made a function instead of a turn.')
}

function estimatedUsage({ system, tools, messages }: ModelRequest, { thinking, text, calls }: ScriptTurn): ModelUsage {
  return {
    input: Math.ceil(roughSize([system, tools, messages]) / BYTES_PER_TOKEN),
    output: Math.ceil(roughSize([thinking, text, calls]) / BYTES_PER_TOKEN),
    cacheRead: 0,
    cacheWrite: 0,
  }
}

function failureOf({ kind, message = `The script says so: ${kind}.`, status, retryAfterMs }: ScriptError): ModelError {
  return new ModelError(kind, message, { status, retryAfterMs })
}

function refuseAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ModelError('aborted', 'The request was stopped.')
}

interface TurnFrame {
  readonly id: string
  readonly model: string
  readonly pieceLength: number
  readonly usage: ModelUsage
}

/** A turn as the events of a stream. Without a last event where the turn ends with an error. */
function* turnEvents(turn: ScriptTurn, { id, model, pieceLength, usage }: TurnFrame): Generator<ModelEvent> {
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

/** A text in pieces of so many characters, none of which is half of one. */
export function splitText(text: string, length: number): string[] {
  const characters = Array.from(text)
  const pieces: string[] = []
  for (let at = 0; at < characters.length; at += length) pieces.push(characters.slice(at, at + length).join(''))
  return pieces
}
