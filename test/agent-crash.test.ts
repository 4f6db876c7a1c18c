import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { createTemporaryFolder } from '../src/testing/query-fixture.js'
import { type CrashTally, checkFinishedSession, checkKilled } from './lib/crashed-session.js'
import type { Line } from './lib/haft-process.js'
import { getSessionPaths } from './lib/transcript-lines.js'

const MIN_KILLS = process.env.HAFT_LONG_TESTS ? 100 : 25
const SEED = Number(process.env.HAFT_CRASH_SEED ?? 8_2026)
/** Sessions that run in parallel: each spends most of its time waiting. */
const PARALLEL_SESSION_COUNT = 2
/** A run is killed within this many lines of output. A complete session writes about 300. */
const MAX_LINES = 90
const SETTINGS_ARGS = ['--settings', '{"sandbox":{"enabled":false}}', '--permission-mode', 'bypassPermissions']
const MODEL_ARGS = ['--model', `scripted:${resolve('test/fixtures/crash-script.mjs')}`]
const STREAM_ARGS = ['--output-format', 'stream-json', '--include-events']

test(`haft -p killed at ${MIN_KILLS} points resumes with every result and repeats no call without telling the model (seed ${SEED})`, {
  timeout: 900_000,
}, async () => {
  const folder = await createTemporaryFolder()
  const random = createRandom(SEED)
  const tally = { killCount: 0, sessions: 0, cutOffCount: 0, earlyCount: 0, unstartedCount: 0 }
  await Promise.all(
    Array.from({ length: PARALLEL_SESSION_COUNT }, async () => {
      while (tally.killCount < MIN_KILLS) await crashUntilDone(join(folder, String(tally.sessions++)), tally, random)
    }),
  )

  expect(tally.cutOffCount + tally.earlyCount).toBeGreaterThan(0)
})

async function crashUntilDone(folder: string, tally: CrashTally, random: () => number): Promise<void> {
  const home = join(folder, 'home')
  const project = join(folder, 'project')
  mkdirSync(home, { recursive: true })
  mkdirSync(project)
  writeFileSync(join(project, 'edited'), 'end\n')
  const paths = getSessionPaths(home, project, 'crash')
  const session = {
    project,
    endedCalls: [] as string[],
    uncertainSteps: new Set<string>(),
    describedCalls: new Set<string>(),
    tally,
  }
  for (;;) {
    const sessionArgs = existsSync(paths.transcript) ? ['--resume', 'crash'] : ['--session-id', 'crash']
    const args = ['-p', 'Go on.', ...sessionArgs, ...MODEL_ARGS, ...STREAM_ARGS, ...SETTINGS_ARGS]
    // After enough kills, the session is left to finish.
    const lines = tally.killCount < MIN_KILLS ? Math.floor(random() * MAX_LINES) : Number.POSITIVE_INFINITY
    const end = await runUntil(args, { home, project, lines, turns: Math.floor(random() * 2_000) })
    session.endedCalls.push(...end.ended)
    if (end.result !== undefined) {
      expect(end.result).toMatchObject({ result: 'Done.', exit_code: 0 })
      break
    }
    if (!existsSync(paths.transcript)) continue
    tally.killCount++
    checkKilled(paths, session)
  }
  checkFinishedSession(paths, session)
}

interface KillPoint {
  readonly home: string
  readonly project: string
  /** The number of lines of output after the first one, before the kill. */
  readonly lines: number
  /** The number of turns of the event loop between that line and the kill. */
  readonly turns: number
}

/**
 * Runs the command and kills it at the given point. Returns the calls reported as ended, and the result line if the run
 * finished.
 */
async function runUntil(args: readonly string[], { home, project, lines, turns }: KillPoint) {
  const env = { PATH: process.env.PATH, HOME: home, HAFT_SANDBOX: '1' }
  const child = spawn(process.execPath, [resolve('bin/haft'), ...args], { cwd: project, env })
  child.stdin.end()
  const closeEvent = once(child, 'close')
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const endedCalls: string[] = []
  let result: Line | undefined
  let lineCount = 0
  for await (const text of createInterface({ input: child.stdout })) {
    const line = parseLine(text)
    const event = line?.event as { readonly type?: string; readonly toolUseId?: string } | undefined
    if (event?.type === 'call-ended' && event.toolUseId !== undefined) endedCalls.push(event.toolUseId)
    if (line?.type === 'result') result = line
    if (lineCount++ === lines) runAfterTurns(turns, () => child.kill('SIGKILL'))
  }
  await closeEvent
  expect(stderr).toMatch(/^(haft: [^\n]+\n)*$/)
  return { ended: endedCalls, result }
}

/** Returns undefined for a line that the kill truncated. */
function parseLine(text: string): Line | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function runAfterTurns(turns: number, run: () => void): void {
  if (turns === 0) run()
  else setImmediate(runAfterTurns, turns - 1, run)
}

/** Like `Math.random`, but reproducible by its seed. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
