import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { Message, ToolResultBlock } from '../src/contract/messages.js'
import { buildTool } from '../src/contract/tool/build-tool.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { createPropertyOptions } from '../src/testing/property-runs.js'
import { call } from './runtime-fixtures.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haft-results-test-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function createText(chars: number, mark: string): string {
  return `${mark}\n`.repeat(chars / (mark.length + 1) + 1).slice(0, chars)
}

/** A tool that returns the requested number of characters. Each size limit has its own tool. */
const createTool = (name: string, maxResultSizeChars: number) =>
  buildTool({
    name,
    description: 'Returns a long text',
    inputSchema: z.object({ chars: z.number(), mark: z.string() }),
    outputSchema: z.string(),
    maxResultSizeChars,
    isConcurrencySafe: () => true,
    call: async ({ chars, mark }) => ({ data: createText(chars, mark) }),
  })
const TOOLS = [createTool('Small', 500), createTool('Large', 50_000), createTool('Never', Number.POSITIVE_INFINITY)]
const permissions = { allow: TOOLS.map(({ name }) => name) }

type Turn = readonly { readonly tool: string; readonly chars: number }[]

const turns: fc.Arbitrary<readonly Turn[]> = fc.array(
  fc.array(
    fc.record({
      tool: fc.constantFrom(...TOOLS.map(({ name }) => name)),
      chars: fc.oneof(
        fc.integer({ min: 0, max: 1_100 }),
        fc.integer({ min: 40_000, max: 60_000 }),
        fc.integer({ min: 90_000, max: 120_000 }),
      ),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  { minLength: 1, maxLength: 4 },
)

/** Holds a conversation. Returns its messages with the original results and as they were sent. */
async function converse(script: readonly Turn[], reusesIds: boolean) {
  const runtime = createToolRuntime({ tools: TOOLS, permissions, storage: { resultsDirectory: folder } })
  const originalMessages: Message[] = []
  const sentMessages: Message[] = []
  for (const [number, turn] of script.entries()) {
    const calls = turn.map(({ tool, chars }, index) =>
      call(tool, { chars, mark: `${number}-${index}` }, reusesIds ? `call_${index}` : `call_${number}_${index}`),
    )
    const originalResults = turn.map(({ chars }, index): ToolResultBlock => {
      return {
        type: 'tool_result',
        tool_use_id: calls[index]?.id ?? '',
        content: createText(chars, `${number}-${index}`),
      }
    })
    originalMessages.push({ type: 'assistant', content: calls }, { type: 'user', content: originalResults })
    sentMessages.push(
      { type: 'assistant', content: calls },
      { type: 'user', content: await runtime.run(calls).results },
    )
  }
  return { runtime, given: originalMessages, sent: sentMessages }
}

const REQUEST_COUNT = 50

describe('a sent result', () => {
  test('is sent again byte for byte, in 50 further requests and after a reload from disk', {
    timeout: 600_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(turns, fc.boolean(), async (script, reusesIds) => {
        await rm(folder, { recursive: true, force: true })
        const { runtime, given, sent } = await converse(script, reusesIds)
        const expected = JSON.stringify(sent)

        for (let request = 0; request < REQUEST_COUNT; request++) {
          // A host may store the original results or the sent messages. Each request uses new objects, as if they were
          // read from a transcript.
          const history = structuredClone(request % 2 === 0 ? given : sent)
          expect(JSON.stringify(await runtime.prepareMessages(history))).toBe(expected)
        }
        await runtime.dispose()
        const resumedRuntime = createToolRuntime({ tools: TOOLS, permissions, storage: { resultsDirectory: folder } })

        expect(JSON.stringify(await resumedRuntime.prepareMessages(structuredClone(given)))).toBe(expected)
        expect(JSON.stringify(await resumedRuntime.prepareMessages(structuredClone(sent)))).toBe(expected)
      }),
      createPropertyOptions(12),
    )
  })

  test('does not change if the limit of its tool is lowered or the tool is removed', async () => {
    const script: readonly Turn[] = [
      // Conversations with only short results are not even recorded.
      [{ tool: 'Large', chars: 900 }],
      [
        { tool: 'Large', chars: 60_000 },
        { tool: 'Large', chars: 30_000 },
      ],
    ]
    const { given, sent } = await converse(script, false)
    const expected = JSON.stringify(sent)

    for (const tools of [[createTool('Large', 10)], []]) {
      const resumedRuntime = createToolRuntime({ tools, storage: { resultsDirectory: folder } })
      expect(JSON.stringify(await resumedRuntime.prepareMessages(structuredClone(given)))).toBe(expected)
    }
  })

  test('that is a preview is sent as a preview again after a reload, even if the whole result is short', async () => {
    const { given, sent } = await converse([[{ tool: 'Small', chars: 501 }]], false)
    const resumedRuntime = createToolRuntime({ tools: TOOLS, permissions, storage: { resultsDirectory: folder } })

    expect(await resumedRuntime.prepareMessages(structuredClone(given))).toEqual(sent)
  })

  test('of a sub-agent is stored by the sub-agent itself, in the same folder', async () => {
    const runtime = createToolRuntime({ tools: TOOLS, permissions, storage: { resultsDirectory: folder } })
    await runtime.run([call('Large', { chars: 60_000, mark: 'main' }, 'a')]).results
    const sub = runtime.fork({ agentId: 'helper' })

    await sub.run([call('Large', { chars: 60_000, mark: 'sub' }, 'b')]).results
    await runtime.run([call('Large', { chars: 60_000, mark: 'later' }, 'c')]).results

    const listReplacedIds = ({ results }: typeof runtime) => [...(results.state?.replacements.keys() ?? [])]
    expect([listReplacedIds(runtime), listReplacedIds(sub)]).toEqual([
      ['a', 'c'],
      ['a', 'b'],
    ])
    expect((await readdir(folder)).sort()).toEqual([
      'a.txt',
      'b.txt',
      'c.txt',
      'replacements-helper.jsonl',
      'replacements.jsonl',
    ])
  })

  test('that is short creates no file', async () => {
    const runtime = createToolRuntime({
      tools: TOOLS,
      permissions,
      storage: { resultsDirectory: join(folder, 'none') },
    })

    await runtime.run([call('Large', { chars: 999, mark: 'x' }, 'a')]).results

    expect(await readdir(folder)).toEqual([])
  })
})

const MEGABYTE = 1024 ** 2

/** Runs a tool that streams through a spill, in a separate process that reports its peak memory. */
async function streamThroughTool(run: { bytes: number; maxBytes: number }): Promise<Record<string, unknown>> {
  const program = join(folder, 'program.mjs')
  const source = `
    import * as z from 'zod'
    import { buildTool } from './src/contract/tool/build-tool.ts'
    import { Spill } from './src/results/spill.ts'
    import { createToolRuntime } from './src/runtime/create-tool-runtime.ts'
    const { bytes, maxBytes } = ${JSON.stringify(run)}
    let facts
    const Pour = buildTool({
      name: 'Pour',
      description: 'Prints and prints',
      inputSchema: z.object({}),
      maxResultSizeChars: 30_000,
      async call(_, { toolUseId }) {
        const spill = new Spill({ directory: runtime.results.directory, id: toolUseId, maxBytes })
        for (let sent = 0; sent < bytes; sent += 65_536) await spill.write(Buffer.alloc(65_536, 'line of output\\n'))
        const { text, ...rest } = await spill.finish()
        facts = rest
        return { data: text }
      },
    })
    const runtime = createToolRuntime({ tools: [Pour], permissions: { allow: ['Pour'] } })
    const [result] = await runtime.run([{ type: 'tool_use', id: 'toolu_1', name: 'Pour', input: {} }]).results
    const { size } = await import('node:fs').then((fs) => fs.statSync(facts.path))
    await runtime.dispose()
    const peak = process.resourceUsage().maxRSS * 1024
    console.log(JSON.stringify({ peak, size, ...facts, text: result.content }))
  `
  await build({
    stdin: { contents: source, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
    logLevel: 'error',
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  })
  const { stdout } = await promisify(execFile)(process.execPath, [program])
  return JSON.parse(stdout)
}

async function expectBoundedMemory(run: { bytes: number; maxBytes: number }): Promise<void> {
  const { peak, text, path, ...counts } = await streamThroughTool(run)

  expect(peak).toBeLessThan(200 * MEGABYTE)
  expect(counts).toEqual({ size: run.maxBytes, receivedBytes: run.bytes, keptBytes: run.maxBytes, isCut: true })
  const count = (bytes: number) => bytes.toLocaleString('en')
  expect(text).toContain(
    `[Long output: ${count(run.bytes)} bytes; the first ${count(run.maxBytes)} bytes are in ${path}, the rest exceeded the limit.`,
  )
  expect(String(text).length).toBeLessThan(9_000)
}

describe('a tool with more output than is kept', () => {
  test('keeps the process under 200 MB, and its output is truncated with a notice', async () => {
    await expectBoundedMemory({ bytes: 320 * MEGABYTE, maxBytes: 256 * MEGABYTE })
  })

  test.runIf(process.env.HAFT_LONG_TESTS)(
    'keeps the process under 200 MB even for 5 GiB of output, the first 2 GiB of which are kept',
    async () => {
      await expectBoundedMemory({ bytes: 5 * 1024 * MEGABYTE, maxBytes: 2 * 1024 * MEGABYTE })
    },
    600_000,
  )
})
