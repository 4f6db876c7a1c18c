import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { type McpFixture, openMcpServers } from '../../testing/mcp-fixture.js'

let child: ChildProcess | undefined
let fixture: McpFixture | undefined

afterEach(async () => {
  await fixture?.close()
  child?.kill()
})

test('a server that forgot the session gets a new one, and the call is made again', async () => {
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

test('nobody at the address is a failure with its reason', async () => {
  fixture = openMcpServers({ web: { url: 'http://127.0.0.1:1/' } })
  await fixture.servers.settled()

  expect(fixture.servers.states).toMatchObject([
    { status: 'failed', reason: expect.stringContaining('could not be reached') },
  ])
})
