import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openPrivateFiles } from '../../settings/files/private-files.js'
import type { HttpServerConfig } from '../config/server-config.js'
import { FixtureAuthServer } from './fixture-auth-server.js'
import { createServerAccess, type ServerAccess, type ServerAccessOptions } from './server-access.js'

let server: FixtureAuthServer
let folder: string

beforeEach(async () => {
  server = await FixtureAuthServer.start()
  folder = join(await mkdtemp(join(tmpdir(), 'haft-auth-')), 'mcp')
  onTestFinished(() => rm(join(folder, '..'), { recursive: true }))
})

function createAccess(
  config: Partial<HttpServerConfig> = {},
  options: Partial<ServerAccessOptions> = {},
): ServerAccess {
  return createServerAccess({
    name: 'mail',
    config: { type: 'http', url: server.url, headers: {}, ...config },
    files: openPrivateFiles(folder),
    runHelper: async () => ({ exitCode: 1, stdout: '' }),
    ...options,
  })
}

/** Simulates a user who accepts everything in the browser. */
async function browse(url: string): Promise<void> {
  await fetch(url)
}

const createTimeoutSignal = () => AbortSignal.timeout(10_000)
const signIn = (server: ServerAccess, openBrowser = browse) =>
  server.signIn({ openBrowser, signal: createTimeoutSignal() })
const requestStatus = async (access: ServerAccess) => (await access.wrapFetch(fetch)(server.url)).status

async function createSignedInAccess(): Promise<ServerAccess> {
  const mailAccess = createAccess()
  await requestStatus(mailAccess)
  await signIn(mailAccess)
  return mailAccess
}

test('after one sign-in in the browser, requests are authorised, even in later sessions', async () => {
  const mailAccess = createAccess()
  expect(await requestStatus(mailAccess)).toBe(401)

  await signIn(mailAccess)

  expect(await requestStatus(mailAccess)).toBe(200)
  expect(await requestStatus(createAccess())).toBe(200)
  expect(server.registeredClients).toMatchObject([
    { client_name: 'Haft', token_endpoint_auth_method: 'none', grant_types: ['authorization_code', 'refresh_token'] },
  ])
  expect(Object.fromEntries(server.authorizations[0] ?? [])).toMatchObject({
    code_challenge_method: 'S256',
    scope: 'read',
    resource: server.url,
  })
})

test('tokens are stored in a file and folder that only the owner can read', async () => {
  await createSignedInAccess()

  const [name = ''] = await readdir(folder)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
  expect(await readFile(join(folder, name), 'utf8')).toContain('refresh_token')
})

test('a configured client secret is sent only to the issuer that it was configured for', async () => {
  const client = { clientId: 'mine', clientSecret: 'hush' }
  const foreignAccess = createAccess({ oauth: { ...client, issuer: 'https://issuer.example' } })
  await requestStatus(foreignAccess)

  await expect(signIn(foreignAccess)).rejects.toThrow('the client secret was not sent: the server names the issuer')
  expect([server.tokenRequests, server.authorizations]).toEqual([[], []])

  const ownAccess = createAccess({ oauth: { ...client, issuer: new URL(server.url).origin } })
  await requestStatus(ownAccess)
  await signIn(ownAccess)
  expect(await requestStatus(ownAccess)).toBe(200)
  expect(server.tokenRequests).toHaveLength(1)
})

test('tokens are not renewed with a client secret that is for another issuer', async () => {
  const client = { clientId: 'mine', clientSecret: 'hush' }
  await signIn(createAccess({ oauth: client }))
  server.expireAccessTokens()

  const foreignAccess = createAccess({ oauth: { ...client, issuer: 'https://issuer.example' } })

  expect(await requestStatus(foreignAccess)).toBe(401)
  expect(server.tokenRequests).toHaveLength(1)
})

