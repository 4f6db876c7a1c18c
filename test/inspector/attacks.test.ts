import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { toHtmlFile } from '../../src/inspector/export/html.js'
import { createAssistantMessage, createUserMessage } from '../../src/testing/session-fixture.js'
import { createOwnHeaders, secretPathOf, startTestInspector } from './fixture-inspector.js'

const CALL = JSON.stringify({ tool: 'Bash', input: { command: 'true' } })

test('a request of the page itself is answered, and its call reaches the workbench', async () => {
  const { port, send, workbench } = await startTestInspector()
  const headers = createOwnHeaders(port)

  const list = await send({ path: '/api/sessions', headers })
  const call = await send({ path: '/api/call', method: 'POST', headers, body: CALL })

  expect([list.status, list.body, call.status]).toEqual([200, '[]', 200])
  expect(workbench.calls).toEqual(['Bash'])
})

const FOREIGN_HOSTS = [
  'evil.example',
  'evil.example:80',
  'localhost.evil.example',
  '127.0.0.1',
  'localhost',
  '0.0.0.0',
  '127.0.0.1.nip.io',
  '[::1]',
  '',
]

test.each(FOREIGN_HOSTS)('a request with the Host %j, as after DNS rebinding, gets nothing', async (name) => {
  const { port, send, workbench } = await startTestInspector()
  const host = name.includes('.nip') || name.includes('evil') ? `${name}:${port}` : name
  const headers = { ...createOwnHeaders(port), Host: host, Origin: `http://${host}` }

  const replies = await Promise.all([
    send({ path: '/api/sessions', headers }),
    send({ path: '/', headers }),
    send({ path: '/api/call', method: 'POST', headers, body: CALL }),
  ])

  // Node itself refuses a request without a host.
  expect(replies.map(({ status }) => status >= 400)).toEqual([true, true, true])
  expect(workbench.calls).toEqual([])
})

test.each(['http://evil.example', 'https://127.0.0.1', 'http://localhost:1', 'null', 'file://'])(
  'a request of the origin %s gets nothing, even with the token',
  async (origin) => {
    const { port, send, workbench } = await startTestInspector()
    const headers = { ...createOwnHeaders(port), Origin: origin }

    const statuses = [
      (await send({ path: '/api/sessions', headers })).status,
      (await send({ path: '/api/call', method: 'POST', headers, body: CALL })).status,
    ]

    expect(statuses).toEqual([403, 403])
    expect(workbench.calls).toEqual([])
  },
)

test.each([
  ['none', undefined],
  ['an empty one', 'Bearer '],
  ['a guess', 'Bearer 0'],
  ['a part of it', 'Bearer a-token-that-nobody'],
  ['another scheme', 'Basic YS10b2tlbi10aGF0LW5vYm9keS1ndWVzc2Vz'],
])('with %s as token, no data is sent and no tool is called', async (_, authorization) => {
  const { port, send, workbench } = await startTestInspector()
  const { Authorization: _token, ...others } = createOwnHeaders(port)
  const headers = { ...others, ...(authorization !== undefined && { Authorization: authorization }) }
  const paths = [
    '/api/sessions',
    '/api/pool',
    '/api/search?q=a',
    '/api/sessions/a/events',
    '/api/sessions/a/export.html',
  ]

  const statuses = await Promise.all(paths.map(async (path) => (await send({ path, headers })).status))
  const call = await send({ path: '/api/call', method: 'POST', headers, body: CALL })

  expect([...new Set([...statuses, call.status])]).toEqual([401])
  expect(workbench.calls).toEqual([])
})

