import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SearchError } from '../../contract/ports/search.js'

export interface RipgrepRun {
  readonly cwd: string
  readonly signal?: AbortSignal | undefined
  /** An open file that the program is to see as its number 3. */
  readonly descriptor?: number | undefined
  /** Takes the output as it comes; false ends the program, since enough has been seen. */
  readonly take: (chunk: Buffer) => boolean
}

export interface RipgrepEnd {
  /** What was complained about, as far as it went; empty where nothing was. */
  readonly complaint: string
  readonly wasStopped: boolean
}

const MAX_COMPLAINT = 64 * 1024

/** What holds for every run: the user's own configuration does not change what a tool finds. */
export const COMMON_ARGUMENTS = [
  '--no-config',
  '--no-messages',
  '--hidden',
  // A folder that was never a repository may have its ignore file all the same.
  '--no-require-git',
  ...['.git', '.hg', '.svn', '.jj'].flatMap((name) => ['--glob', `!${name}`]),
]

/** Runs ripgrep to its end, or as long as its output is wanted. */
export async function runRipgrep(args: readonly string[], run: RipgrepRun): Promise<RipgrepEnd> {
  const { signal } = run
  signal?.throwIfAborted()
  const program = await findRipgrep()
  return new Promise((resolve, reject) => {
    const { descriptor } = run
    const stdio = ['ignore', 'pipe', 'pipe', ...(descriptor === undefined ? [] : [descriptor])] as const
    const child = spawn(program, args, { cwd: run.cwd, stdio: [...stdio] })
    let wasStopped = false
    let complaint = ''
    const stop = () => {
      wasStopped = true
      child.kill('SIGKILL')
    }
    signal?.addEventListener('abort', stop, { once: true })
    child.stdout?.on('data', (chunk: Buffer) => {
      if (!wasStopped && !run.take(chunk)) stop()
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (complaint.length < MAX_COMPLAINT) complaint += text
    })
    child.on('error', (cause) => {
      reject(new SearchError(`Searching failed: ${cause.message}.`, { cause }))
    })
    child.on('close', (code) => {
      signal?.removeEventListener('abort', stop)
      if (signal?.aborted) reject(signal.reason)
      else resolve({ complaint: code === 2 || wasStopped ? wholeLines(complaint) : '', wasStopped })
    })
  })
}

/** The last line of a complaint that was cut short may stop anywhere. */
function wholeLines(complaint: string): string {
  return complaint.slice(0, complaint.lastIndexOf('\n') + 1).trim()
}

let found: Promise<string> | undefined

function findRipgrep(): Promise<string> {
  found ??= import('@vscode/ripgrep').then(
    ({ rgPath }) => rgPath,
    (cause) => {
      throw new SearchError(`There is no ripgrep for ${process.platform}-${process.arch}.`, { cause })
    },
  )
  return found
}

/** Hands ripgrep rules that count less than those of any ignore file it finds: a help for speed, never more. */
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
