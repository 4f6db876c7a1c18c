import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { createMemoryPrivateFiles } from '../../testing/files/memory-private-files.js'
import { type McpFixture, openMcpServers } from '../../testing/mcp-fixture.js'
import { FixtureAuthServer } from '../auth/fixture-auth-server.js'
import { createServerAccess } from '../auth/server-access.js'
import type { HttpServerConfig } from '../config/server-config.js'

let child: ChildProcess | undefined
let fixture: McpFixture | undefined

afterEach(async () => {
  await fixture?.close()
  child?.kill()
})

test('a call is repeated in a new session if the server has dropped the old session', async () => {
  child = spawn(process.execPath, ['test/fixtures/mcp/http-server.mjs'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = await once(child.stdout as NodeJS.ReadableStream, 'data')
  fixture = openMcpServers({ web: { url: `http://127.0.0.1:${Number(port)}/` } })
  await fixture.servers.settled()
  const say = (text: string) =>
    fixture?.servers.port.callTool('web', 'say', { text }, { signal: new AbortController().signal })

  expect(await say('one')).toEqual({ content: [{ type: 'text', text: 'one' }] })
  expect(await say('forget')).toEqual({ content: [{ type: 'text', text: 'forget' }] })
  expect(await say('two')).toEqual({ content: [{ type: 'text', text: 'two' }] })
})

test('a server with an unreachable URL fails with the reason', async () => {
  fixture = openMcpServers({ web: { url: 'http://127.0.0.1:1/' } })
  await fixture.servers.settled()

  expect(fixture.servers.states).toMatchObject([
    { status: 'failed', reason: expect.stringContaining('could not be reached') },
  ])
})

test('a server that rejects requests needs sign-in if running its headers helper again does not help', async () => {
  const server = await FixtureAuthServer.start()
  let helperRuns = 0
  const files = createMemoryPrivateFiles()
  const runHelper = async () => ({ exitCode: 0, stdout: JSON.stringify({ 'x-try': String(++helperRuns) }) })
  fixture = openMcpServers(
    { web: { url: server.url, headersHelper: 'print-headers' } },
    {
      access: ({ name, config }) => createServerAccess({ name, config: config as HttpServerConfig, files, runHelper }),
    },
  )
  await fixture.servers.settled()

  expect(fixture.servers.states).toMatchObject([
    { status: 'needs-auth', reason: expect.stringContaining('haft mcp test web') },
  ])
  expect(helperRuns).toBeGreaterThan(1)
  await expect(fixture.servers.awaitTool('mcp__web__any')).rejects.toThrow('haft mcp test web')
})
