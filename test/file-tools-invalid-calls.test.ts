import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFiles } from '../src/ports/files/create-files.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { FILE_CALLS, FILE_TOOLS } from '../src/testing/files/file-calls.js'
import { builtInTools } from '../src/testing/fixture-tools.js'
import { call, createDeferred, textOf } from './runtime-fixtures.js'

let cwd: string
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'haft-wrong-calls-')))
  await writeFile(join(cwd, 'a.txt'), 'one\ntwo\n')
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

const createRuntime = (tools = FILE_TOOLS) => createToolRuntime({ tools, cwd, permissions: { mode: 'acceptEdits' } })

async function runCalls(...calls: readonly (readonly [string, unknown])[]) {
  const runtime = createRuntime()
  const results = []
  for (const [name, input] of calls) results.push(...(await runtime.run([call(name, input)]).results))
  return results.map((result) => ({ isError: result.is_error === true, text: textOf(result) }))
}

test('an unknown tool name is answered with the most similar names', async () => {
  const [misspelt, patch] = await runCalls(['Reed', { file_path: 'a.txt' }], ['apply_patch', {}])

  expect(misspelt?.text).toMatch(/\bRead\b/)
  expect(patch?.text).toMatch(/\bApplyPatch\b/)
})

test.each(FILE_CALLS)('$tool of a $on reports one line for each problem with its input', async ({ tool, input }) => {
  const fields = input('a.txt', 'one', 'new')
  const [firstField = ''] = Object.keys(fields)
  const [wrongTypeResult, unknownFieldResult] = await runCalls(
    [tool, { ...fields, [firstField]: 7 }],
    [tool, { ...fields, _simulatedSedEdit: {} }],
  )

  expect([wrongTypeResult?.isError, unknownFieldResult?.isError]).toEqual([true, true])
  expect(wrongTypeResult?.text).toMatch(new RegExp(`^.*\\b${firstField}\\b.*string.*number`, 'm'))
  expect(unknownFieldResult?.text).toMatch(/_simulatedSedEdit/)
  expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('one\ntwo\n')
})

test('values sent as text are converted to the type of the schema', async () => {
  const edits = JSON.stringify([{ old_string: 'two', new_string: 'three' }])
  const answers = await runCalls(
    ['Read', { file_path: 'a.txt', limit: '1' }],
    ['Grep', { pattern: 'ONE', '-i': 'true' }],
    ['MultiEdit', { file_path: 'a.txt', edits }],
  )

  expect(answers.filter(({ isError }) => isError)).toEqual([])
  expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('one\nthree\n')
})

test('a tool whose schema was never sent has to be loaded first', async () => {
  const ToolSearch = builtInTools.find(({ name }) => name === 'ToolSearch')
  const runtime = createRuntime([...FILE_TOOLS, ...(ToolSearch === undefined ? [] : [ToolSearch])])
  const [result] = await runtime.run([call('NotebookEdit', { path: 'a.ipynb' })]).results

  expect(textOf(result)).toMatch(/select:NotebookEdit/)
})

test('two parallel reads of one file both return its content, whichever ends first', async () => {
  const port = createFiles({ journalFolder: join(cwd, 'journal') })
  let readCount = 0
  const readLines: typeof port.readLines = async (...args) => {
    // Delays the first call, so that the second one ends first.
    for (let turn = readCount++ === 0 ? 300 : 0; turn > 0; turn--) await port.stat(cwd)
    return port.readLines(...args)
  }
  const runtime = createToolRuntime({ tools: FILE_TOOLS, cwd, ports: { files: { ...port, readLines } } })
  const [first, second] = await runtime.run([
    call('Read', { file_path: 'a.txt' }, '1'),
    call('Read', { file_path: './a.txt' }, '2'),
  ]).results

  expect(textOf(first)).toBe('1\tone\n2\ttwo')
  expect(textOf(second)).toBe('1\tone\n2\ttwo')
})

test.each([
  ['Read', { file_path: 'a.txt' }],
  ['Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'new' }],
  ['Write', { file_path: 'a.txt', content: 'new' }],
])('%s on a disk that never responds ends with the run, and the runtime continues to work', async (name, input) => {
  const port = createFiles({ journalFolder: join(cwd, 'journal') })
  const reachedSignal = createDeferred()
  let isStuck = true
  const hang = () => {
    reachedSignal.resolve()
    return new Promise<never>(() => {})
  }
  const files = {
    ...port,
    read: (...args: Parameters<typeof port.read>) => (isStuck ? hang() : port.read(...args)),
    readLines: (...args: Parameters<typeof port.readLines>) => (isStuck ? hang() : port.readLines(...args)),
  }
  const permissions = { mode: 'acceptEdits' } as const
  const runtime = createToolRuntime({
    tools: FILE_TOOLS,
    cwd,
    permissions,
    ports: { files },
    scheduling: { graceMs: 1 },
  })
  const abortController = new AbortController()
  const run = runtime.run([call(name, input)], { signal: abortController.signal })
  await reachedSignal.promise
  abortController.abort()

  expect((await run.results)[0]?.is_error).toBe(true)
  isStuck = false
  const [result] = await runtime.run([call('Read', { file_path: 'a.txt' })]).results
  expect(textOf(result)).toBe('1\tone\n2\ttwo')
})
