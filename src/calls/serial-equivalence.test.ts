import { lstatSync } from 'node:fs'
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import * as z from 'zod'
import type { ToolResources } from '../contract/resources.js'
import { buildTool } from '../contract/tool/build-tool.js'
import type { Tool } from '../contract/tool/tool.js'
import { createToolRuntime } from '../runtime/create-tool-runtime.js'
import { createLinkedTree, runCallsInTree } from '../testing/files/linked-tree.js'
import { createPropertyOptions } from '../testing/property-runs.js'

const tree = createLinkedTree()

/** `npm run test:long` tries so many cases that a test takes minutes. */
vi.setConfig({ testTimeout: 900_000 })

test.each(['resources', 'base'] as const)(
  'concurrent calls leave the same files and results as serial calls under the scheduling rule %s',
  async (scheduling) => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 2, maxLength: 10 }), async (operations) => {
        const serialOutcome = await runOperations(operations, scheduling, 'serially')
        const parallelOutcome = await runOperations(operations, scheduling, 'in parallel')

        expect(parallelOutcome).toEqual(serialOutcome)
      }),
      createPropertyOptions(150),
    )
  },
)

interface Operation {
  readonly tool: string
  readonly path: string
  readonly to: string
  readonly text: string
  readonly declaresResources: boolean
  /** Whether a read-only call is concurrency-safe. */
  readonly isSafe: boolean
  /** How often the tool yields in the middle of its work, so that forbidden overlaps have a visible effect. */
  readonly pauseCount: number
}

const treePath = fc.constantFrom(...tree.names)
const operation: fc.Arbitrary<Operation> = fc.record({
  tool: fc.constantFrom('Read', 'List', 'Write', 'Append', 'Edit', 'Delete', 'Move', 'MoveFolder'),
  path: treePath,
  to: treePath,
  text: fc.constantFrom('one ', 'two ', 'three '),
  declaresResources: fc.nat(9).map((dice) => dice > 0),
  isSafe: fc.boolean(),
  pauseCount: fc.integer({ min: 0, max: 3 }),
})

function runOperations(
  operations: readonly Operation[],
  scheduling: 'base' | 'resources',
  how: 'serially' | 'in parallel',
) {
  tree.reset()
  const permissions = { allow: tools.map(({ name }) => name) }
  const calls = operations.map((input) => ({ name: input.tool, input }))
  return runCallsInTree(
    calls,
    how,
    tree,
    createToolRuntime({ tools, permissions, cwd: tree.root, scheduling: { rule: scheduling } }),
  )
}

const inputSchema = z.object({
  ...{ path: z.string(), to: z.string(), text: z.string(), declaresResources: z.boolean(), isSafe: z.boolean() },
  pauseCount: z.number(),
})

type Work = (toAbsolutePath: (path: string) => string, input: Operation) => Promise<string>

function createFileTool(name: string, resources: ((input: Operation) => ToolResources) | undefined, work: Work): Tool {
  const isReader = name === 'Read' || name === 'List'
  return buildTool({
    name,
    description: name,
    inputSchema,
    isReadOnly: () => isReader,
    isConcurrencySafe: (input) => isReader && input.isSafe,
    resources: (input) =>
      input.declaresResources && resources !== undefined ? resources(input as Operation) : { unknown: true },
    async call(input, { cwd }) {
      await pause(input.pauseCount)
      return { data: await work((path) => (path.startsWith('/') ? path : `${cwd}/${path}`), input as Operation) }
    },
    mapToolResultToToolResultBlockParam: (content, id) => ({ type: 'tool_result', tool_use_id: id, content }),
  })
}

async function pause(times: number): Promise<void> {
  for (let time = 0; time < times; time++) await new Promise(setImmediate)
}

const reads = ({ path }: Operation) => ({ reads: [{ path }] })
const writes = ({ path }: Operation) => ({ writes: [{ path }] })

const tools: readonly Tool[] = [
  createFileTool('Read', reads, (toAbsolutePath, { path }) => readFile(toAbsolutePath(path), 'utf8')),
  createFileTool('List', reads, async (toAbsolutePath, { path }) =>
    (await readdir(toAbsolutePath(path))).sort().join(' '),
  ),
  createFileTool('Write', writes, async (toAbsolutePath, { path, text, pauseCount }) => {
    await writeFile(toAbsolutePath(path), '')
    await pause(pauseCount)
    await writeFile(toAbsolutePath(path), text)
    return 'written'
  }),
  createFileTool('Append', writes, async (toAbsolutePath, { path, text, pauseCount }) => {
    const oldText = await readFile(toAbsolutePath(path), 'utf8')
    await pause(pauseCount)
    await writeFile(toAbsolutePath(path), oldText + text)
    return `${oldText.length} characters before`
  }),
  createFileTool('Edit', writes, async (toAbsolutePath, { path, text, pauseCount }) => {
    const oldText = await readFile(toAbsolutePath(path), 'utf8')
    if (!oldText.includes('one ')) throw new Error('nothing to edit')
    await pause(pauseCount)
    await writeFile(toAbsolutePath(path), oldText.replace('one ', text))
    return oldText
  }),
  createFileTool('Delete', writes, async (toAbsolutePath, { path }) => {
    if (lstatSync(toAbsolutePath(path)).isDirectory() && path === '.') throw new Error('the root is never deleted')
    await rm(toAbsolutePath(path), { recursive: true })
    return 'deleted'
  }),
  createFileTool(
    'Move',
    ({ path, to }) => ({ writes: [{ path }, { path: to }] }),
    async (toAbsolutePath, { path, to, pauseCount }) => {
      if (lstatSync(toAbsolutePath(path)).isDirectory()) throw new Error('the source is a folder')
      await pause(pauseCount)
      await rename(toAbsolutePath(path), toAbsolutePath(to))
      return 'moved'
    },
  ),
  // Moving a folder renames everything below it, so the resources are unknown.
  createFileTool('MoveFolder', undefined, async (toAbsolutePath, { path, to }) => {
    if (!(await stat(toAbsolutePath(path))).isDirectory()) throw new Error('the source is not a folder')
    await rename(toAbsolutePath(path), toAbsolutePath(to))
    return 'moved'
  }),
]
