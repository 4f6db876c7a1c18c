import type { WorkEnd } from './tasks.js'

/** How far a command may reach: `workspace` writes only in the working folders, `read-only` writes nowhere. */
export type Confinement = 'none' | 'workspace' | 'read-only'

export interface ShellRequest {
  /** The id of the call; the file of a long output is named after it. */
  readonly id: string
  readonly command: string
  readonly cwd: string
  /** What reads the command; bash unless set. */
  readonly shell?: 'bash' | 'powershell'
  readonly environment?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  /** At its limit a command is ended, unless it may go on in the background. */
  readonly atLimit?: 'end' | 'background'
  /** Left out, what the settings say. */
  readonly confinement?: Confinement
  /** A rule of the user names this one program: where it is to be `read-only`, it is held as the settings want any command. */
  readonly isAllowedByRule?: boolean
  /** The only folders in which a confined command may write, in place of the working folders. */
  readonly folders?: readonly string[]
  /** What a list of background work shows. */
  readonly description?: string
}

/** What a command printed, on both streams in the order in which it came. */
export interface ShellOutput {
  /** The whole text where it is short; else a notice of size and path, and a preview. */
  readonly text: string
  /** The file with the kept bytes; left out where all is in `text`, or where no file could be made. */
  readonly path?: string
  readonly receivedBytes: number
  readonly keptBytes: number
  /** More came than is kept. */
  readonly isCut: boolean
}

export interface ShellOutcome {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly timedOut: boolean
  /** The folder in which the command ended. */
  readonly cwd: string
  /** How many processes it had left running, which were ended with it. */
  readonly leftRunning?: number
  readonly output: ShellOutput
  /** What really held it, which is less than asked for where this machine cannot do it. */
  readonly confinement: Confinement
  /** What the confinement seems to have refused, in words for the model. */
  readonly refusals: readonly string[]
  /** Set where the command goes on in the background. */
  readonly taskId?: string
  /** When that background work ends; left out, nobody can tell. */
  readonly ended?: Promise<WorkEnd>
}

/** What this machine can confine, found by trying. */
export interface ConfinementStatus {
  readonly isAvailable: boolean
  /** Why not, or by what. */
  readonly reason: string
  /** What the settings say for a command that asks for nothing else. */
  readonly byDefault: Confinement
}

/** Runs commands in bounded time and memory, and leaves no process behind. */
export interface ShellPort {
  run(
    request: ShellRequest,
    options: { readonly signal: AbortSignal; readonly onOutput?: (chunk: Uint8Array) => void },
  ): Promise<ShellOutcome>
  /** Starts a command that outlives the call; the id is one of the tasks port. */
  start(request: ShellRequest): Promise<Pick<ShellOutcome, 'ended'> & { readonly taskId: string }>
  confinement(): Promise<ConfinementStatus>
  /** Where commands may stay, the project first: after one that ends elsewhere the next starts in the project. Anywhere if left out. */
  workingFolders?(): readonly string[]
}
