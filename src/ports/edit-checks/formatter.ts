import { spawn } from 'node:child_process'
import { extname } from 'node:path'
import * as z from 'zod'
import { createFormatterSchema } from '../../contract/host/edit-programs.js'
import { killProcessGroup } from '../../system/processes/end-processes.js'

/** A code formatter from the settings. */
export interface Formatter {
  readonly name: string
  readonly command: string
  /** The arguments. `$FILE` is replaced with the path; without it, the path is appended. */
  readonly args: readonly string[]
  readonly extensions: readonly string[]
}

/** Parses the formatters of the settings. Invalid formatters are left out with a warning. */
export function parseFormatters(
  settings: Readonly<Record<string, unknown>>,
  warn: (problem: string) => void,
): readonly Formatter[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const parseResult = createFormatterSchema().safeParse(value)
    if (parseResult.success) {
      const { command, args = [], extensions } = parseResult.data
      return [{ name, command, args, extensions }]
    }
    warn(`The formatter ${name} is left out: ${z.prettifyError(parseResult.error)}`)
    return []
  })
}

export function findFormatter(formatters: readonly Formatter[], path: string): Formatter | undefined {
  return formatters.find(({ extensions }) => extensions.includes(extname(path)))
}

/** Where a formatter runs, and the variables that it inherits: by default, those of this process. */
export interface RunFormatterOptions {
  readonly folder: string
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined
}

/** Runs the formatter in a folder and returns whether it succeeded. An abort kills its process group. */
export function runFormatter(
  formatter: Formatter,
  path: string,
  { folder, environment }: RunFormatterOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const hasPlaceholder = formatter.args.some((arg) => arg.includes('$FILE'))
  const args = formatter.args.map((arg) => arg.replaceAll('$FILE', () => path))
  return new Promise((resolve) => {
    const child = spawn(formatter.command, hasPlaceholder ? args : [...args, path], {
      cwd: folder,
      ...(environment !== undefined && { env: environment }),
      stdio: 'ignore',
      detached: process.platform !== 'win32',
    })
    const kill = () => killProcessGroup(child.pid)
    const settle = (isSuccess: boolean) => {
      signal.removeEventListener('abort', kill)
      resolve(isSuccess)
    }
    signal.addEventListener('abort', kill, { once: true })
    if (signal.aborted) kill()
    child.once('error', () => settle(false))
    child.once('close', (code) => settle(code === 0))
  })
}
