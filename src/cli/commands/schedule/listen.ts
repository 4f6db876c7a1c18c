import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MAX_SCHEDULED_PROMPT_CHARS } from '../../../contract/ports/schedule.js'
import { createHttpGuard, LOCAL_HOSTS, toUrlHost } from '../../../mcp/serve/http-guard.js'
import type { ScheduleStore } from '../../../ports/schedule/schedule-store.js'
import { RUNS_PATH } from '../../../ports/schedule/trigger-worker.js'
import { isRecord } from '../../../shared/is-record.js'
import { reasonOf } from '../../../shared/reason-of.js'

export interface ListenOptions {
  readonly port: number
  readonly host: string
  readonly allowedHosts: readonly string[]
  readonly token: string
  /** Receives the runs. */
  readonly store: ScheduleStore
  /** Called when a run was stored. */
  readonly onRun: () => void
}

const MAX_BODY_BYTES = 256 * 1024
const MAX_KEY_CHARS = 200

/** Accepts runs from other machines: a POST request with a prompt becomes a task that is due at once. */
export async function listenForRuns(options: ListenOptions): Promise<{ readonly url: string; close(): void }> {
  const { port, host, allowedHosts, token } = options
  const hosts = [...LOCAL_HOSTS, toUrlHost(host), ...allowedHosts]
  const isAllowed = createHttpGuard({ hosts, token, path: RUNS_PATH })
  const server = createServer((request, response) => {
    if (isAllowed(request, response)) void answer(request, response, options)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    url: `http://${toUrlHost(host)}:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, options: ListenOptions): Promise<void> {
  const send = (status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  try {
    if (request.method !== 'POST') {
      send(405, { error: 'Send a POST request.' })
      return
    }
    const body = await readBody(request)
    const run = body === undefined ? undefined : parseRun(body)
    if (run === undefined) {
      send(400, { error: 'The body must be JSON with "prompt" (text) and optionally "key" (text).' })
      return
    }
    const { id } = await options.store.createOnce(run.prompt, Date.now(), run.key)
    options.onRun()
    send(201, { task: id })
  } catch (error) {
    send(500, { error: reasonOf(error) })
  }
}

/** Reads the body of a request; undefined if it is too long. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseRun(body: string): { readonly prompt: string; readonly key?: string } | undefined {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return undefined
  }
  if (!isRecord(value) || typeof value.prompt !== 'string') return undefined
  const { key } = value
  const prompt = value.prompt.trim()
  if (prompt === '' || prompt.length > MAX_SCHEDULED_PROMPT_CHARS) return undefined
  if (key === undefined) return { prompt }
  return typeof key === 'string' && key.length <= MAX_KEY_CHARS ? { prompt, key } : undefined
}
