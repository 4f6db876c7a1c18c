import { setTimeout as pause } from 'node:timers/promises'
import { BYTES_PER_TOKEN } from '../../contract/limits.js'
import type { Model, ModelEvent, ModelFacts, ModelRequest, ModelUsage, StopReason } from '../../contract/model/model.js'
import { ModelError } from '../../contract/model/model-error.js'
import { estimateJsonSize } from '../../shared/json-size.js'
import {
  parseScript,
  type Script,
  type ScriptCall,
  type ScriptError,
  type ScriptStep,
  type ScriptTurn,
} from './script.js'

const DEFAULT_PIECE_LENGTH = 16
const DEFAULT_FACTS: ModelFacts = { contextWindow: 200_000, maxOutputTokens: 32_000 }

/**
 * Creates a model that answers with the turns of a script, in small deltas that are the same every time.
 *
 *     createScriptedModel([
 *       { text: 'I look at it.', calls: [{ name: 'Read', input: { file_path: '/project/a.txt' } }] },
 *       (request) => `It says: ${resultsOf(request)[0]?.text}`,
 *     ])
 */
export function createScriptedModel(script: Script | readonly ScriptStep[]): Model {
  const parsedScript = parseScript(script)
  const { id = 'scripted', pieceLength = DEFAULT_PIECE_LENGTH, pauseMs = 0 } = parsedScript
  const takeStep = createStepTaker(parsedScript)
  let requests = 0

  async function* stream(request: ModelRequest, { signal }: { signal: AbortSignal }): AsyncGenerator<ModelEvent> {
    throwIfAborted(signal)
    requests += 1
    // With the number of messages, IDs stay unique if a resumed conversation starts the script again.
    const messageId = `${request.messages.length}_${requests}`
    const step = takeStep(request)
    const result = typeof step === 'function' ? checkTurn(await step(request)) : step
    const turn = typeof result === 'string' ? { text: result } : result
    throwIfAborted(signal)
    if (turn.error !== undefined && turn.cut !== true) throw createFailure(turn.error)

    const usage = { ...estimateUsage(request, turn), ...turn.usage }
    for (const event of streamTurn(turn, { id: messageId, model: id, pieceLength, usage })) {
      if (pauseMs > 0) await pause(pauseMs, undefined, { signal }).catch(() => throwIfAborted(signal))
      yield event
      throwIfAborted(signal)
    }
    if (turn.error !== undefined) throw createFailure(turn.error)
  }

  return { id, provider: 'scripted', facts: { ...DEFAULT_FACTS, ...parsedScript.facts }, stream }
}

/** Creates the function that returns the next scripted step for the conversation of a request. */
function createStepTaker({ turns, conversations = [], afterwards }: Script): (request: ModelRequest) => ScriptStep {
  const mainTurns = turns.values()
  const otherConversations = conversations.map(({ opening, turns }) => ({ opening, remainingTurns: turns.values() }))
  return (request) => {
    const openingText = getFirstMessageText(request)
    const conversation = otherConversations.find(({ opening }) => openingText.includes(opening))
    const { value, done } = (conversation?.remainingTurns ?? mainTurns).next()
    if (done !== true) return value
    const message = 'The script has no more turns.'
    return afterwards === 'error' ? { error: { kind: 'invalid_request', message } } : message
  }
}

function getFirstMessageText({ messages: [first] }: ModelRequest): string {
  if (first === undefined) return ''
  if (typeof first.content === 'string') return first.content
  return first.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
}

/** Validates the result of a function, which could not be checked when the script was parsed. */
function checkTurn(result: ScriptTurn | string): ScriptTurn | string {
  const [turn] = parseScript([result], 'Result of a script function').turns
  if (turn !== undefined && typeof turn !== 'function') return turn
  throw new ModelError('invalid_request', 'A script function returned a function instead of a turn.')
}

