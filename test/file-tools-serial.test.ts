import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { FilesPort } from '../src/contract/ports/files.js'
import type { SearchPort } from '../src/contract/ports/search.js'
import { createFiles } from '../src/ports/files/create-files.js'
import { createSearch } from '../src/ports/search/create-search.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { createPatch, FILE_TOOLS } from '../src/testing/files/file-calls.js'
import {
  createLinkedTree,
  createToolFiles,
  runCallsInTree,
  type TreeOutcome,
} from '../src/testing/files/linked-tree.js'
import { createPropertyOptions } from '../src/testing/property-runs.js'
import { call } from './runtime-fixtures.js'

/** With HAFT_LONG_TESTS set, the test takes minutes. */
vi.setConfig({ testTimeout: 900_000 })

const tree = createLinkedTree()
const permissions = { allow: FILE_TOOLS.map(({ name }) => name) }

interface Call {
  readonly name: string
  readonly input: Record<string, unknown>
}

const FILE_NAMES = [...tree.names, 'hard.txt', 'sub/hard.txt', 'sub/../sub/hard.txt']
const path = fc.constantFrom(...FILE_NAMES)
const folder = fc.constantFrom('.', 'sub', 'linked', 'sub/..', tree.root)
const notebook = fc.constantFrom('book.ipynb', 'sub/book.ipynb', 'linked/book.ipynb', 'sub/../book.ipynb')
const word = fc.constantFrom('one', 'two', 'three')

const edit = fc.record({ old_string: word, new_string: fc.constantFrom('one two', 'three', 'four') })
const section = fc.oneof(
  fc.tuple(path, word).map(([at, text]) => [`*** Add File: ${at}`, `+${text}`]),
  fc.tuple(path, word, word).map(([at, from, to]) => [`*** Update File: ${at}`, '@@', `-${from} a`, `+${to} a`]),
  fc.tuple(path, path).map(([at, to]) => [`*** Update File: ${at}`, `*** Move to: ${to}`, '@@', '-one a', '+one a!']),
  path.map((at) => [`*** Delete File: ${at}`]),
)
const fileCall: fc.Arbitrary<Call> = fc.oneof(
  // Random limits: a range is returned only once, and which of two parallel calls returns it is not guaranteed.
  fc
    .tuple(path, fc.integer({ min: 100, max: 100_000 }))
    .map(([file_path, limit]) => ({ name: 'Read', input: { file_path, limit } })),
  fc.tuple(path, word).map(([at, pattern]) => ({ name: 'Grep', input: { pattern, path: at, output_mode: 'count' } })),
  folder.map((at) => ({ name: 'Glob', input: { pattern: '**/*', path: at } })),
  fc.tuple(path, edit).map(([file_path, change]) => ({ name: 'Edit', input: { file_path, ...change } })),
  fc.tuple(path, word).map(([file_path, content]) => ({ name: 'Write', input: { file_path, content } })),
  fc
    .tuple(path, fc.array(edit, { minLength: 1, maxLength: 3 }))
    .map(([file_path, edits]) => ({ name: 'MultiEdit', input: { file_path, edits } })),
  fc.array(section, { minLength: 1, maxLength: 2 }).map(([first = [], ...more]) => {
    const [header = '', ...lines] = [...first, ...more.flat()]
    return { name: 'ApplyPatch', input: { patch: createPatch(header.replace('*** ', ''), ...lines) } }
  }),
  fc.tuple(notebook, word).map(([notebook_path, new_source]) => ({
    name: 'NotebookEdit',
    input: { notebook_path, cell_id: 'one', new_source },
  })),
)

test.each(['resources', 'base'] as const)(
  'parallel calls of real tools leave the same files and results as serial calls (scheduling: %s)',
  async (scheduling) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fileCall, { minLength: 2, maxLength: 10 }),
        fc.array(fc.nat(4), { minLength: 1, maxLength: 7 }),
        async (calls, pauses) => {
          const serialOutcome = await runCalls(calls, scheduling, 'serially', pauses)
          const parallelOutcome = await runCalls(calls, scheduling, 'in parallel', pauses)

          expect(parallelOutcome).toEqual(serialOutcome)
        },
      ),
      createPropertyOptions(60),
    )
  },
)

