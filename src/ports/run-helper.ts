import { spawn } from 'node:child_process'
import { killProcessGroup } from '../system/processes/end-processes.js'

export interface HelperOptions {
  /** Variables that are added to the environment of this process. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly timeoutMs: number
  readonly maxBytes: number
}

/** How a command ended. The exit code is undefined if it could not be started, took too long, printed too much or was killed. */
export interface HelperEnd {
  readonly exitCode: number | undefined
  readonly stdout: string
}

/** Runs a short shell command and returns its output. Its stderr is dropped, because it may contain secrets. */
export function runHelper(command: string, { env, cwd, timeoutMs, maxBytes }: HelperOptions): Promise<HelperEnd> {
  return new Promise((resolve) => {
    const child = spawn(command, {
      shell: true,
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: process.platform !== 'win32',
    })
    const chunks: Buffer[] = []
    let bytes = 0
    const settle = (exitCode: number | undefined) => {
      clearTimeout(timer)
      // Processes that the command left behind must not delay the caller.
      killProcessGroup(child.pid)
      child.stdout.destroy()
      resolve({ exitCode, stdout: exitCode === undefined ? '' : Buffer.concat(chunks).toString('utf8') })
    }
    const timer = setTimeout(() => settle(undefined), timeoutMs)
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxBytes) settle(undefined)
      else chunks.push(chunk)
    })
    child.once('error', () => settle(undefined))
    child.once('close', (code) => settle(code ?? undefined))
  })
}