function estimateUsage({ system, tools, messages }: ModelRequest, { thinking, text, calls }: ScriptTurn): ModelUsage {
  return {
    input: Math.ceil(estimateJsonSize([system, tools, messages]) / BYTES_PER_TOKEN),
    output: Math.ceil(estimateJsonSize([thinking, text, calls]) / BYTES_PER_TOKEN),
    cacheRead: 0,
    cacheWrite: 0,
  }
}

function createFailure({ kind, message = `Scripted error: ${kind}.`, status, retryAfterMs }: ScriptError): ModelError {
  return new ModelError(kind, message, { status, retryAfterMs })
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ModelError('aborted', 'The request was aborted.')
}

interface TurnFrame {
  readonly id: string
  readonly model: string
  readonly pieceLength: number
  readonly usage: ModelUsage
}

/** Converts a turn to stream events. There is no `message-ended` if the turn ends with an error. */
function* streamTurn(turn: ScriptTurn, { id, model, pieceLength, usage }: TurnFrame): Generator<ModelEvent> {
  yield { type: 'message-started', id, model }
  const parts = createParts(turn, id)
  for (const [index, part] of parts.entries()) {
    const isCut = turn.cut === true && index === parts.length - 1
    const text = isCut ? part.text.slice(0, Math.floor(part.text.length / 2)) : part.text
    yield* part.begin()
    for (const createDelta of splitText(text, pieceLength)) yield part.piece(createDelta)
    if (!isCut) yield part.end(text)
    else if (turn.error === undefined) yield part.cut(text)
  }
  if (turn.error === undefined) yield { type: 'message-ended', stopReason: turn.stop ?? chooseStopReason(turn), usage }
}

function chooseStopReason({ calls = [], cut }: ScriptTurn): StopReason {
  if (cut === true) return 'max_tokens'
  return calls.length > 0 ? 'tool_use' : 'end_turn'
}

/** A content block with the events for its stages. */
interface ScriptedPart {
  readonly text: string
  begin(): ModelEvent[]
  piece(text: string): ModelEvent
  end(text: string): ModelEvent
  cut(text: string): ModelEvent
}

function createParts({ thinking, text, calls = [] }: ScriptTurn, messageId: string): ScriptedPart[] {
  const parts: ScriptedPart[] = []
  if (thinking !== undefined) parts.push(createThinkingPart(thinking))
  if (text !== undefined) parts.push(createTextPart(text))
  return [...parts, ...calls.map((call, index) => createCallPart(call, call.id ?? `call_${messageId}_${index + 1}`))]
}

function createThinkingPart(thinking: string): ScriptedPart {
  const end = (thinking: string): ModelEvent => ({ type: 'block-ended', block: { type: 'thinking', thinking } })
  return { text: thinking, begin: () => [], piece: (text) => ({ type: 'thinking-delta', text }), end, cut: end }
}

function createTextPart(text: string): ScriptedPart {
  const end = (text: string): ModelEvent => ({ type: 'block-ended', block: { type: 'text', text } })
  return { text, begin: () => [], piece: (text) => ({ type: 'text-delta', text }), end, cut: end }
}

function createCallPart({ name, input = {}, json }: ScriptCall, id: string): ScriptedPart {
  return {
    text: json ?? JSON.stringify(input),
    begin: () => [{ type: 'call-begun', id, name }],
    piece: (text) => ({ type: 'input-delta', id, json: text }),
    end: (text) => ({ type: 'block-ended', block: { type: 'tool_use', id, name, input: parseInput(text) } }),
    cut: () => ({ type: 'call-cut', id, name }),
  }
}

function parseInput(json: string): unknown {
  try {
    return json.trim() === '' ? {} : JSON.parse(json)
  } catch {
    // By contract, a model passes on invalid JSON as a string.
    return json
  }
}

/** Splits text into parts of `length` characters without splitting surrogate pairs. */
export function splitText(text: string, length: number): string[] {
  const characters = Array.from(text)
  const pieces: string[] = []
  for (let at = 0; at < characters.length; at += length) pieces.push(characters.slice(at, at + length).join(''))
  return pieces
}
