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

const WRITER_PATH = fileURLToPath(new URL('fixtures/endless-writer.mjs', import.meta.url))
const LIBRARY_URL = new URL('../dist/lib/index.js', import.meta.url).href
/** The number of folders that each process changes in parallel. */
const WRITER_COUNT = 8
const KILL_COUNT = process.env.HAFT_LONG_TESTS ? 200 : 25
const FILE_NAMES = ['a', 'b', 'c']
const LINE_CHARS = 80
const LINE_COUNT = 200

let home: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'haft-killed-tools-')))
  for (let writer = 0; writer < WRITER_COUNT; writer++) {
    mkdirSync(join(home, String(writer)))
    for (const name of FILE_NAMES) writeFileSync(join(home, String(writer), name), createText('0'))
  }
})
afterEach(() => rmSync(home, { recursive: true }))

const createText = (digit: string) => `${digit.repeat(LINE_CHARS)}\n`.repeat(LINE_COUNT)

/** Starts a process that changes files, and kills it once this many calls have started. */
async function changeUntilKilled(tools: string, calls: number): Promise<void> {
  const child = spawn(process.execPath, [WRITER_PATH, LIBRARY_URL, home, tools, String(WRITER_COUNT)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closeEvent = once(child, 'close')
  const errorOutput: unknown[] = []
  child.stderr.on('data', (chunk) => errorOutput.push(String(chunk)))
  let startedCalls = 0
  for await (const _ of createInterface({ input: child.stdout })) if (++startedCalls >= calls) child.kill('SIGKILL')
  await closeEvent
  expect([errorOutput, child.signalCode]).toEqual([[], 'SIGKILL'])
}

/** Asserts that a file is not half written, and returns the digit that it consists of. */
function expectCompleteFile(writer: number, name: string): string {
  const content = readFileSync(join(home, String(writer), name), 'latin1')
  const [digit = ''] = content
  expect(content === createText(digit)).toBe(true)
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
  for (let kill = 0; kill < KILL_COUNT; kill++) {
    await changeUntilKilled('Edit,Write,MultiEdit', WRITER_COUNT + (kill % WRITER_COUNT))
    for (let writer = 0; writer < WRITER_COUNT; writer++) digits.add(expectCompleteFile(writer, 'a'))
  }

  expect(digits.size).toBeGreaterThan(1)
  await expectInterruptedCalls()
}, 600_000)

test('after the next start, a patch of three files is applied to all of them or to none', async () => {
  let rolledBackCount = 0
  for (let kill = 0; kill < KILL_COUNT / 2; kill++) {
    await changeUntilKilled('ApplyPatch', WRITER_COUNT + (kill % WRITER_COUNT))
    rolledBackCount += listJournals().length
    await restart()
    for (let writer = 0; writer < WRITER_COUNT; writer++) {
      expect(new Set(FILE_NAMES.map((name) => expectCompleteFile(writer, name))).size).toBe(1)
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
  const interruptedRecords = records.filter(({ after }) => after === undefined)
  expect(interruptedRecords.length).toBeGreaterThan(0)
  expect(interruptedRecords.every(({ owner = '' }) => hasEnded(owner))).toBe(true)
  expect(records.length).toBeGreaterThan(interruptedRecords.length)
}
