import { setTimeout as pause } from 'node:timers/promises'
import { BYTES_PER_TOKEN } from '../../contract/limits.js'
import type { Model, ModelEvent, ModelFacts, ModelRequest, ModelUsage } from '../../contract/model.js'
import { ModelError } from '../../contract/model-error.js'
import { roughSize } from '../../shared/rough-size.js'
import { parseScript } from './parse-script.js'
import type { Script, ScriptError, ScriptStep, ScriptTurn } from './script.js'
import { turnEvents } from './turn-events.js'

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