describe('an expired token', () => {
  test('is renewed when the server rejects it, and the new one is stored', async () => {
    const mailAccess = await createSignedInAccess()
    server.expireAccessTokens()

    expect(await requestStatus(mailAccess)).toBe(200)
    expect(await requestStatus(createAccess())).toBe(200)
    expect(server.tokenRequests.map((body) => body.get('grant_type'))).toEqual(['authorization_code', 'refresh_token'])
    expect(server.tokenRequests[1]?.get('resource')).toBe(server.url)
  })

  test('is renewed before it is sent', async () => {
    server.expiresIn = 60
    await createSignedInAccess()
    server.expireAccessTokens()
    const sentValues: (string | null)[] = []

    const laterAccess = createAccess({}, { now: () => Date.now() + 40_000 })
    await laterAccess.wrapFetch((url, init) => {
      sentValues.push(new Headers(init?.headers).get('authorization'))
      return fetch(url, init)
    })(server.url)

    expect(sentValues).toHaveLength(1)
    expect(server.tokenRequests.at(-1)?.get('grant_type')).toBe('refresh_token')
  })

  test('is renewed once for concurrent requests', async () => {
    const mailAccess = await createSignedInAccess()
    server.expireAccessTokens()

    const statuses = await Promise.all(Array.from({ length: 8 }, () => requestStatus(mailAccess)))

    expect(statuses).toEqual(Array(8).fill(200))
    expect(server.tokenRequests).toHaveLength(2)
  })

  test('is renewed by only one of several processes, so that rotation does not revoke it', async () => {
    await createSignedInAccess()
    server.expireAccessTokens()

    const otherAccesses = Array.from({ length: 4 }, () => createAccess())
    const statuses = await Promise.all(otherAccesses.map(requestStatus))

    expect(statuses).toEqual([200, 200, 200, 200])
    expect(server.tokenRequests.filter((body) => body.get('grant_type') === 'refresh_token')).toHaveLength(1)
    server.expireAccessTokens()
    expect(await requestStatus(createAccess())).toBe(200)
  })

  test('that cannot be renewed requires a new sign-in', async () => {
    const mailAccess = await createSignedInAccess()
    const [name = ''] = await readdir(folder)
    const usedRefreshToken = JSON.parse(await readFile(join(folder, name), 'utf8')).tokens.refresh_token
    const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: usedRefreshToken })
    await fetch(`${server.origin}/token`, { method: 'POST', body })
    server.expireAccessTokens()

    expect(await requestStatus(mailAccess)).toBe(401)
    expect(await requestStatus(mailAccess)).toBe(401)

    expect(JSON.parse(await readFile(join(folder, name), 'utf8'))).not.toHaveProperty('tokens')
    await signIn(mailAccess)
    expect(await requestStatus(mailAccess)).toBe(200)
  })

  test('is kept if the authorisation server fails temporarily', async () => {
    const mailAccess = await createSignedInAccess()
    server.expireAccessTokens()
    server.misbehaviour.tokenStatus = 503

    await expect(requestStatus(mailAccess)).rejects.toThrow(/^could not renew the access token: /)

    server.misbehaviour.tokenStatus = undefined
    expect(await requestStatus(mailAccess)).toBe(200)
  })
})

