import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createBrowserPort } from '../src/ports/browser/create-browser-port.js'
import { findBrowser } from '../src/ports/browser/find-browser.js'
import { isSupervisor, waitUntil } from '../src/testing/running-processes.js'
import { testWithProgram } from '../src/testing/test-with-program.js'
import { runHaft } from './lib/haft-process.js'
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
    lookUp: async () => PUBLIC,
    ...overrides,
  })
}

/** Writes a shell script that stands for a browser. */
function writeProgram(name: string, script: string): string {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return path
}

const PUBLIC = ['93.184.215.14']
const LOCAL = ['127.0.0.1']

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
  const executable = writeProgram('not-a-browser', 'echo broken >&2; exit 3')
  const port = createPort({ settings: { executable } })

  await expect(port.act(NAVIGATION, { signal })).rejects.toThrow(/The browser did not start.*broken/)
  await port.dispose()
})

test('without the package that drives it, the error of the command says what to install', async () => {
  // A copy of the package, installed without its optional dependency.
  for (const name of ['bin', 'data', 'dist', 'package.json']) cpSync(name, join(folder, name), { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  for (const name of readdirSync('node_modules').filter((name) => name !== 'playwright-core'))
    symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name))
  const executable = writeProgram('browser', 'exit 3')
  mkdirSync(join(folder, '.haft'))
  const settings = { web: { allowPrivateHosts: ['localhost'], browser: { executable } } }
  writeFileSync(join(folder, '.haft', 'settings.json'), JSON.stringify(settings))

  const input = JSON.stringify({ action: 'navigate', url: 'http://localhost:1/' })
  const { stdout, stderr, code } = await runHaft(
    join(folder, 'bin', 'haft'),
    ['call', 'WebBrowser', input, '--allowed-tools', 'WebBrowser'],
    { cwd: folder, home: folder },
  )

  expect([code, stdout + stderr]).toEqual([expect.any(Number), expect.stringContaining('npm install playwright-core')])
  expect(code).not.toBe(0)
})

test.each([
  [undefined, process.getuid?.() === 0],
  [true, false],
  [false, true],
])('with the setting sandbox %j, Chromium is started without its sandbox: %j', async (sandbox, isUnsafe) => {
  const executable = writeProgram('browser', `printf '%s\\n' "$@" > ${join(folder, 'arguments')}; exit 3`)
  const port = createPort({ settings: { executable, ...(sandbox !== undefined && { sandbox }) } })

  await expect(port.act(NAVIGATION, { signal })).rejects.toThrow('The browser did not start')
  await port.dispose()

  const browserArguments = readFileSync(join(folder, 'arguments'), 'utf8').split('\n')
  expect(browserArguments.includes('--no-sandbox')).toBe(isUnsafe)
})

test('if the sandbox of Chromium does not work, the error names the setting', async () => {
  const executable = writeProgram(
    'browser',
    'echo "Running as root without --no-sandbox is not supported." >&2; exit 1',
  )
  const port = createPort({ settings: { executable, sandbox: true } })

  await expect(port.act(NAVIGATION, { signal })).rejects.toThrow('set web.browser.sandbox to false')
  await port.dispose()
})

describe('the browser', { timeout: 60_000 }, () => {
  testBrowser('keeps cookies only in a profile that the user asked for, and not in two browsers at once', async () => {
    const server = createServer(({ headers }, response) => {
      response.setHeader('set-cookie', 'visited=yes; Max-Age=100000')
      response.end(headers.cookie === undefined ? '<h1>First visit</h1>' : '<h1>Back again</h1>')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://localhost:${(server.address() as AddressInfo).port}/`
    const openPort = (profile: string | undefined) =>
      createPort({
        ...{ allowedPrivateHosts: ['localhost'], lookUp: async () => ['127.0.0.1'] },
        settings: { ...(profile !== undefined && { profile }) },
      })
    const visit = async (port: ReturnType<typeof createPort>) => {
      const { snapshot } = await port.act({ ...NAVIGATION, url }, { signal, permittedUrl: url })
      return /First visit|Back again/.exec(JSON.stringify(snapshot))?.[0]
    }
    const visits: unknown[] = []
    const profile = join(folder, 'profile')
    for (const chosenProfile of [undefined, undefined, profile, profile]) {
      const port = openPort(chosenProfile)
      visits.push(await visit(port))
      if (visits.length === 4) {
        const second = openPort(profile)
        await expect(visit(second)).rejects.toThrow('in use by another browser')
        await second.dispose()
      }
      await port.dispose()
    }
    server.close()

    expect(visits).toEqual(['First visit', 'First visit', 'First visit', 'Back again'])
  })

  testBrowser('connects only to the address that was checked, if a name changes its address', async () => {
    const requests: (string | undefined)[] = []
    const server = createServer(({ url }, response) => {
      requests.push(url)
      response.end('<h1>Secret</h1>')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port: serverPort } = server.address() as AddressInfo
    const lookUps: string[] = []
    // The first look-up of each name returns a public address, and every later one an address of this machine.
    const port = createPort({
      lookUp: async (host) =>
        lookUps.push(host) && lookUps.filter((name) => name === host).length === 1 ? PUBLIC : LOCAL,
    })
    const answers: string[] = []
    for (const host of ['rebind.test', 'again.test']) {
      const url = `http://${host}:${serverPort}/${host}`
      const answer = await port.act({ ...NAVIGATION, url }, { signal, permittedUrl: url }).catch(String)
      answers.push(JSON.stringify(answer))
    }
    await port.dispose()
    server.close()

    expect(answers).toEqual(answers.map(() => expect.stringContaining('web.allowPrivateHosts')))
    expect(answers.join()).not.toContain('Secret')
    expect(lookUps.length).toBeGreaterThanOrEqual(4)
    expect(requests).toEqual([])
  })

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
