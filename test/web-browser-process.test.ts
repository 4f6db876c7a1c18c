import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createBrowserPort } from '../src/ports/browser/create-browser-port.js'
import { findBrowser } from '../src/ports/browser/find-browser.js'
import { isSupervisor, waitUntil } from '../src/testing/running-processes.js'
import { testWithProgram } from '../src/testing/test-with-program.js'
import { createDeferred } from './runtime-fixtures.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'haft-browser-process-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const testBrowser = testWithProgram('chromium')

function createPort(overrides: Partial<Parameters<typeof createBrowserPort>[0]>) {
  return createBrowserPort({
    ...{ variables: process.env, proxyVariables: {}, home: folder, writableFolders: [], allowedPrivateHosts: [] },
    snapshotFolder: () => join(folder, 'results'),
    lookUp: async () => ['93.184.215.14'],
    ...overrides,
  })
}

/** The environments of the processes that carry a mark, by their ids. The supervisor, which ends them, does not count. */
function findMarked(mark: string): ReadonlyMap<number, string> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && !isSupervisor(Number(name)))
  return new Map(
    pids.map((pid) => [Number(pid), readEnvironment(pid)] as const).filter(([, text]) => text.includes(mark)),
  )
}

function readEnvironment(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    // The process has ended or belongs to another user.
    return ''
  }
}

const { signal } = new AbortController()
const NAVIGATION = { type: 'navigate', url: 'https://example.com/', isInNewTab: false } as const

test('without a browser, the error says what to install', async () => {
  const port = createPort({ writableFolders: ['/'] })

  await expect(port.act(NAVIGATION, { signal })).rejects.toThrow(/No browser was found.*apt install chromium/)
  expect(findBrowser({ variables: {}, home: folder, writableFolders: ['/'], platform: 'linux' })).toBeUndefined()
  await port.dispose()
})

test('a program that is not a browser is reported', async () => {
  const executable = join(folder, 'not-a-browser')
  writeFileSync(executable, '#!/bin/sh\necho broken >&2\nexit 3\n', { mode: 0o755 })
  const port = createPort({ settings: { executable } })

  await expect(port.act(NAVIGATION, { signal })).rejects.toThrow(/The browser did not start.*broken/)
  await port.dispose()
})

describe('the browser', { timeout: 60_000 }, () => {
  testBrowser('runs without keys in its environment, and ends with its port', async () => {
    const mark = randomUUID()
    const server = createServer((_, response) => void response.end('<h1>Hello</h1>'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://localhost:${(server.address() as AddressInfo).port}/`
    const port = createPort({
      variables: { ...process.env, HAFT_MARK: mark, MY_API_KEY: 'sk-secret' },
      allowedPrivateHosts: ['localhost'],
      lookUp: async () => ['127.0.0.1'],
    })
    const outcome = await port.act({ ...NAVIGATION, url }, { signal, permittedUrl: url })
    const marked = findMarked(mark)
    await port.dispose()
    server.close()

    expect(outcome.tab?.url).toBe(url)
    expect(marked.size).toBeGreaterThan(2)
    expect([...marked.values()].filter((text) => text.includes('sk-secret'))).toEqual([])
    expect(findMarked(mark).size).toBe(0)
  })

  testBrowser('ends if Haft is killed, and its temporary files are removed', async () => {
    const mark = randomUUID()
    const isConnected = createDeferred()
    // Never answered, so that the call is running when Haft is killed.
    const server = createServer(() => isConnected.resolve())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://localhost:${(server.address() as AddressInfo).port}/`
    mkdirSync(join(folder, '.haft'))
    writeFileSync(join(folder, '.haft', 'settings.json'), JSON.stringify({ web: { allowPrivateHosts: ['localhost'] } }))
    const temporaryFolder = mkdtempSync(join(folder, 'tmp-'))
    const haft = spawn(
      process.execPath,
      [
        ...['bin/haft', 'call', 'WebBrowser', JSON.stringify({ action: 'navigate', url })],
        ...['--allowed-tools', 'WebBrowser'],
      ],
      { env: { ...process.env, HAFT_MARK: mark, TMPDIR: temporaryFolder, HOME: folder }, stdio: 'ignore' },
    )
    await isConnected.promise
    haft.kill('SIGKILL')
    await once(haft, 'exit')
    await waitUntil(() => findMarked(mark).size === 0)
    await waitUntil(() => readdirSync(temporaryFolder).every((name) => !name.startsWith('haft-browser-')))
    server.closeAllConnections()
    server.close()

    expect(findMarked(mark).size).toBe(0)
  })
})