test('the token in the query, or in a form of another site, does not count', async () => {
  const { port, send, workbench } = await startTestInspector()
  const { Authorization: _token, ...headers } = createOwnHeaders(port)
  const form = { ...createOwnHeaders(port), 'Content-Type': 'text/plain' }
  const { Origin: _origin, ...noOrigin } = createOwnHeaders(port)

  const statuses = [
    (await send({ path: '/api/sessions?token=a-token-that-nobody-guesses', headers })).status,
    (await send({ path: '/api/call', method: 'POST', headers: form, body: CALL })).status,
    (await send({ path: '/api/call', method: 'POST', headers: noOrigin, body: CALL })).status,
    (await send({ path: '/api/call', headers: createOwnHeaders(port) })).status,
    (await send({ path: '/api/call', method: 'PUT', headers: createOwnHeaders(port), body: CALL })).status,
    (await send({ path: '/api/sessions', headers: { ...createOwnHeaders(port), 'Sec-Fetch-Site': 'cross-site' } }))
      .status,
  ]

  expect(statuses).toEqual([401, 415, 403, 404, 405, 403])
  expect(workbench.calls).toEqual([])
})

test.each([
  '../secret',
  '..%2fsecret',
  '%2e%2e%2fsecret',
  '..%5csecret',
  '/etc/passwd',
  '%2fetc%2fpasswd',
  'secret.jsonl',
  '.',
  '..',
  'a%00b',
])('the session id %s reads no file outside the sessions, neither as data nor as an export', async (id) => {
  const { port, home, send } = await startTestInspector()
  home.open().log.messageAdded(createUserMessage('hello'), {})
  writeFileSync(
    secretPathOf(home),
    '{"type":"session-started","id":"x","at":1}\n{"type":"title","at":1,"title":"SECRET"}\n',
  )
  const headers = createOwnHeaders(port)

  for (const rest of ['', '/events', '/export.html', '/export.otlp.json', '/messages/0', '/calls/0']) {
    const { status, body } = await send({ path: `/api/sessions/${id}${rest}`, headers })
    expect(body).not.toContain('SECRET')
    expect(body).not.toContain('root:')
    expect(status).toBeGreaterThanOrEqual(400)
  }
})

test('static paths serve only the three files of the page', async () => {
  const { port, send } = await startTestInspector()
  const { Host } = createOwnHeaders(port)

  const paths = ['/../package.json', '/..%2fpackage.json', '/app.js/../../package.json', '/package.json', '/app.js.map']
  const statuses = await Promise.all(
    paths.map(async (path) => (await send({ path, headers: { Host: Host ?? '' } })).status),
  )

  expect([...new Set(statuses)]).toEqual([404])
})

test('every answer forbids scripts, frames and connections of other origins', async () => {
  const { port, send } = await startTestInspector()
  const { Host = '' } = createOwnHeaders(port)

  for (const path of ['/', '/app.js', '/api/sessions', '/nothing']) {
    const { headers } = await send({ path, headers: { Host } })
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*script-src 'self'.*frame-ancestors 'none'/)
    expect(headers['content-security-policy']).not.toMatch(/unsafe|\*/)
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['access-control-allow-origin']).toBeUndefined()
  }
})

test('other machines cannot connect', async () => {
  const { port } = await startTestInspector()
  const addresses = Object.values(networkInterfaces())
    .flat()
    .filter((address) => address?.internal === false && address.family === 'IPv4')

  for (const address of addresses) {
    const outcome = await new Promise((resolve) => {
      const socket = connect(port, address?.address ?? '')
      socket.once('connect', () => resolve('connected'))
      socket.once('error', () => resolve('refused'))
    })
    expect(outcome).toBe('refused')
  }
})

test('an exported file contains no markup of the session, and may run only its own script', () => {
  const evil = '</script><script>alert(1)</script><img src=x onerror=alert(1)><!--'
  const assets = { html: '', script: 'const end = "</script>"; const open = "<!--"', style: 'a{}' }

  const file = toHtmlFile(assets, evil, { messages: [createAssistantMessage(evil)] })

  expect(file.match(/<script/g)).toHaveLength(2)
  expect(file.match(/<\/script>/g)).toHaveLength(2)
  expect(file).not.toContain('<img')
  expect(file).toMatch(/script-src 'sha256-/)
  const [, data = ''] = /id="data">(.*)<\/script>/.exec(file) ?? []
  expect(JSON.parse(data)).toEqual({ messages: [createAssistantMessage(evil)] })
})
