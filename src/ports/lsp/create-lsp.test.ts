import { existsSync } from 'node:fs'
import { symlink, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { waitUntil } from '../../testing/running-processes.js'
import { createLspProject, createScriptServer, PYRIGHT_SERVER } from './fixture-lsp.js'

const WAIT_OPTIONS = { waitMs: 30_000 }

test('a real server reports the problems of a file in its current state on disk', { timeout: 60_000 }, async () => {
  const { lsp, path, put } = await createLspProject()
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
  const { lsp, path, put } = await createLspProject()
  await put('a.ts', 'export const a = 1\n')
  await put('b.ts', "import { a } from './a.js'\nexport const b: number = a\n")
  expect(await lsp.diagnostics(path('b.ts'), WAIT_OPTIONS)).toEqual([])

  await put('a.ts', "export const a = 'x'\n")

  expect(await lsp.diagnostics(path('b.ts'), WAIT_OPTIONS)).toMatchObject([{ line: 2, severity: 'error' }])
})

test('TypeScript 7 answers every operation', { timeout: 60_000 }, async () => {
  const { lsp, path, put } = await createLspProject()
  await put('a.ts', 'export function one() {\n  return 1\n}\nexport function two() {\n  return one() + one()\n}\n')
  const use = { path: path('a.ts'), line: 5, character: 10 }
  const declaration = { path: path('a.ts'), line: 1, character: 17 }

  expect(await lsp.request('goToDefinition', use)).toMatchObject([{}])
  expect(await lsp.request('findReferences', use)).toHaveLength(3)
  expect(JSON.stringify(await lsp.request('hover', use))).toContain('function one(): number')
  expect(await lsp.request('documentSymbol', use)).toMatchObject([{ name: 'one' }, { name: 'two' }])
  expect(await lsp.request('workspaceSymbol', use, { query: 'two' })).toMatchObject([{ name: 'two' }])
  expect(await lsp.request('goToImplementation', use)).toMatchObject([{}])
  expect(await lsp.request('incomingCalls', declaration)).toMatchObject([{ from: { name: 'two' } }])
  expect(await lsp.request('outgoingCalls', { ...declaration, line: 4 })).toMatchObject([{ to: { name: 'one' } }])
  expect(JSON.stringify(await lsp.request('rename', use, { newName: 'eins' }))).toContain('eins')
  await expect(lsp.request('rename', use)).rejects.toThrow(/needs newName/)
})

test('pyright answers the operations that it supports, and its diagnostics are current', {
  timeout: 60_000,
}, async () => {
  const { lsp, path, put } = await createLspProject(PYRIGHT_SERVER)
  await put('pyrightconfig.json', '{}')
  await put('a.py', 'def one() -> int:\n    return 1\n')
  await put('b.py', 'from a import one\n\ndef two() -> int:\n    return one() + one()\n')
  const use = { path: path('b.py'), line: 4, character: 12 }

  expect(await lsp.request('goToDefinition', use)).toMatchObject([{}])
  expect(await lsp.request('findReferences', use)).toHaveLength(4)
  expect(JSON.stringify(await lsp.request('hover', use))).toContain('one() -> int')
  expect(await lsp.request('documentSymbol', use)).toMatchObject([{ name: 'two' }])
  expect(await lsp.request('workspaceSymbol', use, { query: 'one' })).toMatchObject([{ name: 'one' }])
  await expect(lsp.request('goToImplementation', use)).rejects.toThrow(
    'The language server pyright does not support goToImplementation.',
  )
  expect(await lsp.request('incomingCalls', { path: path('a.py'), line: 1, character: 5 })).toMatchObject([
    { from: { name: 'two' } },
  ])
  expect(await lsp.request('outgoingCalls', { ...use, line: 3, character: 5 })).toMatchObject([{ to: { name: 'one' } }])
  expect(JSON.stringify(await lsp.request('rename', use, { newName: 'eins' }))).toContain('eins')
  expect(await lsp.diagnostics(path('b.py'), WAIT_OPTIONS)).toEqual([])
  await put('a.py', 'def one() -> str:\n    return ""\n')
  expect(await lsp.diagnostics(path('b.py'), WAIT_OPTIONS)).toMatchObject([{ line: 4, severity: 'error' }])
})

const PUBLISHING_SCRIPT = `
const publish = ({ uri, version }, text) => c.sendNotification('textDocument/publishDiagnostics', {
  uri, version,
  diagnostics: [...text.matchAll(/bad/g)].map(() => ({ range: { start: { line: 0, character: 0 } }, severity: 2, message: 'bad' })),
})
c.onRequest('initialize', () => ({ capabilities: {} }))
c.onNotification('textDocument/didOpen', ({ textDocument }) => publish(textDocument, textDocument.text))
c.onNotification('textDocument/didChange', ({ textDocument, contentChanges }) => {
  if (!contentChanges[0].text.includes('silent')) publish(textDocument, contentChanges[0].text)
})
`

test('diagnostics of a server that only pushes them are awaited up to the time limit', {
  timeout: 60_000,
}, async () => {
  const { lsp, path, put } = await createLspProject(createScriptServer(PUBLISHING_SCRIPT))
  await put('a.x', 'bad')
  expect(await lsp.diagnostics(path('a.x'), WAIT_OPTIONS)).toMatchObject([{ severity: 'warning', line: 1 }])
  await put('a.x', 'bad bad')
  expect(await lsp.diagnostics(path('a.x'), WAIT_OPTIONS)).toHaveLength(2)
  expect(await lsp.diagnostics(path('a.x'), WAIT_OPTIONS)).toHaveLength(2)
  await put('a.x', 'silent')
  await expect(lsp.diagnostics(path('a.x'), { waitMs: 50 })).rejects.toThrow(/did not answer within 50 ms/)
})

test('a request fails with the reason if the file has no server or its server cannot be started', async () => {
  const { lsp, path, put } = await createLspProject({ typescript: { command: '/no/such/program' } })
  await put('a.ts', '')
  await expect(lsp.diagnostics(path('a.ts'), WAIT_OPTIONS)).rejects.toThrow(
    /The language server typescript \(\/no\/such\/program\) could not be started/,
  )
  await expect(lsp.diagnostics(path('a.md'))).rejects.toThrow(/There is no language server for .md files/)
  expect(await lsp.findProblem(path('a.ts'))).toBeUndefined()
  expect(await lsp.findProblem(path('a.md'))).toContain('languageServers')
  expect(lsp.servesEdits(path('a.ts'))).toBe(true)
  expect(lsp.servesEdits(path('a.md'))).toBe(false)
})

test('an aborted request rejects with the abort reason, and the server is told to stop', async () => {
  const { lsp, path, put } = await createLspProject(
    createScriptServer(`
c.onRequest('initialize', () => ({ capabilities: { hoverProvider: true, definitionProvider: true } }))
const cancelled = []
c.onRequest('textDocument/hover', (params, token) => new Promise((resolve) => {
  require('node:fs').writeFileSync('asked', '')
  token.onCancellationRequested(() => { cancelled.push('hover'); resolve(null) })
}))
c.onRequest('textDocument/definition', () => cancelled)
`),
  )
  await put('a.x', 'text')
  const at = { path: path('a.x'), line: 1, character: 1 }
  const controller = new AbortController()
  const hover = lsp.request('hover', at, { signal: controller.signal })
  await waitUntil(() => existsSync(path('asked')))

  controller.abort(new Error('aborted'))

  await expect(hover).rejects.toThrow('aborted')
  await expect.poll(() => lsp.request('goToDefinition', at)).toEqual(['hover'])
})

test('an answer that arrives after its request was abandoned does not reach a later request', async () => {
  const { lsp, path, put } = await createLspProject(
    createScriptServer(`
c.onRequest('initialize', () => ({ capabilities: { hoverProvider: true } }))
let answerFirst
c.onRequest('textDocument/hover', ({ position }) => {
  if (position.line === 0) {
    require('node:fs').writeFileSync('asked', '')
    return new Promise((resolve) => { answerFirst = resolve })
  }
  answerFirst('late')
  return new Promise((resolve) => setTimeout(() => resolve('second'), 20))
})
`),
  )
  await put('a.x', 'text\n')
  const at = { path: path('a.x'), line: 1, character: 1 }
  const controller = new AbortController()
  const hover = lsp.request('hover', at, { signal: controller.signal })
  await waitUntil(() => existsSync(path('asked')))
  controller.abort(new Error('aborted'))
  await expect(hover).rejects.toThrow('aborted')

  expect(await lsp.request('hover', { ...at, line: 2 })).toBe('second')
})

test('agents share one server for a root, and another root has its own', { timeout: 60_000 }, async () => {
  const { lsp, path, put } = await createLspProject()
  for (const name of ['one', 'two']) {
    await put(`${name}/package.json`, '{}')
    await put(`${name}/.git/HEAD`, '')
    await put(`${name}/a.ts`, 'export const a = 1\n')
  }
  const ask = (name: string) => lsp.request('hover', { path: path(`${name}/a.ts`), line: 1, character: 14 })

  await Promise.all(Array.from({ length: 10 }, (_, index) => ask(index % 2 === 0 ? 'one' : 'two')))

  const status = await lsp.status()
  expect(status.map(({ root, state }) => [root, state]).sort()).toEqual([
    [path('one'), 'running'],
    [path('two'), 'running'],
  ])
  expect(status[0]).toMatchObject({ name: 'typescript', pid: expect.any(Number), memoryBytes: expect.any(Number) })
})

test('a file that is not a regular file, or is too large, is refused', async () => {
  const { lsp, path, put } = await createLspProject(createScriptServer(PUBLISHING_SCRIPT))
  await put('folder.x/inner', '')
  await writeFile(path('large.x'), Buffer.alloc(6 * 1024 ** 2))

  await expect(lsp.diagnostics(path('folder.x'), WAIT_OPTIONS)).rejects.toThrow(/cannot be read/)
  await expect(lsp.diagnostics(path('large.x'), WAIT_OPTIONS)).rejects.toThrow(/limit for language servers/)
  await expect(lsp.diagnostics(path('none.x'), WAIT_OPTIONS)).rejects.toThrow(/does not exist/)
})

test('a request about a path that leads through a link is refused: rules were applied to a real path', async () => {
  const { lsp, put, path } = await createLspProject()
  await put('src/a.ts', 'export const a = 1\n')
  await symlink('src', path('link'))

  const position = { path: path('link/a.ts'), line: 1, character: 14 }
  await expect(lsp.request('documentSymbol', position)).rejects.toThrow('leads to a different file than before')
})
