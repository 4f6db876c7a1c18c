import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { type Permissions, startMonitors } from './lib/monitor-fixture.js'

const TEXT = 0x1
const BINARY = 0x2
const CLOSE = 0x8
const HANDSHAKE_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** Writes one frame of a server, which is not masked. */
function writeFrame(socket: Duplex, opcode: number, payload: Uint8Array | string): void {
  const body = Buffer.from(payload)
  const head = Buffer.alloc(body.length < 126 ? 2 : body.length < 65_536 ? 4 : 10)
  head[0] = 0x80 | opcode
  if (head.length === 2) head[1] = body.length
  else if (head.length === 4) head.writeUInt16BE(body.length, 2)
  else head.writeBigUInt64BE(BigInt(body.length), 2)
  if (head.length > 2) head[1] = head.length === 4 ? 126 : 127
  socket.write(Buffer.concat([head, body]))
}

/** A WebSocket server that counts connections and calls `serve` for each. It answers other requests with 404. */
async function startServer(serve: (socket: Duplex) => void) {
  const sockets: Duplex[] = []
  const server = createServer((_, response) => response.writeHead(404).end())
  server.on('upgrade', (request, socket) => {
    const key = `${request.headers['sec-websocket-key']}${HANDSHAKE_GUID}`
    if (request.url === '/missing') return socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
    const accept = createHash('sha1').update(key).digest('base64')
    const fields = ['Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accept}`]
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${fields.join('\r\n')}\r\n\r\n`)
    socket.on('error', () => socket.destroy())
    socket.on('end', () => socket.destroy())
    socket.resume()
    sockets.push(socket)
    return serve(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`, sockets }
}

/** Monitors that may connect to the test's own server. */
const startLocalMonitors = (permissions?: Permissions) => startMonitors(permissions, ['127.0.0.1'])

test('each message of a WebSocket is a line, until the server ends the connection, which is not opened again', async () => {
  const { url, sockets } = await startServer((socket) => {
    writeFrame(socket, TEXT, 'first')
    writeFrame(socket, TEXT, '\u001b[31mtwo\r\nlines\u001b[0m')
    writeFrame(socket, BINARY, new Uint8Array(300))
    writeFrame(socket, CLOSE, Buffer.concat([Buffer.from([0x03, 0xe8]), Buffer.from('done')]))
    socket.end()
  })
  const { run, untilEnded } = await startLocalMonitors()

  expect(await run('Monitor', { ws: url })).toContain('Watching in the background as task monitor-1')

  expect(await untilEnded()).toMatchObject({
    lines: ['first', 'two lines', '[binary message of 300 bytes]'],
    task: { status: 'completed', description: url, summary: 'The connection ended with code 1000: done' },
  })
  expect(sockets).toHaveLength(1)
})

test('filter and max_events apply to messages', async () => {
  const { url, sockets } = await startServer((socket) => {
    for (let number = 1; number <= 30; number++) writeFrame(socket, TEXT, String(number))
  })
  const { run, untilEnded } = await startLocalMonitors()

  await run('Monitor', { ws: url, filter: '5$', max_events: 2 })

  expect(await untilEnded()).toMatchObject({
    lines: ['5', '15'],
    end: expect.stringContaining('it has reported 2 lines'),
    task: { status: 'stopped' },
  })
  await expect.poll(() => sockets[0]?.destroyed).toBe(true)
})

test('TaskOutput reads the messages, and TaskStop ends the connection although the server does not answer', async () => {
  const { url, sockets } = await startServer((socket) => {
    socket.pause()
    writeFrame(socket, TEXT, 'hello')
  })
  const { run, events, untilEnded } = await startLocalMonitors()

  await run('Monitor', { ws: url, description: 'the feed' })
  await expect.poll(() => events.length).toBe(1)

  expect(await run('TaskOutput', { task_id: 'monitor-1', block: false })).toContain('hello')
  expect(await run('TaskStop', { task_id: 'monitor-1' })).toContain('was stopped')
  expect((await untilEnded()).task).toMatchObject({ status: 'stopped', description: 'the feed' })
  sockets[0]?.resume()
  await expect.poll(() => sockets[0]?.destroyed).toBe(true)
})

test('a lost connection and a message over the limit end the monitor as failed', async () => {
  const lost = await startServer((socket) => socket.end())
  const large = await startServer((socket) => writeFrame(socket, TEXT, 'x'.repeat(1024 ** 2 + 1)))

  for (const { url } of [lost, large]) {
    const { run, untilEnded } = await startLocalMonitors()
    await run('Monitor', { ws: url })
    expect(await untilEnded()).toMatchObject({ lines: [], task: { status: 'failed' } })
  }
})

test('the end of the runtime ends the connection', async () => {
  const { url, sockets } = await startServer(() => undefined)
  const { run, runtime } = await startLocalMonitors()
  await run('Monitor', { ws: url })

  await runtime.dispose()

  await expect.poll(() => sockets[0]?.destroyed).toBe(true)
})

test('a server that refuses the connection is an error with its status', async () => {
  const { url } = await startServer(() => undefined)
  const { run, runtime } = await startLocalMonitors()

  expect(await run('Monitor', { ws: `${url}missing` })).toContain('did not accept a WebSocket connection')
  expect(runtime.tasks.list()).toEqual([])
})

test.each([
  ['ws://127.0.0.1:8443/', 'web.allowPrivateHosts'],
  ['wss://localhost:8443/', 'web.allowPrivateHosts'],
  ['wss://[::1]:8443/', 'web.allowPrivateHosts'],
  ['wss://[::ffff:127.0.0.1]:8443/', 'web.allowPrivateHosts'],
  ['wss://2130706433:8443/', 'web.allowPrivateHosts'],
  ['wss://0x7f.1:8443/', 'web.allowPrivateHosts'],
  ['wss://10.0.0.1/', 'web.allowPrivateHosts'],
  ['wss://169.254.169.254/latest', 'web.allowPrivateHosts'],
  ['https://example.com/', 'starts with wss:// or ws://'],
  ['wss://user:password@example.com/', 'Remove the user name and password'],
  ['example.com', 'is not a valid URL'],
])('%s is refused', async (ws, problem) => {
  const { run, runtime } = await startMonitors()

  expect(await run('Monitor', { ws })).toContain(problem)
  expect(runtime.tasks.list()).toEqual([])
})

test('exactly one of command and ws is needed', async () => {
  const { run } = await startLocalMonitors()

  expect(await run('Monitor', {})).toContain('Send either command or ws')
  expect(await run('Monitor', { command: 'pwd', ws: 'wss://example.com' })).toContain('Send either command or ws')
})

test('a connection needs approval, unless a rule allows its domain; rules for commands do not apply', async () => {
  const { url } = await startServer(() => undefined)
  const ask = async (permissions: Permissions) => (await startLocalMonitors(permissions)).run('Monitor', { ws: url })

  expect(await ask({})).toContain('needs approval')
  expect(await ask({ allow: ['Monitor(ls:*)', 'Monitor(domain:example.com)', 'Bash'] })).toContain('needs approval')
  expect(await ask({ allow: ['Monitor(domain:127.0.0.1)'], deny: ['Bash', 'Read(.env)'] })).toContain('monitor-1')
  expect(await ask({ mode: 'bypassPermissions', deny: ['Monitor(domain:127.0.0.1)'] })).toContain(
    'Monitor(domain:127.0.0.1)',
  )
})

test('a rule for a domain does not allow a command, even if the call names the domain as well', async () => {
  const { run } = await startLocalMonitors({ allow: ['Monitor(domain:example.com)'] })

  expect(await run('Monitor', { command: 'touch file' })).toContain('needs approval')
})
