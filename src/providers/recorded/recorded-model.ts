import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Model, ModelEvent, ModelFacts, ModelRequest } from '../../contract/model/model.js'
import { ModelError } from '../../contract/model/model-error.js'
import { reasonOf } from '../../shared/reason-of.js'
import {
  describeDifference,
  hashRequestParts,
  parseLine,
  RECORDING_VERSION,
  type RecordingLine,
  type RequestParts,
} from './recording.js'

/** Wraps a model so that requests, events and errors are written to `sink` as lines of JSON as they happen. */
export function recordModel(model: Model, sink: (line: string) => void): Model {
  const { id, provider, facts } = model
  let requests = 0

  function write(line: RecordingLine): void {
    sink(`${JSON.stringify(line)}\n`)
  }

  async function* stream(request: ModelRequest, options: { signal: AbortSignal }): AsyncGenerator<ModelEvent> {
    if (requests === 0)
      write({ type: 'recording', version: RECORDING_VERSION, model: { id, provider, facts: { ...facts } } })
    requests += 1
    const requestNumber = requests
    const { hash, system, tools, messages } = hashRequestParts(request)
    write({
      type: 'request',
      request: requestNumber,
      hash,
      system: [...system],
      tools: [...tools],
      messages: [...messages],
    })
    let hasEnded = false
    try {
      for await (const event of model.stream(request, options)) {
        write({ type: 'event', request: requestNumber, event })
        hasEnded = event.type === 'message-ended'
        yield event
      }
      hasEnded = true
    } catch (error) {
      if (error instanceof ModelError) write({ type: 'error', request: requestNumber, error: toErrorFields(error) })
      hasEnded = true
      throw error
    } finally {
      if (!hasEnded) write({ type: 'left', request: requestNumber })
    }
  }

  const { countTokens } = model
  return { id, provider, facts, stream, ...(countTokens !== undefined && { countTokens: countTokens.bind(model) }) }
}

function toErrorFields({ kind, message, status, retryAfterMs }: ModelError) {
  return { kind, message, ...(status !== undefined && { status }), ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** Options of `loadRecordedModel`. */
export interface ReplayOptions {
  /** Whether a request that differs from the recorded ones gets the next recorded answer. */
  readonly isLenient?: boolean
}

type Line<T extends RecordingLine['type']> = Extract<RecordingLine, { type: T }>

interface RecordedRequest {
  readonly number: number
  readonly parts: RequestParts
  readonly events: ModelEvent[]
  end: Line<'error'> | Line<'left'> | undefined
}

/** Loads a model that replays a recording. Throws with a one-line message if the file is invalid. */
export async function loadRecordedModel(path: string, { isLenient = false }: ReplayOptions = {}): Promise<Model> {
  const { model, requests } = readRecording(await readText(path), `Recording ${basename(path)}`)
  const unusedRequests = [...requests]

  function takeRecordedRequest(request: ModelRequest): RecordedRequest {
    const actualParts = hashRequestParts(request)
    // Concurrent agents send their requests in a different order in each run, so an equal request is preferred.
    const sameIndex = unusedRequests.findIndex(({ parts }) => parts.hash === actualParts.hash)
    const [recordedRequest] = unusedRequests.splice(Math.max(sameIndex, 0), sameIndex >= 0 || isLenient ? 1 : 0)
    if (recordedRequest !== undefined) return recordedRequest
    const [expected] = unusedRequests
    if (expected === undefined)
      throw new ModelError(
        'invalid_request',
        'The recording contains no further request. Record the conversation again.',
      )
    const location = describeDifference(expected.parts, actualParts) ?? 'its hash'
    throw new ModelError(
      'invalid_request',
      `The request differs from request ${expected.number} of the recording in ${location}. Record the conversation again.`,
    )
  }

  async function* stream(request: ModelRequest, { signal }: { signal: AbortSignal }): AsyncGenerator<ModelEvent> {
    throwIfAborted(signal)
    const { events, end } = takeRecordedRequest(request)
    for (const event of events) {
      yield event
      throwIfAborted(signal)
    }
    if (end?.type === 'error') throw new ModelError(end.error.kind, end.error.message, end.error)
    if (end?.type === 'left') throw new ModelError('aborted', 'The recorded request was aborted at this point.')
    if (events.at(-1)?.type !== 'message-ended')
      throw new ModelError('stream_cut', 'The recording of this answer is incomplete.')
  }

  return { id: model.id, provider: 'recorded', facts: model.facts as ModelFacts, stream }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const message = `Recording ${basename(path)} could not be read: ${reasonOf(error)}`
    throw new ModelError('invalid_request', message, { cause: error })
  }
}

function readRecording(
  text: string,
  origin: string,
): { model: Line<'recording'>['model']; requests: RecordedRequest[] } {
  let model: Line<'recording'>['model'] | undefined
  const requests = new Map<number, RecordedRequest>()
  for (const { line, location } of parseLines(text, origin)) {
    if (line.type === 'recording') model ??= line.model
    else if (line.type === 'request')
      requests.set(line.request, { number: line.request, parts: line, events: [], end: undefined })
    else {
      const recordedRequest = requests.get(line.request)
      if (recordedRequest === undefined)
        throw new ModelError('invalid_request', `${location} does not belong to an earlier request`)
      if (line.type === 'event') recordedRequest.events.push(line.event)
      else recordedRequest.end = line
    }
  }
  if (model === undefined)
    throw new ModelError('invalid_request', `${origin}: the line that names the model is missing`)
  return { model, requests: [...requests.values()] }
}

function parseLines(text: string, origin: string): { line: RecordingLine; location: string }[] {
  // Text after the last newline is an incomplete line, whose writer was interrupted.
  const lines = text.split('\n').slice(0, -1)
  return lines.flatMap((text, index) => {
    if (text.trim() === '') return []
    const location = `${origin}: line ${index + 1}`
    const line = parseLine(text)
    if ('problem' in line) throw new ModelError('invalid_request', `${location} ${line.problem}`)
    return [{ line, location }]
  })
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ModelError('aborted', 'The request was aborted.')
}
