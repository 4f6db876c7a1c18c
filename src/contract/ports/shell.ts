import type { CommandAnalysis } from '../command.js'
import type { JudgedPaths } from '../judged-paths.js'
import type { WorkEnd } from './tasks.js'

/** The sandbox of a command: `workspace` may write only in the working directories, `read-only` nowhere. */
export type Confinement = 'none' | 'workspace' | 'read-only'

/** A command to run. */
export interface ShellRequest {
  /** The id of the call. The file of a long output is named after it. */
  readonly id: string
  readonly command: string
  readonly cwd: string
  /** What the command does. If left out, it may do anything. */
  readonly analysis?: CommandAnalysis
  /** Where the paths of the command led when its permission was decided. */
  readonly judgedPaths?: JudgedPaths
  /** The interpreter of the command; bash by default. */
  readonly shell?: 'bash' | 'powershell'
  readonly environment?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  /** What happens at the timeout; `end` by default. */
  readonly onTimeout?: 'end' | 'background'
  /** The sandbox; if left out, the settings decide. */
  readonly confinement?: Confinement
  /**
   * Whether a user rule allows this program explicitly, so that `read-only` is replaced by the sandbox that the settings ask
   * for.
   */
  readonly isAllowedByRule?: boolean
  /** Replaces the working directories as the folders in which a sandboxed command may write. */
  readonly folders?: readonly string[]
  /** Describes the command in a list of background tasks. */
  readonly description?: string
}

/** Output of a command: stdout and stderr in order of arrival. */
export interface ShellOutput {
  /** The whole output if it is short, else its size, its path and a preview. */
  readonly text: string
  /** The file with the saved output; left out if `text` is complete or no file could be created. */
  readonly path?: string
  readonly receivedBytes: number
  readonly keptBytes: number
  /** Whether not all of the output was saved. */
  readonly isCut: boolean
}

/** How a command ended, or that it continues in the background. */
export interface ShellOutcome {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly timedOut: boolean
  /** The working directory at the end of the command. */
  readonly cwd: string
  /** Number of processes that were still running and were killed. */
  readonly killedProcessCount?: number
  readonly output: ShellOutput
  /** The actual sandbox, which is weaker than requested if this machine does not support the requested one. */
  readonly confinement: Confinement
  /** What the sandbox seems to have blocked, for the model. */
  readonly refusals: readonly string[]
  /** Set if the command continues in the background. */
  readonly taskId?: string
  /** Resolves when that background work ends; left out if the end cannot be observed. */
  readonly ended?: Promise<WorkEnd>
}

/** Whether this machine supports the sandbox, found by a trial run. */
export interface ConfinementStatus {
  readonly isAvailable: boolean
  /** The sandbox program, or why there is none. */
  readonly reason: string
  /** The sandbox that the settings ask for by default. */
  readonly byDefault: Confinement
}

/** How a background command is watched. */
export interface StartOptions {
  /** The kind of the task; `shell` if left out. */
  readonly kind?: 'shell' | 'monitor'
  /** Receives the output as it arrives. */
  readonly onOutput?: (chunk: Uint8Array) => void
}

/** Runs commands with limits on time and memory, and kills the processes that they leave behind. */
export interface ShellPort {
  run(
    request: ShellRequest,
    options: { readonly signal: AbortSignal; readonly onOutput?: (chunk: Uint8Array) => void },
  ): Promise<ShellOutcome>
  /** Starts a command in the background and returns the id of its task in the tasks port. */
  start(
    request: ShellRequest,
    options?: StartOptions,
  ): Promise<Pick<ShellOutcome, 'ended'> & { readonly taskId: string }>
  confinement(): Promise<ConfinementStatus>
  /**
   * Returns the folders in which the working directory may be, the project first. If a command ends elsewhere, the next one
   * starts in the project. If this method is left out, the working directory may be any folder.
   */
  workingFolders?(): readonly string[]
}
