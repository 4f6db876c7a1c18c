import { ToolCallError } from '../../contract/errors.js'
import type { HttpPort } from '../../contract/ports/http.js'
import type { Workers } from '../../contract/ports/schedule.js'
import { isRecord } from '../../shared/is-record.js'
import { quote } from '../../shared/quote.js'
import { reasonOf } from '../../shared/reason-of.js'

/** The path of the endpoint below the URL of a worker. */
export const RUNS_PATH = '/v1/runs'
const TIME_LIMIT_MS = 15_000
const MAX_ANSWER_BYTES = 64 * 1024

interface TriggerRequest {
  readonly workers: Workers
  readonly worker: string
  readonly http: HttpPort
  readonly prompt: string
  readonly key: string
  readonly signal: AbortSignal
}

/** Starts a run on another worker. The worker answers as soon as it has stored the run. */
export async function triggerOnWorker({ workers, worker, http, prompt, key, signal }: TriggerRequest): Promise<string> {
  const target = Object.hasOwn(workers, worker) ? workers[worker] : undefined
  if (target === undefined) throw refuse(describeUnknownWorker(worker, Object.keys(workers)))
  if (target.token === undefined)
    throw refuse(
      `There is no token for the worker ${quote(worker)}. Ask the user to set the variable that its settings name.`,
    )
  const url = `${target.url.replace(/\/+$/, '')}${RUNS_PATH}`
  let answer: unknown
  try {
    const { status, body } = await http.fetch(url, {
      ...{ method: 'POST', signal, timeoutMs: TIME_LIMIT_MS, maxBytes: MAX_ANSWER_BYTES },
      headers: { 'content-type': 'application/json', authorization: `Bearer ${target.token}` },
      body: JSON.stringify({ prompt, key }),
    })
    answer = parseAnswer(body)
    if (status !== 201) throw new Error(readError(answer) ?? `status ${status}`)
  } catch (error) {
    // Repeating is safe: the worker starts one run for each key.
    throw refuse(`The worker ${quote(worker)} did not accept the run: ${reasonOf(error)}`)
  }
  const id = isRecord(answer) && typeof answer.task === 'string' ? ` as its scheduled task ${answer.task}` : ''
  return `The worker ${quote(worker)} has accepted the run${id}. Its results stay there.`
}

function describeUnknownWorker(worker: string, names: readonly string[]): string {
  const known =
    names.length === 0
      ? 'No workers are configured; leave worker out to use this machine.'
      : `Configured workers: ${names.join(', ')}. Leave worker out to use this machine.`
  return `There is no worker ${quote(worker)}. ${known}`
}

function parseAnswer(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'))
  } catch {
    // An answer without JSON is described by its status.
    return undefined
  }
}

function readError(answer: unknown): string | undefined {
  return isRecord(answer) && typeof answer.error === 'string' ? answer.error.slice(0, 500) : undefined
}

function refuse(message: string): ToolCallError {
  return new ToolCallError('tool_failed', message)
}
