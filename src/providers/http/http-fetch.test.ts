import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { httpFetch } from './http-fetch.js'
import { HttpBody, HttpHeaders } from './http-response.js'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('an HTTP request', () => {
  test('is sent with its method, headers and body', async () => {
    const url = await serve(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      response.end(JSON.stringify([request.method, request.headers['x-a'], request.headers['content-length'], body]))
    })

    const response = await httpFetch(`${url}/path`, { method: 'POST', headers: { 'X-A': 'b' }, body: 'ä' })

    expect(await response.json()).toEqual(['POST', 'b', '2', 'ä'])
    expect([response.ok, response.status, response.url]).toEqual([true, 200, `${url}/path`])
  })

  test('does not follow redirects', async () => {
    const paths: (string | undefined)[] = []
    const url = await serve((request, response) => {
      paths.push(request.url)
      response.writeHead(307, { location: '/elsewhere' }).end()
    })

    const response = await httpFetch(url, { headers: { authorization: 'Bearer key' } })

    expect([response.status, response.ok, paths]).toEqual([307, false, ['/']])
  })

  test('is retried once if the server closed the idle connection', async () => {
    let count = 0
    const url = await serve((request, response) => {
      count++
      // Simulates a server that has just closed the connection, so that there is no response.
      if (count === 2) return void request.socket.destroy()
      response.end('ok')
    })

    const texts = [await (await httpFetch(url)).text(), await (await httpFetch(url)).text()]

    expect([texts, count]).toEqual([['ok', 'ok'], 3])
  })

  test('is not retried if a new connection fails', async () => {
    let count = 0
    const url = await serve((request) => {
      count++
      request.socket.destroy()
    })

    await expect(httpFetch(url)).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(count).toBe(1)
  })

  test('is refused if its URL is neither http nor https', async () => {
    await expect(httpFetch('file:///etc/passwd')).rejects.toThrow(/http:\/\/ or https:\/\//)
  })

  test('fails without exposing the value of an invalid header', async () => {
    const response = httpFetch('http://127.0.0.1:1', { headers: { authorization: 'Bearer se\ncret' } })

    await expect(response).rejects.not.toThrow(/cret/)
  })
})

describe('an HTTP response', () => {
  test('is received chunk by chunk', async () => {
    let sendRemainingBody = () => {}
    const url = await serve((_, response) => {
      response.write('one')
      sendRemainingBody = () => response.end('two')
    })

    const pieces: string[] = []
    for await (const chunk of (await httpFetch(url)).body ?? []) {
      pieces.push(Buffer.from(chunk).toString())
      sendRemainingBody()
    }

    expect(pieces).toEqual(['one', 'two'])
  })

  test('is received chunk by chunk even if it is compressed', async () => {
    let sendRemainingBody = () => {}
    const { createGzip, constants } = await import('node:zlib')
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH })
      gzip.pipe(response)
      gzip.write('one')
      sendRemainingBody = () => {
        // Called only once, because a second end would truncate data that is still being compressed.
        sendRemainingBody = () => {}
        gzip.end('two')
      }
    })

    const pieces: string[] = []
    for await (const chunk of (await httpFetch(url)).body ?? []) {
      pieces.push(Buffer.from(chunk).toString())
      sendRemainingBody()
    }

    expect(pieces.join('')).toBe('onetwo')
  })

  test('fails if the compressed data is truncated', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('a'.repeat(5000)).subarray(0, 20))
    })

    await expect((await httpFetch(url)).text()).rejects.toThrow()
  })

  test('fails if its content encoding is unknown', async () => {
    const url = await serve((_, response) => response.writeHead(200, { 'content-encoding': 'lzma' }).end('x'))

    await expect(httpFetch(url)).rejects.toThrow(/lzma/)
  })

  test('fails if it is cut off', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('some', () => response.destroy())
    })

    await expect((await httpFetch(url)).text()).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  test('ends when it is aborted, and the connection is closed', async () => {
    const controller = new AbortController()
    let close = () => {}
    const connectionClosed = new Promise<void>((resolve) => {
      close = resolve
    })
    const url = await serve((request, response) => {
      request.socket.once('close', close)
      response.write('some')
    })

    const response = await httpFetch(url, { signal: controller.signal })
    const bodyPromise = response.text()
    controller.abort()

    await expect(bodyPromise).rejects.toMatchObject({ name: 'AbortError' })
    await connectionClosed
  })

  test('is no longer awaited after an abort', async () => {
    const controller = new AbortController()
    const url = await serve(() => controller.abort())

    await expect(httpFetch(url, { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' })
    await expect(httpFetch(url, { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' })
  })

  test('fails when it exceeds the size limit', async () => {
    const stream = Readable.from([Buffer.alloc(6), Buffer.alloc(6)])

    const readBody = async () => {
      for await (const _ of new HttpBody(stream, 10));
    }

    await expect(readBody()).rejects.toThrow(/exceeds 10 bytes/)
    expect(stream.destroyed).toBe(true)
  })
})

test('an HTTP response fails when a line exceeds the size limit', async () => {
  const readBody = async (...pieces: string[]) => {
    for await (const _ of new HttpBody(Readable.from(pieces.map((piece) => Buffer.from(piece))), 100, 10));
  }

  await expect(readBody('12345', '12345', '1')).rejects.toThrow(/line of the response exceeds 10 bytes/)
  await expect(readBody('12345\n', '12345', '12345', '\n1')).resolves.toBeUndefined()
})

test('HttpHeaders behaves like the standard Headers class', () => {
  const init = { 'Content-Type': 'a', 'x-b': ' c ' }
  const [httpHeaders, standardHeaders] = [new HttpHeaders(init), new Headers(init)]
  for (const headers of [httpHeaders, standardHeaders]) {
    headers.append('X-B', 'd')
    headers.set('x-e', 'f')
    headers.delete('content-TYPE')
  }

  expect([...httpHeaders].sort()).toEqual([...standardHeaders].sort())
  expect([...new HttpHeaders([...standardHeaders])].sort()).toEqual([...standardHeaders].sort())
  expect([httpHeaders.get('X-b'), httpHeaders.has('X-E'), httpHeaders.get('none')]).toEqual(['c, d', true, null])
})
