import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { HookEnd } from '../answer/hook-answer.js'
import type { HttpHook } from '../config/hook-config.js'
import type { HookCall } from './hook-call.js'
import { runHttpHook } from './run-http-hook.js'

let server: Server | undefined
let controller = new AbortController()

afterEach(async () => {
  controller = new AbortController()
  server?.closeAllConnections()
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)))
  server = undefined
})

async function serve(listener: RequestListener): Promise<string> {
  const httpServer = createServer(listener)
  server = httpServer
  await new Promise<void>((resolve) => httpServer.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(httpServer.address() as AddressInfo).port}/hook`
}

function postToHook(
  url: string,
  changes: Partial<HttpHook> = {},
  environment: HookCall['environment'] = {},
): Promise<HookEnd> {
  const payload = {
    session_id: 's',
    transcript_path: 't',
    cwd: '/',
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
  } as const
  return runHttpHook(
    { type: 'http', url, headers: {}, allowedEnvVars: [], timeoutMs: 60_000, once: false, async: false, ...changes },
    {
      payload,
      json: '{"tool_name":"Bäsh"}',
      signal: controller.signal,
      processes: () => Promise.reject(new Error('No command runs here.')),
      projectDir: '/',
      environment,
      headerVariable: (name) => environment[name],
      ports: {},
    },
  )
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

test('an HTTP hook posts the payload as JSON and returns the response of the server', async () => {
  const url = await serve(async (request, response) => {
    const { method, headers } = request
    response.end(JSON.stringify({ method, type: headers['content-type'], body: await readBody(request) }))
  })

  const end = await postToHook(url)

  expect(end).toEqual({
    type: 'text',
    text: '{"method":"POST","type":"application/json","body":"{\\"tool_name\\":\\"Bäsh\\"}"}',
  })
})

test('an HTTP hook fills headers only with variables that are allowed', async () => {
  const url = await serve((request, response) => response.end(request.headers.authorization))
  const headers = { Authorization: `Bearer $TOKEN \${TOKEN} $SECRET $MISSING.` }

  const end = await postToHook(url, { headers, allowedEnvVars: ['TOKEN', 'MISSING'] }, { TOKEN: 'abc', SECRET: 'xyz' })

  expect(end).toEqual({ type: 'text', text: 'Bearer abc abc  .' })
})

test.each([400, 404, 500, 503])('an HTTP hook fails on status %d, whatever the body contains', async (status) => {
  const url = await serve((_, response) => response.writeHead(status).end('{"decision":"approve"}'))

  expect(await postToHook(url)).toEqual({ type: 'failed', message: `The server responded with status ${status}.` })
})

test('an HTTP hook does not follow redirects', async () => {
  const url = await serve((request, response) =>
    request.url === '/hook' ? response.writeHead(307, { location: '/other' }).end() : response.end('followed'),
  )

  expect(await postToHook(url)).toEqual({
    type: 'failed',
    message:
      'The server responded with status 307. Redirects are not followed: configure the URL that it redirects to.',
  })
})

test.each(['headers', 'body'])(
  'an HTTP hook ends when it is cancelled while the server still sends its %s',
  async (location) => {
    const connectionClosed = createDeferred()
    const url = await serve((request, response) => {
      request.socket.once('close', () => connectionClosed.resolve())
      if (location === 'body') response.write('{"decision":')
      controller.abort()
    })

    expect(await postToHook(url)).toEqual({ type: 'stopped' })
    await connectionClosed.promise
  },
)

test('an HTTP hook sends no request if it is already cancelled', async () => {
  let wasAsked = false
  const url = await serve((_, response) => {
    wasAsked = true
    response.end()
  })
  controller.abort()

  expect(await postToHook(url)).toEqual({ type: 'stopped' })
  expect(wasAsked).toBe(false)
})

test('an HTTP hook fails on an endless response without reading all of it', async () => {
  const url = await serve((_, response) => {
    const chunk = 'x'.repeat(65_536)
    const write = () => {
      while (response.writable && response.write(chunk));
      if (response.writable) response.once('drain', write)
    }
    write()
  })

  expect(await postToHook(url)).toEqual({
    type: 'failed',
    message: 'The response has more than 1048576 bytes, so it was ignored.',
  })
})

test('an HTTP hook fails when the connection breaks during the response', async () => {
  const url = await serve((request, response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('{"decision":"approve"}', () => request.socket.destroy())
  })

  expect(await postToHook(url)).toEqual({
    type: 'failed',
    message: 'The connection broke before the response was complete.',
  })
})

test('an HTTP hook fails when the server does not answer in HTTP', async () => {
  const url = await serve((request) => request.socket.end('rubbish\r\n\r\n'))

  expect(await postToHook(url)).toMatchObject({
    type: 'failed',
    message: expect.stringMatching(/^The request failed: /),
  })
})

test('an HTTP hook fails when the connection is refused', async () => {
  const url = await serve(() => {})
  await new Promise((resolve) => server?.close(resolve))
  server = undefined

  expect(await postToHook(url)).toMatchObject({ type: 'failed', message: expect.stringContaining('ECONNREFUSED') })
})

function createDeferred() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
