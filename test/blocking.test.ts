import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BLOCKING_CASES } from '../bench/lib/blocking-cases.mjs'
import { measureLongestBlock } from '../bench/lib/loop-blocks.mjs'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { builtInTools } from '../src/tools/index.js'

/**
 * CPU milliseconds, so the load of the machine does not matter. Generous: `bench/blocking.mjs`, with a limit of 50 ms,
 * measures at most 40 ms. Before the tools paused, most of these calls took seconds.
 */
const MAX_BLOCK_MS = 150

/** Left out here, because creating 100,000 files takes too long. */
const OMITTED_CASES = /100,000 files/
const CASES = BLOCKING_CASES.filter(({ name }) => !OMITTED_CASES.test(name))

let folder: string
let runtime: ReturnType<typeof createToolRuntime>
let callCount = 0

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'haft-blocking-'))
  runtime = createToolRuntime({
    tools: builtInTools,
    permissions: {
      allow: ['Read', 'Edit', 'MultiEdit', 'NotebookEdit', 'ApplyPatch', 'Write', 'Glob', 'ToolSearch', 'TodoWrite'],
    },
    cwd: folder,
    machine: { homeDir: join(folder, 'home') },
  })
  // Loads the modules, whose load time would be measured otherwise.
  const path = join(folder, 'small.txt')
  await call('Write', { file_path: path, content: 'a\n' })
  await call('Edit', { file_path: path, old_string: 'missing', new_string: 'b' })
  await call('ToolSearch', { query: 'notebook' })
  // Commands are not allowed here: they are analysed, and most of them are refused.
  await call('Bash', { command: 'touch a | cat b; cat c' })
  await call('NotebookEdit', { notebook_path: join(folder, 'missing.ipynb'), cell_id: 'a', new_source: '' })
  await call('ApplyPatch', { patch: `*** Begin Patch\n*** Update File: ${path}\n-a\n+b\n*** End Patch` })
})

afterAll(async () => {
  await runtime.dispose()
  rmSync(folder, { recursive: true })
})

test.each(CASES)('$name does not block the event loop', async ({ tool, expected, prepare }) => {
  const { input, reads = [] } = prepare(folder)
  for (const file_path of reads) await call('Read', { file_path, limit: 1 })

  let answer = ''
  const block = await measureLongestBlock(async () => {
    answer = await call(tool, input)
  })

  expect(answer).toMatch(expected)
  expect(block).toBeLessThan(MAX_BLOCK_MS)
})

async function call(name: string, input: Record<string, unknown>): Promise<string> {
  const toolUse = { type: 'tool_use' as const, id: `toolu_${++callCount}`, name, input }
  const [result] = await runtime.run([toolUse]).results
  return typeof result?.content === 'string' ? result.content : JSON.stringify(result?.content)
}
