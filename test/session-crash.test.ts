import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { getProjectFolder, SessionPaths } from '../src/session/transcript/storage/session-paths.js'
import { createTemporaryFolder } from '../src/testing/query-fixture.js'
import { CALL_COUNT, type CrashTally, checkFinishedSession, checkKilled, readLines } from './lib/crashed-session.js'

const PROGRAM_PATH = fileURLToPath(new URL('fixtures/crash-session.ts', import.meta.url))
const MIN_KILLS = process.env.HAFT_LONG_TESTS ? 400 : 100
/** Sessions that run in parallel: each spends most of its time waiting. */
const PARALLEL_SESSION_COUNT = 4

test('a session killed at any point resumes with every result and repeats no call without telling the model', async () => {
  const folder = await createTemporaryFolder()
  await build({
    ...{
      entryPoints: [PROGRAM_PATH],
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    },
    ...{ outdir: folder, outExtension: { '.js': '.mjs' }, external: ['@vscode/ripgrep', '@lydell/node-pty', 'unpdf'] },
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
  })
  const program = join(folder, 'crash-session.mjs')
  const tally = { killCount: 0, sessions: 0, cutOffCount: 0, earlyCount: 0, unstartedCount: 0 }
  await Promise.all(
    Array.from({ length: PARALLEL_SESSION_COUNT }, async (_, worker) => {
      while (tally.killCount < MIN_KILLS)
        await crashUntilDone(program, join(folder, `${worker}-${tally.sessions++}`), tally)
    }),
  )

  // The kills interrupted calls in each of these states.
  expect([tally.cutOffCount, tally.earlyCount, tally.unstartedCount].every((count) => count > 0)).toBe(true)
}, 900_000)

async function crashUntilDone(program: string, folder: string, tally: CrashTally): Promise<void> {
  const home = join(folder, 'home')
  const project = join(folder, 'project')
  mkdirSync(home, { recursive: true })
  mkdirSync(project)
  const paths = new SessionPaths(getProjectFolder(home, project), 'crash')
  const uncertainSteps = new Set<string>()
  const describedCalls = new Set<string>()
  for (let isDone = false; !isDone; ) {
    isDone = await runUntil(program, [home, project, String(CALL_COUNT)], Math.floor(Math.random() * 25))
    if (isDone || !existsSync(paths.transcript)) continue
    tally.killCount++
    checkKilled(paths, {
      project,
      endedCalls: readLines(join(home, 'seen')),
      uncertainSteps,
      describedCalls,
      tally,
    })
  }
  checkFinishedSession(paths, { project, uncertainSteps })
}

/** Kills a process at a moment between two of its ticks. Returns whether it had already finished. */
async function runUntil(program: string, args: readonly string[], ticks: number): Promise<boolean> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const closeEvent = once(child, 'close')
  const errorOutput: string[] = []
  child.stderr.on('data', (chunk) => errorOutput.push(String(chunk)))
  let tickCount = 0
  let isDone = false
  const kill = () => child.kill('SIGKILL')
  for await (const line of createInterface({ input: child.stdout })) {
    isDone ||= line === 'done'
    // A random number of turns of the event loop later, so that kills happen at any point between two ticks.
    if (++tickCount === ticks + 1) runAfterTurns(Math.floor(Math.random() * 2000), kill)
  }
  await closeEvent
  expect(errorOutput).toEqual([])
  return isDone
}

function runAfterTurns(turns: number, run: () => void): void {
  if (turns === 0) run()
  else setImmediate(runAfterTurns, turns - 1, run)
}
