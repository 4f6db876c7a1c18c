import type { Confinement, ConfinementStatus } from '../../contract/ports/shell.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'

export interface ConfineRequest {
  readonly id: string
  /** Left out, what the settings say. */
  readonly confinement?: Confinement
  readonly isAllowedByRule?: boolean
  readonly cwd: string
  /** Where it may write, in place of the working folders. */
  readonly folders?: readonly string[]
  /** The whole environment that the command will have. */
  readonly environment: Readonly<Record<string, string>>
}

/** Above those that the shell uses itself. */
export const FIRST_INHERITED = 5

/** What starts in place of a program, and then starts it. */
export interface CommandPrefix {
  /** Comes before the program and its arguments; empty where nothing holds it. It sets the working folder itself, too. */
  readonly argvPrefix: readonly string[]
  /** Files that it finds open, at descriptors from `FIRST_INHERITED` on. */
  readonly inherited?: readonly string[]
}

/** How one command is held. Descriptors 0 to 4 must reach it unchanged, and `HAFT_MARK` must stay in its environment. */
export interface Confined extends CommandPrefix {
  /** Holds temporary files of the sandbox, which should go even if Haft is killed. */
  readonly folder?: string
  /** Added to the environment, such as the address of a proxy. */
  readonly environment?: Readonly<Record<string, string>>
  /** What really holds it, which may be less than was asked for. */
  readonly confinement: Confinement
  /** What the confinement seems to have refused, in words for the model; asked once, at the end. */
  explain(end: { readonly output: string; readonly exitCode: number | null }): readonly string[]
  /** Called once when the last process of the command is gone. */
  release?(): MaybePromise<void>
}

/** Throws a `ToolCallError` where a command must not run because it cannot be held as it must. */
export type Confine = (request: ConfineRequest) => MaybePromise<Confined>

/** What the sandbox gives the shell. */
export interface ConfinePort {
  readonly confine: Confine
  status(): MaybePromise<ConfinementStatus>
}
