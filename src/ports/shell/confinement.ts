import { openSync } from 'node:fs'
import { ToolCallError } from '../../contract/errors.js'
import type { Confinement, ConfinementStatus } from '../../contract/ports/shell.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { quote } from '../../shared/quote.js'
import { closeAll } from './command-files.js'

export interface ConfineRequest {
  readonly id: string
  /** Left out to use the confinement from the settings. */
  readonly confinement?: Confinement
  readonly isAllowedByRule?: boolean
  readonly cwd: string
  /** Writable folders that replace the working folders. */
  readonly folders?: readonly string[]
  /**
   * Everything outside the working folders that a read-only command reads. If left out, it may read everything that the
   * settings do not hide.
   */
  readonly reads?: readonly string[]
  /** The complete environment of the command. */
  readonly environment: Readonly<Record<string, string>>
}

/** The first descriptor of inherited files; the shell uses the lower ones itself. */
export const FIRST_INHERITED = 5

/** A program that starts another program inside the sandbox. */
export interface CommandPrefix {
  /** Comes before the program and its arguments; empty without a sandbox. It also sets the working folder. */
  readonly argvPrefix: readonly string[]
  /** Files to open for this program, on descriptors from `FIRST_INHERITED` upwards. */
  readonly inherited?: readonly string[]
}

/** How one command is confined. Descriptors 0 to 4 must reach it unchanged, and `HAFT_MARK` must stay in its environment. */
export interface Confined extends CommandPrefix {
  /** Temporary files of the sandbox, removed even if Haft is killed. */
  readonly folder?: string
  /** Added to the environment, such as the address of a proxy. */
  readonly environment?: Readonly<Record<string, string>>
  /** Variables of the environment that the command must not see, such as keys. */
  readonly withheld?: readonly string[]
  /** The confinement in force, which may be weaker than the requested one. */
  readonly confinement: Confinement
  /** Explains to the model what the sandbox seems to have refused. Called once, after the command has ended. */
  explain(end: { readonly output: string; readonly exitCode: number | null }): readonly string[]
  /** Called once, when the last process of the command is gone. */
  release?(): MaybePromise<void>
}

/** Throws a `ToolCallError` if a command must not run because it cannot be confined as required. */
export type Confine = (request: ConfineRequest) => MaybePromise<Confined>

/** The part of the sandbox that the shell port uses. */
export interface ConfinePort {
  readonly confine: Confine
  status(): MaybePromise<ConfinementStatus>
}

/** Used if no sandbox is configured: commands run unconfined. */
export const NO_SANDBOX: ConfinePort = {
  confine: () => ({ argvPrefix: [], confinement: 'none', explain: () => [] }),
  status: (): ConfinementStatus => ({ isAvailable: false, reason: 'no sandbox', byDefault: 'none' }),
}

export type Stdio = 'ignore' | 'pipe' | number

/** Opens the files that the prefix needs for the duration of `start`. A missing file is an error. */
export function withInheritedFiles<T>(
  { inherited = [] }: CommandPrefix,
  streams: readonly Stdio[],
  start: (stdio: Stdio[]) => T,
): T {
  if (inherited.length === 0) return start([...streams])
  const openDescriptors: number[] = []
  try {
    for (const path of inherited) openDescriptors.push(openInherited(path))
    const unused = Array.from({ length: FIRST_INHERITED - streams.length }, (): Stdio => 'ignore')
    return start([...streams, ...unused, ...openDescriptors])
  } finally {
    closeAll(...openDescriptors)
  }
}

function openInherited(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (error) {
    throw new ToolCallError('unavailable', `A file that the sandbox needs is missing: ${quote(path)}.`, {
      cause: error,
    })
  }
}
