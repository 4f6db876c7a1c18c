import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createHttpPort, type HttpPortOptions, type NodeHttpPort } from './create-http-port.js'

let server: Server
let proxy: Server
let openPorts: NodeHttpPort[] = []
let tunnels: string[] = []

beforeEach(async () => {
  tunnels = []
  server = createServer((request, response) => {
    if (request.url === '/silent') return
    if (request.url === '/slow') return void response.write('the first part')
    response.setHeader('x-method', request.method ?? '').end(`path ${request.url}`)
  })
  proxy = createServer()
  proxy.on('connect', (request, socket) => {
    tunnels.push(request.url ?? '')
    const target = connect(getPort(server), '127.0.0.1')
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    socket.pipe(target).pipe(socket)
    socket.on('error', () => target.destroy())
    target.on('error', () => socket.destroy())
  })
  await Promise.all(
    [server, proxy].map((httpServer) => new Promise<void>((resolve) => httpServer.listen(0, '127.0.0.1', resolve))),
  )
})

afterEach(async () => {
  await Promise.all(openPorts.map((port) => port.dispose()))
  openPorts = []
  for (const httpServer of [server, proxy]) {
    httpServer.closeAllConnections()
    httpServer.close()
  }
})

function getPort(httpServer: Server): number {
  return (httpServer.address() as AddressInfo).port
}

function open(options: HttpPortOptions): NodeHttpPort {
  const port = createHttpPort(options)
  openPorts.push(port)
  return port
}

const lookUpLocally = async () => ['127.0.0.1']

test('a request returns status, headers and body, and does not read more than allowed', async () => {
  const http = open({ allowedPrivateHosts: ['site.test'], lookUp: lookUpLocally })
  const url = `http://site.test:${getPort(server)}/a`

  const wholeResponse = await http.fetch(url, { method: 'POST', body: 'x' })
  expect(wholeResponse).toMatchObject({ status: 200, url, headers: { 'x-method': 'POST' }, isTruncated: false })
  expect(Buffer.from(wholeResponse.body).toString()).toBe('path /a')
  const partialResponse = await http.fetch(url, { maxBytes: 4 })
  expect(partialResponse.isTruncated).toBe(true)
  expect(Buffer.from(partialResponse.body).toString()).toBe('path')
})

test('a private address is refused, and the error names the setting', async () => {
  const http = open({ lookUp: lookUpLocally })

  await expect(http.fetch(`https://site.test:${getPort(server)}/`)).rejects.toMatchObject({
    code: 'refused_address',
    message: expect.stringContaining('web.allowPrivateHosts'),
  })
  await expect(http.fetch('https://127.0.0.1/')).rejects.toMatchObject({ code: 'refused_address' })
})

test('an unknown host, a silent server, an aborted request and a refused connection cause different errors', async () => {
  const http = open({
    allowedPrivateHosts: ['site.test'],
    lookUp: async (host) => (host === 'site.test' ? lookUpLocally() : []),
  })
  const url = `http://site.test:${getPort(server)}/silent`

  await expect(http.fetch('https://unknown.test/')).rejects.toMatchObject({ code: 'unknown_host' })
  await expect(http.fetch(url, { timeoutMs: 50 })).rejects.toMatchObject({ code: 'timed_out' })
  await expect(http.fetch(url, { signal: AbortSignal.abort(new Error('cancelled')) })).rejects.toThrow('cancelled')
  await expect(http.fetch('http://site.test:1/')).rejects.toMatchObject({ code: 'failed' })
})

test('a proxy of the environment is used, except for the hosts that no_proxy names', async () => {
  const proxyUrl = `http://127.0.0.1:${getPort(proxy)}`
  const http = open({
    variables: { HTTP_PROXY: proxyUrl, https_proxy: proxyUrl, NO_PROXY: 'direct.test' },
    allowedPrivateHosts: ['site.test', 'direct.test'],
    lookUp: lookUpLocally,
  })

  expect((await http.fetch(`http://site.test:${getPort(server)}/a`)).status).toBe(200)
  expect((await http.fetch(`http://direct.test:${getPort(server)}/a`)).status).toBe(200)
  expect(tunnels).toEqual([`site.test:${getPort(server)}`])
})

test('a private address is refused even if a proxy would make the connection', async () => {
  const proxyUrl = `http://127.0.0.1:${getPort(proxy)}`
  const http = open({ variables: { all_proxy: proxyUrl }, lookUp: lookUpLocally })

  await expect(http.fetch('https://site.test/')).rejects.toMatchObject({ code: 'refused_address' })
  await expect(http.fetch('https://169.254.169.254/')).rejects.toMatchObject({ code: 'refused_address' })
  expect(tunnels).toEqual([])
})

test('a response that does not end in time is returned in part if the caller accepts that', async () => {
  const http = open({ allowedPrivateHosts: ['site.test'], lookUp: lookUpLocally })
  const url = `http://site.test:${getPort(server)}/slow`

  await expect(http.fetch(url, { timeoutMs: 200 })).rejects.toMatchObject({ code: 'timed_out' })
  const { body, ...response } = await http.fetch(url, { timeoutMs: 1_500, acceptsPartialBody: true })

  expect(new TextDecoder().decode(body)).toBe('the first part')
  expect(response).toMatchObject({ status: 200, isTruncated: false, isTimedOut: true })
})
