import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createCheckpoints } from '../src/ports/checkpoints/create-checkpoints.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { hasEnded } from '../src/system/processes/process-identity.js'
import { builtInTools } from '../src/tools/index.js'

const PROGRAM = fileURLToPath(new URL('fixtures/endless-writer.mjs', import.meta.url))
const LIBRARY = new URL('../dist/lib/index.js', import.meta.url).href
/** The number of folders that each process changes in parallel. */
const WRITERS = 8
const KILLS = process.env.HAFT_LONG_TESTS ? 200 : 25
const NAMES = ['a', 'b', 'c']
const LINE_CHARS = 80
const LINES = 200

let home: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'haft-killed-tools-')))
  for (let writer = 0; writer < WRITERS; writer++) {
    mkdirSync(join(home, String(writer)))
    for (const name of NAMES) writeFileSync(join(home, String(writer), name), textOf('0'))
  }
})
afterEach(() => rmSync(home, { recursive: true }))

const textOf = (digit: string) => `${digit.repeat(LINE_CHARS)}\n`.repeat(LINES)

/** Starts a process that changes files, and kills it once this many calls have started. */
async function changeUntilKilled(tools: string, calls: number): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, LIBRARY, home, tools, String(WRITERS)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  const errorOutput: unknown[] = []
  child.stderr.on('data', (chunk) => errorOutput.push(String(chunk)))
  let startedCalls = 0
  for await (const _ of createInterface({ input: child.stdout })) if (++startedCalls >= calls) child.kill('SIGKILL')
  await closed
  expect([errorOutput, child.signalCode]).toEqual([[], 'SIGKILL'])
}

/** Asserts that a file is not half written, and returns the digit that it consists of. */
function expectCompleteFile(writer: number, name: string): string {
  const content = readFileSync(join(home, String(writer), name), 'latin1')
  const [digit = ''] = content
  expect(content === textOf(digit)).toBe(true)
  return digit
}

/** Simulates the next start: unfinished changes are rolled back before anything is read. */
async function restart(): Promise<void> {
  const runtime = createToolRuntime({
    tools: builtInTools,
    cwd: home,
    permissions: { mode: 'bypassPermissions' },
    machine: { homeDir: home },
    policy: { isSandboxed: true },
  })
  await runtime.run([{ type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: '0/a' } }]).results
  await runtime.dispose()
}

test('a file has its complete old or its complete new content whenever the process that edits it is killed', async () => {
  const digits = new Set<string>()
  for (let kill = 0; kill < KILLS; kill++) {
    await changeUntilKilled('Edit,Write,MultiEdit', WRITERS + (kill % WRITERS))
    for (let writer = 0; writer < WRITERS; writer++) digits.add(expectCompleteFile(writer, 'a'))
  }

  expect(digits.size).toBeGreaterThan(1)
  await expectInterruptedCalls()
}, 600_000)

test('after the next start, a patch of three files is applied to all of them or to none', async () => {
  let rolledBackCount = 0
  for (let kill = 0; kill < KILLS / 2; kill++) {
    await changeUntilKilled('ApplyPatch', WRITERS + (kill % WRITERS))
    rolledBackCount += listJournals().length
    await restart()
    for (let writer = 0; writer < WRITERS; writer++) {
      expect(new Set(NAMES.map((name) => expectCompleteFile(writer, name))).size).toBe(1)
    }
    expect(listJournals()).toEqual([])
  }

  expect(rolledBackCount).toBeGreaterThan(0)
  await expectInterruptedCalls()
}, 600_000)

function listJournals(): readonly string[] {
  const folder = join(home, '.haft', 'journal')
  return existsSync(folder) ? readdirSync(folder) : []
}

/** Asserts that the checkpoints can still be read and that interrupted calls can be distinguished from ended ones. */
async function expectInterruptedCalls(): Promise<void> {
  const checkpoints = createCheckpoints({ folder: join(home, 'kept'), session: 'after' })
  const records = await checkpoints.list()
  await checkpoints.close()
  const interrupted = records.filter(({ after }) => after === undefined)
  expect(interrupted.length).toBeGreaterThan(0)
  expect(interrupted.every(({ owner = '' }) => hasEnded(owner))).toBe(true)
  expect(records.length).toBeGreaterThan(interrupted.length)
}
