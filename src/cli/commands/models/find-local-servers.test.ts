import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { explainLocalServer, findLocalServers } from './find-local-servers.js'

async function listen(onRequest: RequestListener): Promise<number> {
  const server = createServer(onRequest)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

test('servers that list models are found, with the commands that use them', async () => {
  const port = await listen((request, response) => {
    expect(request.url).toBe('/v1/models')
    response.end(JSON.stringify({ data: [{ id: 'qwen3-coder:30b' }, { id: '$(rm -rf x)' }, { id: 7 }] }))
  })

  const servers = await findLocalServers({ [port]: 'Ollama' })

  const baseUrl = `http://127.0.0.1:${port}/v1`
  expect(servers).toEqual([{ name: 'Ollama', baseUrl, models: ['qwen3-coder:30b'] }])
  expect(servers.map(explainLocalServer)).toEqual([
    `export OPENAI_BASE_URL=${baseUrl} HAFT_MODEL=qwen3-coder:30b\nhaft`,
  ])
})

test('other programs on the ports are not taken for servers of models', async () => {
  const page = await listen((_, response) => response.end('<html></html>'))
  const refusing = await listen((_, response) => response.writeHead(401).end('{"data":[{"id":"m"}]}'))
  const moved = await listen((_, response) => response.writeHead(302, { location: 'http://example.com' }).end())
  const endless = await listen((_, response) => {
    const write = () => response.write('x'.repeat(64 * 1024), () => setImmediate(write))
    write()
  })
  const silent = await listen(() => {})

  const ports = Object.fromEntries([page, refusing, moved, endless, silent].map((port) => [port, 'some program']))
  expect(await findLocalServers(ports)).toEqual([])
})
