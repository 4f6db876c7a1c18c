import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import type { Message, ToolUseBlock } from '../src/contract/messages.js'
import { finishCalls } from '../src/session/transcript/finish-calls.js'
import { readSession } from '../src/session/transcript/read-session.js'
import { projectFolder, SessionPlace } from '../src/session/transcript/session-place.js'
import { temporaryFolder } from '../src/testing/query-fixture.js'

const PROGRAM = fileURLToPath(new URL('fixtures/crash-session.ts', import.meta.url))
const CALLS = 20
const KILLS = process.env.HAFT_LONG_TESTS ? 400 : 100
/** Sessions side by side: most of the time of each goes by in waiting. */
const LINES = 4
const STEPS = Array.from({ length: CALLS }, (_, step) => `step-${step}-`)

test('a session that is killed anywhere resumes with every result, and runs nothing twice without being told', async () => {
  const folder = await temporaryFolder()
  await build({
    ...{ entryPoints: [PROGRAM], bundle: true, splitting: true, platform: 'node', format: 'esm', logLevel: 'error' },
    ...{ outdir: folder, outExtension: { '.js': '.mjs' }, external: ['@vscode/ripgrep', '@lydell/node-pty', 'unpdf'] },
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
  })
  const program = join(folder, 'crash-session.mjs')
  const tally = { kills: 0, sessions: 0, cutOff: 0, early: 0, unstarted: 0 }
  await Promise.all(
    Array.from({ length: LINES }, async (_, line) => {
      while (tally.kills < KILLS) await crashUntilDone(program, join(folder, `${line}-${tally.sessions++}`), tally)
    }),
  )

  // All that can happen to a call did.
  expect([tally.cutOff, tally.early, tally.unstarted].every((count) => count > 0)).toBe(true)
}, 900_000)

interface Tally {
  kills: number
  cutOff: number
  early: number
  unstarted: number
}

async function crashUntilDone(program: string, folder: string, tally: Tally): Promise<void> {
  const home = join(folder, 'home')
  const project = join(folder, 'project')
  mkdirSync(home, { recursive: true })
  mkdirSync(project)
  const place = new SessionPlace(projectFolder(home, project), 'crash')
  const uncertain = new Set<string>()
  const noted = new Set<string>()
  for (let isDone = false; !isDone; ) {
    isDone = await runUntil(program, [home, project, String(CALLS)], Math.floor(Math.random() * 25))
    if (isDone || !existsSync(place.transcript)) continue
    tally.kills++
    check(place, { home, project, uncertain, noted, tally })
  }
  checkEnd(place, { project, uncertain })
}

/** Kills a process at a moment between two of its ticks; says whether it came to its end before. */
async function runUntil(program: string, args: readonly string[], ticks: number): Promise<boolean> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close')
  const complaints: string[] = []
  child.stderr.on('data', (chunk) => complaints.push(String(chunk)))
  let seen = 0
  let isDone = false
  const kill = () => child.kill('SIGKILL')
  for await (const line of createInterface({ input: child.stdout })) {
    isDone ||= line === 'done'
    // Part of the kills come at once, part a few turns of the event loop later.
    if (++seen === ticks + 1) later(Math.floor(Math.random() * 2000), kill)
  }
  await closed
  expect(complaints).toEqual([])
  return isDone
}

function later(turns: number, then: () => void): void {
  if (turns === 0) then()
  else setImmediate(later, turns - 1, then)
}

interface Around {
  readonly home: string
  readonly project: string
  /** Steps that the model was told may have run. */
  readonly uncertain: Set<string>
  /** Calls that it was told of in words. */
  readonly noted: Set<string>
  readonly tally: Tally
}

/** What a killed process left, as the next one will find it. */
function check(place: SessionPlace, around: Around): void {
  const { home, project, uncertain, noted, tally } = around
  const record = readSession(place)
  const { messages, unfinished } = finishCalls(record)
  // Whoever saw a call end finds its result, in its place or in a note on calls without a message.
  const missed = new Set(unfinished.map(({ toolUseId }) => toolUseId))
  const known = new Set(results(messages).map((block) => block.tool_use_id))
  for (const { id } of record.earlyCalls) noted.add(id)
  expect(linesIn(join(home, 'seen')).filter((id) => missed.has(id) || !(known.has(id) || noted.has(id)))).toEqual([])
  const inputs = new Map(
    [...callsIn(messages), ...record.earlyCalls].map(({ id, input }) => [id, JSON.stringify(input)]),
  )
  for (const { toolUseId, fate } of unfinished) {
    const steps = stepsIn(inputs.get(toolUseId))
    if (fate === 'started') for (const step of steps) uncertain.add(step)
    // What is said not to have run has left no trace.
    else
      for (const step of steps)
        expect([step, traces(step, project), fate]).toEqual([step, uncertain.has(step) ? expect.any(Number) : 0, fate])
  }
  // What has left a trace is known to the model.
  const told = JSON.stringify(messages)
  expect(STEPS.filter((step) => traces(step, project) > 0 && !told.includes(step))).toEqual([])
  tally.early += record.earlyCalls.length
  tally.cutOff += unfinished.filter(({ fate }) => fate === 'started').length
  tally.unstarted += unfinished.filter(({ fate }) => fate === 'unstarted').length
}

function checkEnd(place: SessionPlace, { project, uncertain }: Pick<Around, 'project' | 'uncertain'>): void {
  const { messages, unfinished } = finishCalls(readSession(place))
  expect(unfinished).toEqual([])
  const failed = failedSteps(messages)
  for (const label of STEPS) {
    const isExcused = uncertain.has(label) || failed.has(label)
    const count = traces(label, project)
    expect([label, isExcused ? count <= 1 : count === 1]).toEqual([label, true])
  }
  // No line was lost or spoiled on the way: every line but those that a kill has torn is an entry.
  const lines = readFileSync(place.transcript, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  expect(lines.filter((line) => !isEntry(line))).toEqual([])
}

function isEntry(line: string): boolean {
  try {
    return typeof JSON.parse(line).type === 'string'
  } catch {
    return false
  }
}

/** How often a step has taken effect. */
function traces(label: string, project: string): number {
  const inLog = linesIn(join(project, 'log')).filter((line) => line === label).length
  const inEdited = linesIn(join(project, 'edited')).filter((line) => line === label).length
  return inLog + inEdited + (existsSync(join(project, label)) ? 1 : 0)
}

function linesIn(path: string): readonly string[] {
  return existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : []
}

function stepsIn(text: string | undefined): readonly string[] {
  return [...new Set(text?.match(/step-\d+-/g) ?? [])]
}

function callsIn(messages: readonly Message[]): readonly ToolUseBlock[] {
  return messages.flatMap((message) =>
    message.type === 'assistant' ? message.content.filter((block) => block.type === 'tool_use') : [],
  )
}

function results(messages: readonly Message[]) {
  return messages.flatMap((message) =>
    message.type === 'user' && typeof message.content !== 'string'
      ? message.content.filter((block) => block.type === 'tool_result')
      : [],
  )
}

/** Steps whose call ended in an error that was told. */
function failedSteps(messages: readonly Message[]): ReadonlySet<string> {
  const errors = new Set(results(messages).flatMap((block) => (block.is_error === true ? [block.tool_use_id] : [])))
  return new Set(callsIn(messages).flatMap(({ id, input }) => (errors.has(id) ? stepsIn(JSON.stringify(input)) : [])))
}
