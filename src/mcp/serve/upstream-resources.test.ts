import { ProtocolError } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import type { ManagedServer } from '../manager/managed-server.js'
import { UpstreamResources } from './upstream-resources.js'

/** Creates a server that has only these resources and records the requested URIs. */
function createServer(name: string, uris: readonly string[], requestedUris: string[]): ManagedServer {
  return {
    name,
    connect: async () => ({ info: { capabilities: { resources: {} } } }),
    list: async (method: string) => (method === 'resources/list' ? uris.map((uri) => ({ uri, name: uri })) : []),
    request: async (_: string, { uri }: { readonly uri: string }) => {
      requestedUris.push(`${name} ${uri}`)
      if (uri === 'a://gone' || !uris.includes(uri)) throw new ProtocolError(-32_002, 'unknown')
      return { result: {}, entries: [{ uri, text: name }] }
    },
  } as unknown as ManagedServer
}

function createUpstream(...servers: readonly ManagedServer[]) {
  const connectedServers = {
    states: servers.map(({ name }) => ({ name, status: 'connected' })),
    get: (serverName: string) => servers.find(({ name }) => name === serverName),
  }
  return { servers: connectedServers as never, isDenied: () => false, mustAskAbout: () => false, keepsNames: true }
}

test('a resource is read only from the server that lists it, even if that server fails', async () => {
  const requestedUris: string[] = []
  const upstream = createUpstream(
    createServer('a', ['a://1', 'a://gone'], requestedUris),
    createServer('b', ['b://1'], requestedUris),
  )
  const resources = new UpstreamResources(upstream)
  const { signal } = new AbortController()

  expect(await resources.read('a://1', signal)).toMatchObject({ contents: [{ text: 'a' }] })
  await expect(resources.read('a://gone', signal)).rejects.toThrow()
  expect(requestedUris).toEqual(['a a://1', 'a a://gone'])
})

test('an unknown resource is requested from no server, unless there is only one', async () => {
  const requestedUris: string[] = []
  const [a, b] = [createServer('a', ['a://1'], requestedUris), createServer('b', ['b://1'], requestedUris)]
  const { signal } = new AbortController()

  await expect(new UpstreamResources(createUpstream(a, b)).read('c://secret', signal)).rejects.toThrow()
  expect(requestedUris).toEqual([])
  await expect(new UpstreamResources(createUpstream(a)).read('c://secret', signal)).rejects.toThrow()
  expect(requestedUris).toEqual(['a c://secret'])
})

test('a resource that a server named in a result is read from that server', async () => {
  const requestedUris: string[] = []
  const [a, b] = [createServer('a', ['a://1'], requestedUris), createServer('b', ['b://1'], requestedUris)]
  const resources = new UpstreamResources(createUpstream(a, b))

  resources.addOwner('c://linked', 'b')
  await expect(resources.read('c://linked', new AbortController().signal)).rejects.toThrow()

  expect(requestedUris).toEqual(['b c://linked'])
})
