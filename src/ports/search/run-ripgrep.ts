import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SearchError } from '../../contract/ports/search.js'

export interface RipgrepRun {
  readonly cwd: string
  readonly signal?: AbortSignal | undefined
  /** Ends ripgrep when aborted. Its output until then counts. */
  readonly stopSignal?: AbortSignal | undefined
  /** A file that ripgrep inherits as descriptor 3. */
  readonly descriptor?: number | undefined
  /** Receives the output. If it returns false, ripgrep is ended. */
  readonly take: (chunk: Buffer) => boolean
  /** After this time ripgrep is ended. */
  readonly timeLimitMs: number
}

export interface RipgrepEnd {
  /** The error output, possibly truncated; empty if there was none. */
  readonly errorOutput: string
  readonly wasStopped: boolean
  readonly isTimeUp: boolean
}

/** Slow expressions and huge or slow folders must not keep a call waiting forever. */
export const DEFAULT_SEARCH_TIME_MS = 30_000

const MAX_ERROR_CHARS = 64 * 1024

/** Options for every run. The user's ripgrep configuration must not change the results. */
export const COMMON_ARGUMENTS = [
  '--no-config',
  '--no-messages',
  '--hidden',
  // A folder that is not a repository may still contain a .gitignore file.
  '--no-require-git',
  ...['.git', '.hg', '.svn', '.jj'].flatMap((name) => ['--glob', `!${name}`]),
]

/** Runs ripgrep until it ends or `take` returns false. */
export async function runRipgrep(args: readonly string[], run: RipgrepRun): Promise<RipgrepEnd> {
  const { signal, stopSignal } = run
  signal?.throwIfAborted()
  const program = await findRipgrep()
  return new Promise((resolve, reject) => {
    const { descriptor } = run
    const stdio = ['ignore', 'pipe', 'pipe', ...(descriptor === undefined ? [] : [descriptor])] as const
    const child = spawn(program, args, { cwd: run.cwd, stdio: [...stdio], env: {} })
    let wasStopped = false
    let isTimeUp = false
    let errorOutput = ''
    const stop = () => {
      wasStopped = true
      child.kill('SIGKILL')
    }
    signal?.addEventListener('abort', stop, { once: true })
    stopSignal?.addEventListener('abort', stop, { once: true })
    if (stopSignal?.aborted === true) stop()
    const timer = setTimeout(() => {
      isTimeUp = true
      stop()
    }, run.timeLimitMs)
    child.stdout?.on('data', (chunk: Buffer) => {
      if (!wasStopped && !run.take(chunk)) stop()
      // One chunk in each turn of the event loop, because looking up its files takes milliseconds.
      child.stdout?.pause()
      setImmediate(() => child.stdout?.resume())
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (errorOutput.length < MAX_ERROR_CHARS) errorOutput += text
    })
    child.on('error', (cause) => {
      clearTimeout(timer)
      reject(new SearchError(`ripgrep could not be run: ${cause.message}.`, { cause }))
    })
    child.on('close', (code) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      stopSignal?.removeEventListener('abort', stop)
      if (signal?.aborted) reject(signal.reason)
      else resolve({ errorOutput: code === 2 || wasStopped ? keepWholeLines(errorOutput) : '', wasStopped, isTimeUp })
    })
  })
}

/** Removes the last line of truncated error output, which may be incomplete. */
function keepWholeLines(errorOutput: string): string {
  return errorOutput.slice(0, errorOutput.lastIndexOf('\n') + 1).trim()
}

let ripgrepPath: Promise<string> | undefined

/** Returns the path of the ripgrep that ships with Haft. Throws if there is none for this machine. */
export function findRipgrep(): Promise<string> {
  ripgrepPath ??= import('@vscode/ripgrep').then(
    ({ rgPath }) => rgPath,
    (cause) => {
      throw new SearchError(
        `Files cannot be searched: ripgrep is not installed for ${process.platform}-${process.arch}. Use a command such as grep.`,
        { cause },
      )
    },
  )
  return ripgrepPath
}

/** Passes rules that have a lower priority than any ignore file. They only make the search faster. */
export async function withIgnoreRules<T>(rules: string, use: (args: readonly string[]) => Promise<T>): Promise<T> {
  if (rules === '') return use([])
  const file = join(tmpdir(), `haft-ignore-${randomBytes(8).toString('hex')}`)
  try {
    await writeFile(file, rules, { flag: 'wx', mode: 0o600 })
    return await use([`--ignore-file=${file}`])
  } finally {
    await rm(file, { force: true })
  }
}
