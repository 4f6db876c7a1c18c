import type { ChildProcess, spawn as Spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { parse } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { CappedOutput, MAX_OUTPUT_BYTES } from './capped-output.js'
import { endProcessTree, RUN_ID_VARIABLE } from './end-process-tree.js'
import type { HookCall } from './hook-call.js'
import type { CommandHook } from './hook-config.js'
import type { HookEnd } from './hook-end.js'
import { untilAborted } from './until-aborted.js'

/** How long output is awaited of a child that outlives the command and holds its pipe. */
const DRAIN_MS = 250
/** How long a killed process is awaited: one stuck in the kernel must not hold up the call. */
const DEATH_MS = 1_000

/** Runs a command in a process group of its own, with the payload on stdin. When it ends, whatever it started ends. */
export async function runCommandHook(hook: CommandHook, call: HookCall): Promise<HookEnd> {
  const { spawn } = await import('node:child_process')
  if (call.signal.aborted) return { type: 'stopped' }
  const runId = `${call.runnerId}/${randomUUID()}`
  const child = startCommand(spawn, hook.command, runId, call)
  const { pid, stdin, stdout, stderr } = child
  // A failure to start shows as an event, or at the latest by the missing parts.
  const exited = exitOf(child)
  if (pid === undefined || stdin === null || stdout === null || stderr === null) return startFailure(await exited)
  const out = new CappedOutput(stdout)
  const err = new CappedOutput(stderr)
  // A command that does not read its input is no failure.
  stdin.on('error', () => {})
  stdin.end(call.json)

  const exit = (await untilAborted(exited, call.signal))?.value
  stdin.destroy()
  const closed = Promise.all([out.closed, err.closed])
  if (exit === undefined) {
    await endProcessTree(pid, runId)
    await within(DEATH_MS, exited)
  } else {
    await within(DRAIN_MS, closed)
    await endProcessTree(pid, runId)
    await within(DRAIN_MS, closed)
  }
  stdout.destroy()
  stderr.destroy()
  return exit === undefined ? { type: 'stopped' } : readExit(exit, out, err)
}

interface Exit {
  readonly code: number | null
  readonly signal: string | null
  readonly error?: Error
}

function startCommand(spawn: typeof Spawn, command: string, runId: string, call: HookCall): ChildProcess {
  return spawn(command, {
    shell: true,
    detached: process.platform !== 'win32',
    windowsHide: true,
    cwd: workingFolder(call),
    env: {
      ...call.environment,
      HAFT_PROJECT_DIR: call.projectDir,
      CLAUDE_PROJECT_DIR: call.projectDir,
      [RUN_ID_VARIABLE]: runId,
    },
  })
}

/** A call that removed the working folder must not thereby switch off the hooks that guard the next one. */
function workingFolder({ payload, projectDir }: HookCall): string {
  const folders = [payload.cwd, projectDir]
  return folders.find(isFolder) ?? parse(process.cwd()).root
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    // Missing, or out of reach.
    return false
  }
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    child.on('error', (error) => {
      // A signal that could not be sent is reported here as well, and ends nothing.
      if (child.pid === undefined) resolve({ code: null, signal: null, error })
    })
  })
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const timer = new AbortController()
  const late = sleep(ms, undefined, { signal: timer.signal }).then(
    // After a pause of the whole process the timer comes first: one more turn reads what has arrived.
    () => nextTurn(),
    () => undefined,
  )
  await Promise.race([work, late])
  timer.abort()
}

function startFailure({ error }: Exit): HookEnd {
  return { type: 'failed', message: `The command could not be started: ${error?.message ?? 'no reason was given'}` }
}

function readExit(exit: Exit, out: CappedOutput, err: CappedOutput): HookEnd {
  if (exit.code === 2) return { type: 'blocked', message: err.text }
  if (exit.code === 0 && !out.overflowed) return { type: 'said', text: out.text }
  if (exit.code === 0)
    return { type: 'failed', message: `It printed more than ${MAX_OUTPUT_BYTES} bytes, so its answer was not read.` }
  const how = exit.code === null ? `was ended by ${exit.signal}` : `exited with code ${exit.code}`
  const words = err.text.trim()
  return { type: 'failed', message: words === '' ? `It ${how}.` : `It ${how}: ${words}` }
}
