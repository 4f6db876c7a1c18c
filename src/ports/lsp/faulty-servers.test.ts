import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'
import { isAlive, waitUntil } from '../../testing/running-processes.js'
import type { LspOptions } from './create-lsp.js'
import { createLspProject, createScriptServer } from './fixture-lsp.js'

/** A server that answers a hover on line 1, and misbehaves as the script says on line 2. */
async function openFaulty(script: string, options: Partial<LspOptions> = {}, settings: object = {}) {
  const server = createScriptServer(
    `
let pid
c.onRequest('initialize', () => ({ capabilities: { hoverProvider: true }, serverInfo: { name: 'x', version: '1.2' } }))
c.onRequest('textDocument/hover', ({ position }) => position.line === 0 ? process.pid : misbehave())
const write = (text) => process.stdout.write(text)
const never = () => new Promise(() => {})
const misbehave = async () => { ${script} }
`,
    settings,
  )
  const project = await createLspProject(server, options)
  await project.put('a.x', 'text\n')
  const at = { path: project.path('a.x'), character: 1 }
  return {
    ...project,
    getPid: async () => Number(await project.lsp.request('hover', { ...at, line: 1 })),
    misbehave: () => project.lsp.request('hover', { ...at, line: 2 }),
  }
}

test.each([
  ['crashes', "console.error('out of luck'); process.exit(3)", /it ended with exit code 3: out of luck/],
  ['is killed', "process.kill(process.pid, 'SIGKILL')", /it ended with signal SIGKILL/],
  [
    'sends text that is not a message',
    "write('hello\\r\\n\\r\\n'); await never()",
    /malformed message.*no Content-Length/,
  ],
  ['sends an endless header', "write('x'.repeat(5000)); await never()", /the header has no end/],
  ['sends invalid JSON', "write('Content-Length: 3\\r\\n\\r\\n{x}'); await never()", /malformed message/],
  ['announces a huge message', "write('Content-Length: 99999999\\r\\n\\r\\n'); await never()", /the limit is 8388608/],
  [
    'floods',
    "const note = JSON.stringify({ jsonrpc: '2.0', method: 'x', params: 'y'.repeat(60000) }); for (;;) if (!write('Content-Length: ' + note.length + '\\r\\n\\r\\n' + note)) await new Promise((resolve) => process.stdout.once('drain', resolve))",
    /it sends too many messages/,
  ],
])(
  'a server that %s fails its request with the reason, is ended, and is started again',
  {
    timeout: 60_000,
  },
  async (_, script, reason) => {
    const { lsp, getPid, misbehave } = await openFaulty(script)
    const pid = await getPid()

    await expect(misbehave()).rejects.toThrow(reason)

    await waitUntil(() => !isAlive(pid))
    expect(await lsp.status()).toMatchObject([
      { name: 'script', state: 'failed', lastError: expect.stringMatching(reason) },
    ])
    expect(await getPid()).not.toBe(pid)
    expect(await lsp.status()).toMatchObject([{ state: 'running', version: '1.2' }])
  },
)

test('a server that keeps failing is not started again and again', { timeout: 60_000 }, async () => {
  const { misbehave } = await openFaulty('process.exit(3)')

  for (let attempt = 0; attempt < 3; attempt++) await expect(misbehave()).rejects.toThrow(/it ended with exit code 3/)

  await expect(misbehave()).rejects.toThrow(/it failed 3 times and is not started again for now/)
})

test('a server that answers nothing for too long is ended', { timeout: 60_000 }, async () => {
  const { getPid, misbehave } = await openFaulty('await never()', { limits: { silentMs: 3_000, checkMs: 20 } })
  const pid = await getPid()

  await expect(misbehave()).rejects.toThrow(/it did not answer for 3 seconds/)
  await waitUntil(() => !isAlive(pid))
})

test('a server that does not answer its first message is ended', { timeout: 60_000 }, async () => {
  const server = createScriptServer("c.onRequest('initialize', () => new Promise(() => {}))")
  const { lsp, path, put } = await createLspProject(server, { limits: { startMs: 500 } })
  await put('a.x', '')

  await expect(lsp.request('hover', { path: path('a.x'), line: 1, character: 1 })).rejects.toThrow(
    /could not be started/,
  )
})

test('a server that uses more memory than its limit is ended, and the error says so', { timeout: 60_000 }, async () => {
  const script = 'globalThis.kept = Buffer.alloc(300 * 1024 ** 2, 1); await never()'
  const { lsp, getPid, misbehave } = await openFaulty(script, { limits: { checkMs: 20 } }, { memoryMb: 250 })
  const pid = await getPid()

  await expect(misbehave()).rejects.toThrow(/it used \d+ MB of memory; its limit is 250 MB. Raise memoryMb/)
  await waitUntil(() => !isAlive(pid))
  expect(await lsp.status()).toMatchObject([{ state: 'failed', lastError: expect.stringContaining('250 MB') }])
})

test('an idle server is ended, and started again when it is used', { timeout: 60_000 }, async () => {
  const { lsp, getPid } = await openFaulty('', { limits: { idleMs: 50, checkMs: 10 } })
  const pid = await getPid()

  await waitUntil(() => !isAlive(pid))
  expect(await lsp.status()).toMatchObject([{ state: 'ended' }])
  expect(await getPid()).not.toBe(pid)
})

test('servers with the processes that they started end with the session', { timeout: 60_000 }, async () => {
  const { lsp, path, getPid, misbehave } = await openFaulty(
    "const child = require('node:child_process').spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' }); require('node:fs').writeFileSync('child', String(child.pid)); return child.pid",
  )
  const pid = await getPid()
  const childPid = Number(await misbehave())
  expect([existsSync(path('child')), isAlive(childPid)]).toEqual([true, true])

  await lsp.close()

  expect([isAlive(pid), isAlive(childPid)]).toEqual([false, false])
})

test('servers end when Haft is killed', { timeout: 60_000 }, async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-lsp-death-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const program = join(folder, 'program.mjs')
  const settings = createScriptServer(
    "c.onRequest('initialize', () => ({ capabilities: { hoverProvider: true } })); c.onRequest('textDocument/hover', () => process.pid); process.stdin.on('end', () => {}); setInterval(() => {}, 1000)",
  )
  await build({
    stdin: {
      contents: `
import { createLsp } from './create-lsp.ts'
import { listServers } from './server-config.ts'
import { createServicePort } from '../shell/create-service-port.ts'
const environment = process.env
const lsp = createLsp({ projectFolder: process.cwd(), environment, isTrusted: true, workingFolders: () => [],
  servers: listServers(${JSON.stringify(settings)}, () => {}), services: createServicePort(environment) })
process.stdout.write(String(await lsp.request('hover', { path: process.cwd() + '/a.x', line: 1, character: 1 })))
setInterval(() => {}, 1000)
`,
      resolveDir: import.meta.dirname,
    },
    ...{ bundle: true, platform: 'node', format: 'esm', outfile: program, logLevel: 'error' },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" },
  })
  writeFileSync(join(folder, 'a.x'), 'text')
  const host = spawn(process.execPath, [program], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  const [output] = await once(host.stdout, 'data')
  const serverPid = Number(output)
  expect(isAlive(serverPid)).toBe(true)

  host.kill('SIGKILL')

  await waitUntil(() => !isAlive(serverPid))
})
