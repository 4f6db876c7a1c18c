import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import type { NotifyOptions } from '../../contract/ports/notify.js'
import { findSystemProgram } from '../../system/find-program.js'
import { createTemporaryFolder } from '../../testing/query-fixture.js'
import { createHttpPort } from '../http/create-http-port.js'
import { createNotifyPort } from './create-notify-port.js'

const NOTIFICATION = { title: 'Done', body: 'All tests pass: <b>3</b> & more' }

async function push(options: NotifyOptions, variables: Record<string, string> = {}) {
  const http = createHttpPort({ allowedPrivateHosts: ['127.0.0.1'], variables: {} })
  onTestFinished(() => http.dispose())
  const port = createNotifyPort({ ...options, http, session: 's1', projectFolder: '/project', variables })
  return await port.push(NOTIFICATION, { signal: new AbortController().signal })
}

interface Received {
  readonly body: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** A server that answers with these status codes, one after another. */
async function startWebhook(statuses: readonly number[]) {
  const requests: Received[] = []
  const server = createServer(async (request, response) => {
    requests.push({ body: await text(request), headers: request.headers })
    response.writeHead(statuses[requests.length - 1] ?? 200).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, requests }
}

test('the webhook gets the message with a signature that it can check', async () => {
  const { url, requests } = await startWebhook([204])

  expect(await push({ webhook: { url, secret: 'the secret' } })).toEqual([{ channel: 'webhook' }])

  const [{ body = '', headers = {} } = {}] = requests
  expect(JSON.parse(body)).toMatchObject({ ...NOTIFICATION, session_id: 's1', project: '/project' })
  const signature = createHmac('sha256', 'the secret').update(`${headers['x-haft-timestamp']}.${body}`).digest('hex')
  expect(headers['x-haft-signature']).toBe(`sha256=${signature}`)
})

test('a request that failed on the server is repeated with the same id', async () => {
  const { url, requests } = await startWebhook([500, 429, 200])
  expect(await push({ webhook: { url } })).toEqual([{ channel: 'webhook' }])
  expect(new Set(requests.map(({ body }) => JSON.parse(body).id)).size).toBe(1)
  expect(requests).toHaveLength(3)
  expect(requests[0]?.headers).not.toHaveProperty('x-haft-signature')
})

test('a refusal is reported and not repeated, and does not affect other channels', async () => {
  const { url, requests } = await startWebhook([403])
  const shown: unknown[] = []

  const deliveries = await push({ webhook: { url }, showInTerminal: (notification) => shown.push(notification) })

  expect(deliveries).toEqual([
    { channel: 'terminal' },
    { channel: 'webhook', problem: 'the webhook answered with status 403' },
  ])
  expect(shown).toEqual([NOTIFICATION])
  expect(requests).toHaveLength(1)
})

// A program of the system would be preferred to the one of the test.
const isInstalled = findSystemProgram('notify-send', { searchPath: '', writableFolders: [] }) !== undefined

test.skipIf(process.platform !== 'linux' || isInstalled)(
  'the desktop program gets the texts as arguments',
  async () => {
    const folder = await createTemporaryFolder()
    await mkdir(join(folder, 'bin'))
    const program = join(folder, 'bin', 'notify-send')
    await writeFile(program, `#!/bin/sh\nprintf '%s\\n' "$@" > ${folder}/arguments\nenv > ${folder}/variables\n`)
    await chmod(program, 0o755)

    const variables = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, DISPLAY: ':0', MODEL_KEY: 'secret' }
    expect(await push({ desktop: true }, variables)).toEqual([{ channel: 'desktop' }])

    expect(await readFile(join(folder, 'arguments'), 'utf8')).toBe(
      '--app-name=Haft\n--\nDone\nAll tests pass: &lt;b&gt;3&lt;/b&gt; &amp; more\n',
    )
    const names = (await readFile(join(folder, 'variables'), 'utf8')).match(/^\w+(?==)/gm)
    expect(names?.filter((name) => !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name)).sort()).toEqual(['DISPLAY', 'PATH'])
    expect(await push({ desktop: true }, { PATH: '' })).toEqual([
      { channel: 'desktop', problem: 'notify-send is not installed' },
    ])
  },
)
