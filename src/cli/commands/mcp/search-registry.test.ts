import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { FixtureMcpCommand } from './fixture-mcp-command.js'

const SERVERS = [
  {
    server: {
      name: 'com.example/weather',
      description: 'Forecasts',
      version: '1.0.0',
      packages: [{ registryType: 'npm', identifier: '@example/weather', version: '1.0.0' }],
    },
    _meta: {},
  },
  {
    server: {
      name: 'com.example/remote',
      description: 'Far away',
      remotes: [{ type: 'sse', url: 'https://r.example/mcp' }],
    },
  },
  { name: 'old/shape', description: 'Direct', packages: [{ registry_type: 'pypi', identifier: 'old', version: '2' }] },
  { nothing: true },
]

async function startRegistry(answer: { status?: number; body: string }) {
  const paths: string[] = []
  const server = createServer((request, response) => {
    paths.push(request.url ?? '')
    response.writeHead(answer.status ?? 200).end(answer.body)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, paths }
}

test('a registry is searched, and the result says how to add each server', async () => {
  const { url, paths } = await startRegistry({ body: JSON.stringify({ servers: SERVERS }) })
  const fixture = new FixtureMcpCommand()
  fixture.variables.HAFT_MCP_REGISTRY = url

  const { code, out } = await fixture.run('search', 'weather', 'in', 'town')

  expect(code).toBe(0)
  expect(paths).toEqual(['/v0/servers?search=weather+in+town&limit=20&version=latest'])
  expect(out).toContain('com.example/weather 1.0.0\n  Forecasts\n  haft mcp add weather -- npx -y ')
  expect(out).toContain('haft mcp add remote ')
  expect(out).toContain('haft mcp add shape -- uvx ')
})

test.each([
  [{ status: 500, body: '' }, 'HTTP 500'],
  [{ body: '<html>' }, 'did not answer'],
  [{ body: '{}' }, 'no list of servers'],
])('the answer %j of a registry is reported in one line', async (answer, reason) => {
  const { url } = await startRegistry(answer)

  const { code, err } = await new FixtureMcpCommand().run('search', 'x', '--registry', url)

  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(reason) })
  expect(err.trim().split('\n')).toHaveLength(1)
})

test('without a registry, the command says how to configure one', async () => {
  expect(await new FixtureMcpCommand().run('search', 'x')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Set HAFT_MCP_REGISTRY'),
  })
})
