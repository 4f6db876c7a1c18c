import type { AskPort } from '../../contract/ports/ask.js'
import type { SchedulePort } from '../../contract/ports/schedule.js'
import type { ToolRuntimeOptions } from '../../runtime/options.js'
import type { QueryEnd, SessionEvent } from '../../session/conversation/session-event.js'
import type { RunSpec } from '../runs/run-spec.js'
import type { Spent } from '../runs/run-usage.js'

/** What the session of a run needs from the fleet. */
interface RunSessionOptions {
  readonly runId: string
  readonly spec: RunSpec
  /** The working folder. */
  readonly cwd: string
  /** The folder for the transcript, instead of the home of the user. */
  readonly sessionHome: string
  readonly isResumed: boolean
  /** Receives every line of the transcript. */
  readonly onLine: (line: string, agentId: string | undefined) => void
  /** A tool runs only after this. */
  readonly waitUntilRecorded: () => Promise<void>
  /** Schedules of the tenant, instead of those of the machine. */
  readonly schedule: SchedulePort
  /** Undefined if nobody answers questions. */
  readonly user: { readonly ask: NonNullable<ToolRuntimeOptions['ask']>; readonly askPort: AskPort } | undefined
  readonly log: (line: string) => void
}

/** The session of a run, opened with the settings and keys of the worker. */
export interface RunSession {
  /** The answer if the resumed conversation is complete, so that the model need not be asked again. */
  readonly finishedAnswer: string | undefined
  /** What was used in this process, including sub-agents. */
  readonly spent: Spent
  /** Tells the model something before its next answer. */
  addNotice(text: string): void
  /** Runs the prompt, or continues without one. */
  ask(
    prompt: string | undefined,
    options: { readonly signal: AbortSignal; readonly onEvent: (event: SessionEvent) => unknown },
  ): Promise<QueryEnd>
  dispose(): Promise<void>
}

export type OpenRunSession = (options: RunSessionOptions) => Promise<RunSession>
