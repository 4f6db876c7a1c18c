import { type ChildProcess, spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { parse } from 'node:path'
import { isDoneWithin, waitUnlessAborted } from '../../shared/waiting.js'
import type { HookEnd } from '../answer/hook-answer.js'
import type { CommandHook } from '../config/hook-config.js'
import { CappedOutput, MAX_OUTPUT_BYTES } from './capped-output.js'
import type { HookCall } from './hook-call.js'

/** How long to wait for output of a child that outlives the command and holds its pipe. */
const MAX_DRAIN_MS = 250
/** How long to wait for a killed process: one that is stuck in the kernel must not block the call. */
const MAX_KILL_WAIT_MS = 1_000

/**
 * Runs a command as a supervised process tree, with the payload on stdin. Processes that it started end with it, and
 * the whole tree ends if Haft is killed.
 */
export async function runCommandHook(hook: CommandHook, call: HookCall): Promise<HookEnd> {
  const processes = await call.processes()
  if (call.signal.aborted) return { type: 'stopped' }
  const mark = processes.createMark()
  const child = spawnCommand(hook.command, call, processes.markVariables(mark))
  const { pid, stdin, stdout, stderr } = child
  const pendingExit = waitForExit(child)
  if (pid === undefined || stdin === null || stdout === null || stderr === null)
    return describeStartFailure(await pendingExit)
  const tree = processes.adopt(pid, mark)
  const out = new CappedOutput(stdout)
  const err = new CappedOutput(stderr)
  // The command may exit without reading its input.
  stdin.on('error', () => {})
  stdin.end(call.json)

  const exit = (await waitUnlessAborted(pendingExit, call.signal))?.value
  stdin.destroy()
  const outputClosed = Promise.all([out.closed, err.closed])
  if (exit !== undefined) await isDoneWithin(MAX_DRAIN_MS, outputClosed)
  await tree.end()
  await (exit === undefined ? isDoneWithin(MAX_KILL_WAIT_MS, pendingExit) : isDoneWithin(MAX_DRAIN_MS, outputClosed))
  tree.forget()
  stdout.destroy()
  stderr.destroy()
  return exit === undefined ? { type: 'stopped' } : readExit(exit, out, err)
}

interface Exit {
  readonly code: number | null
  readonly signal: string | null
  readonly error?: Error
}

function spawnCommand(command: string, call: HookCall, variables: Readonly<Record<string, string>>): ChildProcess {
  return spawn(command, {
    shell: true,
    // Makes the command the leader of its own session, by which the process tree is found.
    detached: process.platform !== 'win32',
    windowsHide: true,
    cwd: findWorkingFolder(call),
    env: {
      ...call.environment,
      HAFT_PROJECT_DIR: call.projectDir,
      CLAUDE_PROJECT_DIR: call.projectDir,
      ...variables,
    },
  })
}

/**
 * Returns the folder in which a command runs. Falls back to other folders: a call that removed the working folder must not
 * disable the hooks that guard the next call.
 */
function findWorkingFolder({ payload, projectDir }: HookCall): string {
  const folders = [payload.cwd, projectDir]
  return folders.find(isFolder) ?? parse(process.cwd()).root
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    // Missing or not accessible.
    return false
  }
}

function waitForExit(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    child.on('error', (error) => {
      // Node also emits this event if a signal could not be sent; the process then keeps running.
      if (child.pid === undefined) resolve({ code: null, signal: null, error })
    })
  })
}

function describeStartFailure({ error }: Exit): HookEnd {
  return { type: 'failed', message: `The command could not be started: ${error?.message ?? 'unknown reason'}` }
}

function readExit(exit: Exit, out: CappedOutput, err: CappedOutput): HookEnd {
  if (exit.code === 2) return { type: 'blocked', message: err.text }
  if (exit.code === 0 && !out.hasOverflowed) return { type: 'text', text: out.text }
  if (exit.code === 0)
    return {
      type: 'failed',
      message: `The command printed more than ${MAX_OUTPUT_BYTES} bytes, so its answer was ignored.`,
    }
  const endText = exit.code === null ? `was ended by ${exit.signal}` : `exited with code ${exit.code}`
  const stderr = err.text.trim()
  return { type: 'failed', message: stderr === '' ? `It ${endText}.` : `It ${endText}: ${stderr}` }
}
