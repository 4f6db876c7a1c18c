import { openSync } from 'node:fs'
import { ToolCallError } from '../../contract/errors.js'
import type { JudgedPaths } from '../../contract/judged-paths.js'
import type { Confinement, ConfinementStatus } from '../../contract/ports/shell.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { quote } from '../../shared/quote.js'
import { closeAll } from './command-files.js'

export interface ConfineRequest {
  readonly id: string
  /** How to confine the command. Defaults to the setting. */
  readonly confinement?: Confinement
  readonly isAllowedByRule?: boolean
  readonly cwd: string
  /** Writable folders for this command, instead of the working folders. */
  readonly folders?: readonly string[]
  /**
   * Everything outside the working folders that a read-only command may read. If omitted, it may read everything that the
   * settings do not hide.
   */
  readonly reads?: readonly string[]
  /** Paths that the command names, which it was permitted to read. */
  readonly namedReads?: readonly string[]
  /** Whether the command runs in a pseudo-terminal of its own and needs it as its controlling terminal. */
  readonly keepsTerminal?: boolean
  /** Where these paths led when permission was decided. Only these targets are shown. */
  readonly judgedPaths?: JudgedPaths
}

/** The first descriptor for inherited files. The shell itself uses the lower descriptors. */
export const FIRST_INHERITED_DESCRIPTOR = 5

/** The program that starts another program inside the sandbox. */
export interface CommandPrefix {
  /** The words to put before the program and its arguments. They also set the working folder. Empty without a sandbox. */
  readonly argvPrefix: readonly string[]
  /** Files that are opened for this program, on descriptors from `FIRST_INHERITED_DESCRIPTOR` upwards. */
  readonly inheritedFiles?: readonly string[]
  /** Descriptors of Haft that the program must not get, because it could use the files and sockets behind them. */
  readonly strayDescriptors?: readonly number[]
}

/** How one command is confined. Its descriptors 0 to 4 must stay unchanged, and `HAFT_MARK` must stay in its environment. */
export interface ConfinedLaunch extends CommandPrefix {
  /** The folder for temporary files of the sandbox. It is removed even if Haft is killed. */
  readonly folder?: string
  /** Variables that are added to the environment, such as the address of a proxy. */
  readonly environment?: Readonly<Record<string, string>>
  /** The confinement in force, which may be weaker than the requested one. */
  readonly confinement: Confinement
  /** Explains to the model what the sandbox seems to have refused. Called once, after the command has ended. */
  explain(end: { readonly output: string; readonly exitCode: number | null }): readonly string[]
  /**
   * Watches the files that the command must not read or change. Called once, right after the command has started. Calls `end`, with the
   * reason, if the command must be killed at once.
   */
  watch?(end: (reason: string) => void): void
  /** Called once, when the last process of the command has ended. */
  release?(): MaybePromise<void>
}

/** Throws a `ToolCallError` if a command must not run because it cannot be confined as required. */
export type Confine = (request: ConfineRequest) => MaybePromise<ConfinedLaunch>

/** The part of the sandbox that the shell port uses. */
export interface ConfinePort {
  readonly confine: Confine
  status(): MaybePromise<ConfinementStatus>
}

/** Used if no sandbox is configured. Commands then run unconfined. */
export const NO_SANDBOX: ConfinePort = {
  confine: () => ({ argvPrefix: [], confinement: 'none', explain: () => [] }),
  status: (): ConfinementStatus => ({ isAvailable: false, reason: 'no sandbox', byDefault: 'none' }),
}

export type Stdio = 'ignore' | 'pipe' | number

/** Opens the files that the prefix needs while `start` runs. Throws if a file is missing. */
export function withInheritedFiles<T>(
  { inheritedFiles = [], strayDescriptors = [] }: CommandPrefix,
  streams: readonly Stdio[],
  start: (stdio: Stdio[]) => T,
): T {
  if (inheritedFiles.length + strayDescriptors.length === 0) return start([...streams])
  const openDescriptors: number[] = []
  const open = (path: string) => {
    const descriptor = openInherited(path)
    openDescriptors.push(descriptor)
    return descriptor
  }
  try {
    const stdio = [...streams]
    for (const [index, path] of inheritedFiles.entries()) stdio[FIRST_INHERITED_DESCRIPTOR + index] = open(path)
    const replacedDescriptors = strayDescriptors.filter((descriptor) => typeof stdio[descriptor] !== 'number')
    const replacement = replacedDescriptors.length === 0 ? undefined : open('/dev/null')
    for (const descriptor of replacedDescriptors) if (replacement !== undefined) stdio[descriptor] = replacement
    return start(Array.from(stdio, (stream) => stream ?? 'ignore'))
  } finally {
    closeAll(...openDescriptors)
  }
}

/**
 * Returns the words that open the files of a prefix and run a program with it, for callers that cannot pass descriptors
 * themselves.
 */
export function createOpeningArgv(
  { argvPrefix, inheritedFiles = [] }: CommandPrefix,
  argv: readonly [string, ...string[]],
): readonly [string, ...string[]] {
  const [program = '', ...args] = [...argvPrefix, ...argv]
  if (inheritedFiles.length === 0) return [program, ...args]
  const redirections = inheritedFiles.map((_, index) => `${FIRST_INHERITED_DESCRIPTOR + index}<"$${index + 1}"`)
  const script = `exec ${redirections.join(' ')} && shift ${inheritedFiles.length} && exec "$@"`
  return ['/bin/sh', '-c', script, 'sh', ...inheritedFiles, program, ...args]
}

function openInherited(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (error) {
    throw new ToolCallError(
      'unavailable',
      `A file that the sandbox needs is missing: ${quote(path)}. Tell the user to restart Haft.`,
      {
        cause: error,
      },
    )
  }
}