describe('sign-in fails', () => {
  test.each<[string, FixtureAuthServer['misbehaviour'], RegExp]>([
    ['if another issuer answers', { iss: 'https://evil.example' }, /sign-in failed: .*iss/i],
    [
      'if the metadata belongs to another issuer',
      { metadataIssuer: 'https://evil.example' },
      /sign-in failed: .*issuer/i,
    ],
    [
      'if the user declines',
      { error: 'access_denied' },
      /the authorisation server rejected the sign-in: access_denied/,
    ],
    [
      'if the sign-in page is not a web page',
      { authorizationEndpoint: 'file:///bin/sh' },
      /sign-in failed|neither https nor on this machine/,
    ],
  ])('%s', async (_, misbehaviour, message) => {
    const mailAccess = createAccess()
    await requestStatus(mailAccess)
    Object.assign(server.misbehaviour, misbehaviour)
    const openedUrls: string[] = []

    const attempt = mailAccess.signIn({
      openBrowser: async (url) => {
        openedUrls.push(url)
        await fetch(url)
      },
      signal: createTimeoutSignal(),
    })

    await expect(attempt).rejects.toThrow(message)
    expect(openedUrls.every((url) => url.startsWith('http://127.0.0.1'))).toBe(true)
    expect(server.tokenRequests).toEqual([])
    expect(await requestStatus(mailAccess)).toBe(401)
  })

  test('if the state of the redirect is wrong', async () => {
    const mailAccess = createAccess()
    await requestStatus(mailAccess)
    server.misbehaviour.state = 'guessed'
    const cancel = new AbortController()
    let responseStatus = 0

    const attempt = mailAccess.signIn({
      openBrowser: async (url) => {
        responseStatus = (await fetch(url)).status
        cancel.abort()
      },
      signal: cancel.signal,
    })

    await expect(attempt).rejects.toThrow('sign-in was cancelled or timed out before the browser returned')
    expect(responseStatus).toBe(400)
    expect(server.tokenRequests).toEqual([])
  })

  test('if the redirect uses another host name', async () => {
    const mailAccess = createAccess()
    await requestStatus(mailAccess)
    const cancel = new AbortController()
    let responseStatus = 0

    const attempt = mailAccess.signIn({
      openBrowser: async (url) => {
        const redirect = (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? ''
        responseStatus = (await fetch(redirect.replace('127.0.0.1', 'localhost'))).status
        cancel.abort()
      },
      signal: cancel.signal,
    })

    await expect(attempt).rejects.toThrow('sign-in was cancelled or timed out before the browser returned')
    expect(responseStatus).toBe(400)
  })
})

test('a configured OAuth client is used without registration', async () => {
  const mailAccess = createAccess({ oauth: { clientId: 'ours', scope: 'read write' } })

  await signIn(mailAccess)

  expect(server.registeredClients).toEqual([])
  expect(Object.fromEntries(server.authorizations[0] ?? [])).toMatchObject({ client_id: 'ours', scope: 'read write' })
  expect(await requestStatus(mailAccess)).toBe(200)
  expect(await requestStatus(createAccess({ oauth: { clientId: 'another' } }))).toBe(401)
})

test('a second sign-in reuses the client registration, and signing out deletes the credentials', async () => {
  const mailAccess = await createSignedInAccess()

  await signIn(mailAccess)

  expect(server.registeredClients).toHaveLength(1)
  await mailAccess.signOut()
  expect(await readdir(folder)).toEqual([])
  expect(await requestStatus(mailAccess)).toBe(401)
})

test('a request for more scope includes the scopes granted before', async () => {
  const mailAccess = await createSignedInAccess()
  server.scope = 'write'
  expect(await requestStatus(mailAccess)).toBe(403)

  await signIn(mailAccess)

  expect(server.authorizations[1]?.get('scope')).toBe('read write')
  expect(await requestStatus(mailAccess)).toBe(200)
})

test('a configured Authorization header is not replaced, and other origins get no token', async () => {
  await createSignedInAccess()
  const sentValues: [string, string | null][] = []
  const fetchBase = async (url: string | URL, init?: RequestInit) => {
    sentValues.push([String(url), new Headers(init?.headers).get('authorization')])
    return new Response('{}')
  }

  await createAccess({ headers: { Authorization: 'Basic x' } }).wrapFetch(fetchBase)(server.url)
  await createAccess().wrapFetch(fetchBase)('https://elsewhere.example/mcp')

  expect(sentValues).toEqual([
    [server.url, null],
    ['https://elsewhere.example/mcp', null],
  ])
})

describe('headers from a helper', () => {
  const createHelperAccess = (answers: readonly { exitCode?: number | undefined; stdout?: string }[]) => {
    const helperRuns: unknown[] = []
    const runHelper: ServerAccessOptions['runHelper'] = async (command, { env }) => {
      const answer = answers[Math.min(helperRuns.length, answers.length - 1)] ?? {}
      helperRuns.push([command, env])
      return { exitCode: 'exitCode' in answer ? answer.exitCode : 0, stdout: answer.stdout ?? '' }
    }
    return { runs: helperRuns, target: createAccess({ headersHelper: 'print-headers' }, { runHelper }) }
  }

  test('are sent with every request and read again after a rejection', async () => {
    const { runs, target } = createHelperAccess([{ stdout: '{"X-Key":"one"}' }, { stdout: '{"X-Key":"two"}' }])
    const sentValues: (string | null)[] = []
    const fetchBase = async (_: string | URL, init?: RequestInit) => {
      const key = new Headers(init?.headers).get('x-key')
      sentValues.push(key)
      return new Response('', { status: sentValues.length > 2 && key === 'one' ? 401 : 200 })
    }

    for (let i = 0; i < 4; i++) await target.wrapFetch(fetchBase)(server.url, { headers: { 'X-Other': '1' } })

    expect(sentValues).toEqual(['one', 'one', 'one', 'two', 'two'])
    expect(runs).toEqual(
      Array(2).fill(['print-headers', { HAFT_MCP_SERVER_NAME: 'mail', HAFT_MCP_SERVER_URL: server.url }]),
    )
  })

  test.each([
    [{ exitCode: 3, stdout: 'hunter2' }, 'exited with code 3'],
    [
      { exitCode: undefined, stdout: 'hunter2' },
      'could not be started, was killed, did not exit within 10 s, or printed more than 64 KiB',
    ],
    [{ stdout: 'hunter2' }, 'did not print JSON'],
    [{ stdout: '["hunter2"]' }, 'did not print a JSON object'],
    [{ stdout: '{"X-Key":["hunter2"]}' }, 'printed an invalid header name or value'],
    [{ stdout: '{"X-Key":"hunter2\\r\\nX-Evil: 1"}' }, 'printed an invalid header name or value'],
  ])('that are invalid (%j) are reported without the output of the helper', async (answer, message) => {
    await expect(requestStatus(createHelperAccess([answer]).target)).rejects.toThrow(
      `the headersHelper of the MCP server mail ${message}`,
    )
  })
})