async function runCalls(
  calls: readonly Call[],
  scheduling: 'base' | 'resources',
  mode: 'serially' | 'in parallel',
  pauses: readonly number[],
): Promise<TreeOutcome> {
  tree.reset()
  createToolFiles(tree.root)
  const { files, clashes } = detectClashes(createFiles({ journalFolder: join(tree.root, '../journal') }), pauses)
  const runtime = createToolRuntime({
    ...{ tools: FILE_TOOLS, permissions, cwd: tree.root },
    ports: { files, search: createSearch() },
    scheduling: { rule: scheduling },
  })
  const knownFiles = ['a.txt', 'b.txt', 'sub/c.txt', 'hard.txt', 'sub/hard.txt', 'book.ipynb']
  await runtime.run(
    knownFiles.map((file_path, index) => call('Read', { file_path, offset: 1, limit: 9 }, `known-${index}`)),
  ).results
  const { results, files: finalFiles } = await runCallsInTree(calls, mode, tree, runtime)
  expect(clashes).toEqual([])
  // The modification order of two files written in parallel is not guaranteed.
  return {
    results: results.map((result, at) => (calls[at]?.name === 'Glob' ? sortLines(result) : result)),
    files: finalFiles,
  }
}

function sortLines<T extends { readonly content: unknown }>(result: T): T {
  return typeof result.content === 'string'
    ? { ...result, content: result.content.split('\n').sort().join('\n') }
    : result
}

const PAUSED_OPERATIONS = ['stat', 'realPath', 'read', 'readLines', 'write', 'writeAll', 'glob'] as const

/** A port that pauses around each operation and records every file that two calls write at the same time. */
function detectClashes(port: FilesPort, pauses: readonly number[]): { files: FilesPort; clashes: readonly string[] } {
  const clashes: string[] = []
  const openTargets = new Set<string>()
  let pauseIndex = 0
  const pause = async () => {
    for (let time = pauses[pauseIndex++ % pauses.length] ?? 0; time > 0; time--) await new Promise(setImmediate)
  }
  const pausedOperations = PAUSED_OPERATIONS.map((name) => {
    const operation = port[name] as (...args: readonly unknown[]) => Promise<unknown>
    return [
      name,
      async (...args: readonly unknown[]) => {
        const targets = name === 'write' ? [String(args[0])] : name === 'writeAll' ? listChangedPaths(args[0]) : []
        const realPaths = targets.map(findRealName)
        clashes.push(...realPaths.filter((target) => openTargets.has(target)))
        for (const target of realPaths) openTargets.add(target)
        try {
          await pause()
          return await operation(...args)
        } finally {
          await pause()
          for (const target of realPaths) openTargets.delete(target)
        }
      },
    ]
  })
  return { files: { ...port, ...Object.fromEntries(pausedOperations) }, clashes }
}

function listChangedPaths(changes: unknown): readonly string[] {
  return (changes as Parameters<FilesPort['writeAll']>[0]).flatMap((change) =>
    change.kind === 'move' ? [change.path, change.to] : [change.path],
  )
}

function findRealName(name: string): string {
  try {
    return realpathSync(name)
  } catch {
    return name
  }
}

test('reads and searches of the same files, and edits of different files, run in parallel', async () => {
  tree.reset()
  const port = createFiles({ journalFolder: join(tree.root, '../journal') })
  const readBarrier = createBarrier(5)
  const writeBarrier = createBarrier(2)
  const search = createSearch()
  const files: FilesPort = {
    ...port,
    readLines: (...args) => readBarrier.waitBefore(() => port.readLines(...args)),
    glob: (...args) => readBarrier.waitBefore(() => port.glob(...args)),
    write: (...args) => writeBarrier.waitBefore(() => port.write(...args)),
  }
  const searchPort: SearchPort = { search: (...args) => readBarrier.waitBefore(() => search.search(...args)) }
  const runtime = createToolRuntime({
    ...{ tools: FILE_TOOLS, permissions, cwd: tree.root },
    ports: { files, search: searchPort },
  })
  const calls = [
    call('Read', { file_path: 'a.txt' }, '1'),
    call('Read', { file_path: 'b.txt' }, '2'),
    call('Grep', { pattern: 'one' }, '3'),
    call('Grep', { pattern: 'one', path: 'a.txt' }, '4'),
    call('Glob', { pattern: '*' }, '5'),
    call('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }, '6'),
    call('Edit', { file_path: 'b.txt', old_string: 'two', new_string: 'one' }, '7'),
  ]

  const results = await runtime.run(calls).results

  expect(results.filter(({ is_error }) => is_error)).toEqual([])
})

/** Blocks every caller until `size` callers have arrived. */
function createBarrier(size: number) {
  let arrivedCount = 0
  let open = () => {}
  const allCallsArrived = new Promise<void>((resolve) => {
    open = resolve
  })
  return {
    async waitBefore<T>(action: () => Promise<T>): Promise<T> {
      if (++arrivedCount === size) open()
      await allCallsArrived
      return action()
    },
  }
}
