import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createBrotliCompress, createGzip, constants as zlib } from 'node:zlib'
import { createAnthropicFrames, type Frame } from './anthropic-frames.js'
import { createChatFrames } from './chat-frames.js'
import type { ServerRequest, ServerTurn } from './server-turn.js'

/** The responses in order. A function can inspect the request first. */
export type ServerScript = readonly (ServerTurn | ((request: ServerRequest) => ServerTurn))[]

export interface ModelServer {
  /** Without a path, as the Anthropic SDK expects it. The OpenAI SDK needs `/v1` appended. */
  readonly url: string
  readonly requests: readonly ServerRequest[]
  /** Resolves with the request of this index, starting at 0, as soon as it has arrived. */
  request(index: number): Promise<ServerRequest>
  /** Appends turns to the script. */
  add(...turns: ServerScript): void
  /** Aborts every open response. */
  close(): Promise<void>
}

export interface ModelServerOptions {
  /** Whether the script starts again after its last turn. */
  readonly shouldRepeat?: boolean
}

/**
 * Starts a server that implements the streaming protocols of `POST /v1/messages` and `POST /v1/chat/completions`. `GET
 * /requests` returns all requests so far, for other processes.
 */
export async function startModelServer(
  script: ServerScript = [],
  { shouldRepeat = false }: ModelServerOptions = {},
): Promise<ModelServer> {
  const turns = [...script]
  const requests: ServerRequest[] = []
  const waiters: { index: number; resolve: (request: ServerRequest) => void }[] = []
  const connections = new Map<Socket, number>()

  const server = createServer(async (incomingRequest, response) => {
    if (incomingRequest.method === 'GET' && incomingRequest.url === '/requests')
      return void response.end(JSON.stringify(requests))
    const at = performance.now()
    const request = await readRequest(incomingRequest, { at, connection: connections.get(incomingRequest.socket) ?? 0 })
    const turnNumber = requests.push(request) - 1
    for (const { index, resolve } of waiters) if (index === turnNumber) resolve(request)
    response.once('finish', () => {
      request.endedAt = performance.now()
    })
    const turn = turns[shouldRepeat ? turnNumber % turns.length : turnNumber]
    if (turn === undefined) return fail(response, 500, `The script has no turn ${turnNumber}. Add one with add().`)
    await answer(response, typeof turn === 'function' ? turn(request) : turn, request, turnNumber)
  })
  server.on('connection', (socket) => {
    connections.set(socket, connections.size)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    request: (index) =>
      new Promise((resolve) => {
        const request = requests[index]
        if (request === undefined) waiters.push({ index, resolve })
        else resolve(request)
      }),
    add: (...addedTurns) => void turns.push(...addedTurns),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function readRequest(
  incomingRequest: IncomingMessage,
  arrival: Pick<ServerRequest, 'at' | 'connection'>,
): Promise<ServerRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incomingRequest) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  return {
    path: incomingRequest.url ?? '',
    headers: incomingRequest.headers,
    body: text === '' ? undefined : JSON.parse(text),
    ...arrival,
  }
}

async function answer(response: ServerResponse, turn: ServerTurn, request: ServerRequest, number: number) {
  await turn.gate
  if (turn.status !== undefined) {
    const { status, headers = {}, body = {} } = turn
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    return void response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
  const createFrames = chooseFrames(request.path)
  if (createFrames === undefined)
    return fail(response, 404, `Unknown path ${request.path}. Use /v1/messages or /v1/chat/completions.`)
  const { headers = {}, encoding } = turn
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    ...(encoding !== undefined && { 'content-encoding': encoding }),
    ...headers,
  })
  await stream(response, turn, createFrames(turn, String(request.body?.model), number))
}

function chooseFrames(url: string) {
  const path = url.replace(/\?.*/, '')
  if (path.endsWith('/messages')) return createAnthropicFrames
  return path.endsWith('/chat/completions') ? createChatFrames : undefined
}

function fail(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ type: 'error', error: { type: 'api_error', message } }))
}

async function stream(response: ServerResponse, turn: ServerTurn, frames: Iterable<Frame>): Promise<void> {
  const { chunkSize = Number.POSITIVE_INFINITY, cutAfter = Number.POSITIVE_INFINITY, encoding } = turn
  const out = encoding === undefined ? response : createCompressor(encoding)
  if (out !== response) out.pipe(response)
  let sentBytes = 0
  for (const frame of frames) {
    if (typeof frame !== 'string') {
      await frame.gate
      continue
    }
    const bytes = Buffer.from(frame, 'utf8').subarray(0, cutAfter - sentBytes)
    for (let at = 0; at < bytes.length; at += chunkSize) await write(out, bytes.subarray(at, at + chunkSize))
    sentBytes += bytes.length
    if (sentBytes >= cutAfter) return void response.destroy()
  }
  out.end()
}

function createCompressor(encoding: 'gzip' | 'br') {
  return encoding === 'gzip'
    ? createGzip({ flush: zlib.Z_SYNC_FLUSH })
    : createBrotliCompress({ flush: zlib.BROTLI_OPERATION_FLUSH })
}

/** Sends each piece separately: writes in the same turn of the event loop could arrive as one piece. */
async function write(out: NodeJS.WritableStream, bytes: Uint8Array): Promise<void> {
  await new Promise<void>((resolve) => out.write(bytes, () => resolve()))
  await new Promise<void>((resolve) => setImmediate(resolve))
}
