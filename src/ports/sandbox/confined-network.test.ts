import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { testWithProgram } from '../../testing/test-with-program.js'
import { SandboxFixture } from './fixture-sandbox.js'

const test = testWithProgram('bwrap', 'bubblewrap')

let fixture: SandboxFixture
let server: Server
let port: number
let requests: string[]

beforeEach(async () => {
  fixture = new SandboxFixture()
  requests = []
  server = createServer((request, answer) => {
    requests.push(`${request.method} ${request.headers.host}${request.url}`)
    request.on('data', () => {}).on('end', () => answer.end('hello'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await fixture.remove()
})

/** A program that uses a proxy as curl does, so that the test does not require curl. */
const PROXY_REQUEST_SCRIPT = `
const http = require('node:http')
const [url, proxy] = [new URL(process.argv[1]), new URL(process.env.HTTP_PROXY)]
const fail = (error) => { console.error(String(error)); process.exit(1) }
http.get({ host: proxy.hostname, port: proxy.port, path: url.href, headers: { host: 'elsewhere.example' } }, (answer) => {
  answer.setEncoding('utf8').on('data', (text) => process.stdout.write(text))
  answer.on('end', () => process.exit(answer.statusCode === 200 ? 0 : 1))
}).on('error', fail)`

const TUNNEL_SCRIPT = `
const http = require('node:http')
const [target, proxy] = [process.argv[1], new URL(process.env.HTTPS_PROXY)]
http.request({ host: proxy.hostname, port: proxy.port, method: 'CONNECT', path: target }).on('connect', (answer, socket) => {
  if (answer.statusCode !== 200) { console.log(answer.statusCode); process.exit(1) }
  socket.write('GET /deep HTTP/1.1\\r\\nHost: ' + target + '\\r\\nConnection: close\\r\\n\\r\\n')
  socket.setEncoding('utf8').on('data', (text) => process.stdout.write(text)).on('end', () => process.exit(0))
}).end()`

const createNodeCommand = (script: string, ...args: readonly string[]) =>
  [process.execPath, '-e', script, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')

const addressesByHost: Readonly<Record<string, readonly string[]>> = {
  'server.test': ['127.0.0.1'],
  'deep.server.test': ['127.0.0.1'],
  'metadata.test': ['169.254.169.254'],
}
const lookUp = async (host: string) => addressesByHost[host] ?? []

for (const confinement of ['workspace', 'read-only'] as const) {
  test(`a ${confinement} command cannot reach a server of this machine, and the reason is reported`, async () => {
    const run = await fixture.run(fixture.openSandbox(), `exec 5<>/dev/tcp/127.0.0.1/${port}`, { confinement })
    const lookupRun = await fixture.run(
      fixture.openSandbox(),
      'getent hosts example.com || { echo "Could not resolve host: example.com"; exit 6; }',
      {
        confinement,
      },
    )

    expect(run.exitCode).not.toBe(0)
    expect(run.output).toContain('Connection refused')
    expect(run.refusals[0]).toContain(`the program that listens on port ${port} of this machine cannot be reached`)
    expect(lookupRun.refusals[0]).toContain('The sandbox has no network.')
    expect(requests).toEqual([])
  })
}

test('an allowed domain is reached through the proxy, under the host name that was checked', async () => {
  const sandbox = fixture.openSandbox({ allowedDomains: ['server.test'] }, { lookUp })

  const plainRun = await fixture.run(
    sandbox,
    createNodeCommand(PROXY_REQUEST_SCRIPT, `http://server.test:${port}/page`),
  )
  const tunnel = await fixture.run(sandbox, createNodeCommand(TUNNEL_SCRIPT, `server.test:${port}`))

  expect(plainRun).toMatchObject({ exitCode: 0, output: 'hello', refusals: [] })
  expect(tunnel.output).toContain('hello')
  expect(requests).toEqual([`GET server.test:${port}/page`, `GET server.test:${port}/deep`])
})

test('other domains are refused and reported, and so is a wildcard domain with a local address', async () => {
  const sandbox = fixture.openSandbox({ allowedDomains: ['server.test', '*.server.test', 'metadata.test'] }, { lookUp })

  const otherRun = await fixture.run(sandbox, createNodeCommand(PROXY_REQUEST_SCRIPT, `http://evil.test:${port}/`))
  const subdomainResult = await fixture.run(sandbox, createNodeCommand(TUNNEL_SCRIPT, `deep.server.test:${port}`))
  const metadata = await fixture.run(sandbox, createNodeCommand(PROXY_REQUEST_SCRIPT, 'http://metadata.test/'))
  const address = await fixture.run(sandbox, createNodeCommand(PROXY_REQUEST_SCRIPT, `http://127.0.0.1:${port}/`))
  const directResult = await fixture.run(sandbox, `exec 5<>/dev/tcp/127.0.0.1/${port}`)

  expect(otherRun.refusals[0]).toContain('refused to reach evil.test: it is not in sandbox.allowedDomains')
  expect(subdomainResult).toMatchObject({ exitCode: 1, output: '403\n' })
  expect(subdomainResult.refusals[0]).toContain('deep.server.test: it resolves to an address of this machine')
  expect(metadata.refusals[0]).toContain('metadata.test: it resolves to an address')
  expect(address.refusals[0]).toContain('refused to reach 127.0.0.1')
  expect(directResult.exitCode).not.toBe(0)
  expect(requests).toEqual([])
})

test('commands with a proxy share one network, so that one can reach a server of another', async () => {
  const sandbox = fixture.openSandbox({ allowedDomains: ['server.test'] }, { lookUp })
  const serve = `require('node:http').createServer((q, a) => a.end('mine', () => process.exit())).listen(4567, '127.0.0.1', () => require('node:fs').writeFileSync('ready', ''))`
  const ask =
    'until [ -e ready ]; do read -rt 0.05 <> <(:); done; exec 5<>/dev/tcp/127.0.0.1/4567; printf "GET / HTTP/1.0\\r\\n\\r\\n" >&5; cat <&5'

  const [, answer] = await Promise.all([fixture.run(sandbox, createNodeCommand(serve)), fixture.run(sandbox, ask)])

  expect(answer.output).toContain('mine')
})

test('a read-only command has no network, whatever domains are allowed', async () => {
  const sandbox = fixture.openSandbox({ allowedDomains: ['server.test'] }, { lookUp })

  const run = await fixture.run(sandbox, 'env | grep -i proxy; cat /proc/net/dev', { confinement: 'read-only' })

  expect(run.output.match(/^\s*\S+:/gm)).toEqual(['    lo:'])
})

test('Unix sockets of other programs cannot be reached unless the settings allow them', async () => {
  const path = join(fixture.project, 'daemon.sock')
  const daemonServer = createSocketServer((socket) => socket.end('obeyed'))
  await new Promise<void>((resolve) => daemonServer.listen(path, resolve))
  const ask = createNodeCommand(
    `require('node:net').connect(${JSON.stringify(path)}).on('error', (e) => { console.error(e.message); process.exit(1) }).pipe(process.stdout)`,
  )

  for (const confinement of ['workspace', 'read-only'] as const) {
    const refusedOutcome = await fixture.run(fixture.openSandbox(), ask, { confinement })
    expect(refusedOutcome).toMatchObject({ exitCode: 1, output: expect.stringContaining('EAFNOSUPPORT') })
    expect(refusedOutcome.refusals[0]).toContain('sandbox.allowUnixSockets')
  }
  const allowedResult = await fixture.run(fixture.openSandbox({ allowsUnixSockets: true }), ask)
  await new Promise((resolve) => daemonServer.close(resolve))

  expect(allowedResult.output).toBe('obeyed')
})
