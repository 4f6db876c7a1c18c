import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createLsp } from './create-lsp.js'
import type { ServerConfig } from './server-config.js'

const tsc = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url))
const typescript: ServerConfig = {
  name: 'typescript',
  command: process.execPath,
  args: [tsc, '--lsp', '--stdio'],
  extensions: { '.ts': 'typescript' },
}
const WAIT_OPTIONS = { waitMs: 30_000 }

async function createProject(server: ServerConfig = typescript) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-lsp-')))
  const lsp = createLsp({ folder, servers: [server] })
  onTestFinished(async () => {
    await lsp.close()
    await rm(folder, { recursive: true, force: true })
  })
  const toPath = (name: string) => join(folder, name)
  await writeFile(toPath('tsconfig.json'), '{ "compilerOptions": { "strict": true, "noLib": false, "types": [] } }')
  return { lsp, path: toPath, put: (name: string, text: string) => writeFile(toPath(name), text) }
}

test('a real server reports the problems of a file in its current state on disk', { timeout: 60_000 }, async () => {
  const { lsp, path, put } = await createProject()
  await put('a.ts', 'export const a: number = 1\n')
  expect(await lsp.diagnostics(path('a.ts'), WAIT_OPTIONS)).toEqual([])

  await put('a.ts', '\nexport const a: number = "one"\n')
  expect(await lsp.diagnostics(path('a.ts'), WAIT_OPTIONS)).toEqual([
    {
      path: path('a.ts'),
      line: 2,
      character: 14,
      severity: 'error',
      message: "Type 'string' is not assignable to type 'number'.",
      source: 'ts',
    },
  ])
})

test('diagnostics use the current content of imported files', { timeout: 60_000 }, async () => {
  const { lsp, path, put } = await createProject()
  await put('a.ts', 'export const a = 1\n')
  await put('b.ts', "import { a } from './a.js'\nexport const b: number = a\n")
  await lsp.diagnostics(path('a.ts'), WAIT_OPTIONS)
  expect(await lsp.diagnostics(path('b.ts'), WAIT_OPTIONS)).toEqual([])

  await put('a.ts', "export const a = 'x'\n")

  expect(await lsp.diagnostics(path('b.ts'), WAIT_OPTIONS)).toMatchObject([{ line: 2, severity: 'error' }])
})

test('a real server answers every operation', { timeout: 60_000 }, async () => {
  const { lsp, path, put } = await createProject()
  await put('a.ts', 'export function one() {\n  return 1\n}\nexport function two() {\n  return one() + one()\n}\n')
  const use = { path: path('a.ts'), line: 5, character: 10 }
  const declaration = { path: path('a.ts'), line: 1, character: 17 }

  expect(await lsp.request('goToDefinition', use)).toMatchObject([{ range: { start: { line: 0, character: 16 } } }])
  expect(await lsp.request('findReferences', use)).toHaveLength(3)
  expect(JSON.stringify(await lsp.request('hover', use))).toContain('function one(): number')
  expect(await lsp.request('documentSymbol', use)).toMatchObject([{ name: 'one' }, { name: 'two' }])
  expect(await lsp.request('workspaceSymbol', use, { query: 'two' })).toMatchObject([{ name: 'two' }])
  expect(await lsp.request('goToImplementation', use)).toMatchObject([{ range: { start: { line: 0 } } }])
  expect(await lsp.request('incomingCalls', declaration)).toMatchObject([{ from: { name: 'two' } }])
  expect(await lsp.request('outgoingCalls', { ...declaration, line: 4 })).toMatchObject([{ to: { name: 'one' } }])
  expect(JSON.stringify(await lsp.request('rename', use, { newName: 'eins' }))).toContain('eins')
  await expect(lsp.request('rename', use)).rejects.toThrow(/needs newName/)
})

const PUBLISHING_SERVER_SCRIPT = `
const { createMessageConnection, StreamMessageReader, StreamMessageWriter } = require(process.argv[1])
const c = createMessageConnection(new StreamMessageReader(process.stdin), new StreamMessageWriter(process.stdout))
const publish = ({ uri, version }, text) => c.sendNotification('textDocument/publishDiagnostics', {
  uri, version,
  diagnostics: [...text.matchAll(/bad/g)].map(() => ({ range: { start: { line: 0, character: 0 } }, severity: 2, message: 'bad' })),
})
c.onRequest('initialize', () => ({ capabilities: {} }))
c.onNotification('textDocument/didOpen', ({ textDocument }) => publish(textDocument, textDocument.text))
c.onNotification('textDocument/didChange', ({ textDocument, contentChanges }) => {
  if (contentChanges[0].text.includes('die')) process.exit(1)
  if (!contentChanges[0].text.includes('silent')) publish(textDocument, contentChanges[0].text)
})
c.listen()
`
const rpc = fileURLToPath(new URL('../../../node_modules/vscode-jsonrpc/lib/node/main.js', import.meta.url))
const publishingServer: ServerConfig = {
  name: 'publishing',
  command: process.execPath,
  args: ['-e', PUBLISHING_SERVER_SCRIPT, rpc],
  extensions: { '.x': 'x' },
}

test('diagnostics of a server that only pushes them are awaited up to the time limit', {
  timeout: 60_000,
}, async () => {
  const { lsp, path, put } = await createProject(publishingServer)
  await put('a.x', 'bad')
  expect(await lsp.diagnostics(path('a.x'), WAIT_OPTIONS)).toMatchObject([{ severity: 'warning', line: 1 }])
  await put('a.x', 'bad bad')
  expect(await lsp.diagnostics(path('a.x'), WAIT_OPTIONS)).toHaveLength(2)
  expect(await lsp.diagnostics(path('a.x'), WAIT_OPTIONS)).toHaveLength(2)
  await put('a.x', 'silent')
  await expect(lsp.diagnostics(path('a.x'), { waitMs: 50 })).rejects.toThrow(/did not answer within 50 ms/)
})

test('a crashed server is started again', { timeout: 60_000 }, async () => {
  const { lsp, path, put } = await createProject(publishingServer)
  await put('a.x', 'bad')
  await lsp.diagnostics(path('a.x'), WAIT_OPTIONS)
  await put('a.x', 'die')
  await expect(lsp.diagnostics(path('a.x'), { waitMs: 500 })).rejects.toThrow()
  await put('a.x', 'bad')
  expect(await lsp.diagnostics(path('a.x'), WAIT_OPTIONS)).toHaveLength(1)
})

test('diagnostics fail with the reason if the file has no server or its server cannot be started', async () => {
  const { lsp, path, put } = await createProject({ ...typescript, command: '/no/such/program' })
  await put('a.ts', '')
  await expect(lsp.diagnostics(path('a.ts'), WAIT_OPTIONS)).rejects.toThrow(/ENOENT/)
  await expect(lsp.diagnostics(path('a.md'))).rejects.toThrow(/No language server is configured for .md/)
  expect(lsp.supports(path('a.ts'))).toBe(true)
  expect(lsp.supports(path('a.md'))).toBe(false)
})

test('an aborted request for diagnostics rejects with the abort reason', async () => {
  const { lsp, path, put } = await createProject(publishingServer)
  await put('a.x', 'bad')
  const controller = new AbortController()
  controller.abort(new Error('aborted'))
  await expect(lsp.diagnostics(path('a.x'), { ...WAIT_OPTIONS, signal: controller.signal })).rejects.toThrow('aborted')
})
