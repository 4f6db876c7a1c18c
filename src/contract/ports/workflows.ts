/** Keeps a journal of each run of a workflow, so that an interrupted run can be resumed. */
export interface WorkflowsPort {
  /** Starts the journal of a new run. Rejects with a `ToolCallError` if it cannot be written. */
  create(script: string): Promise<WorkflowJournal>
  /**
   * Opens the journal of an earlier run of the project; `last` is the one that was written last. Rejects with a `ToolCallError`
   * if there is no such run, or if it is still in progress.
   */
  open(runId: string): Promise<WorkflowJournal>
}

/** The journal of one run. No other process can open it until it is closed. */
export interface WorkflowJournal {
  readonly runId: string
  /** What was recorded when the journal was opened, oldest first. */
  readonly records: readonly JournalRecord[]
  /** Resolves when the record is in the file. Records are written in the order of the calls. */
  append(record: JournalRecord): Promise<void>
  close(): Promise<void>
}

/** One line of a journal. */
export type JournalRecord = RunRecorded | RunResumed | StepStarted | StepEnded | RunEnded

/** The first line: what is needed to run the script again in the same way. */
export interface RunRecorded {
  readonly type: 'run'
  readonly script: string
  /** Milliseconds since the epoch. The script sees this time during the whole run. */
  readonly at: number
  /** The start value for random numbers. */
  readonly seed: number
}

/** The run was started again. */
export interface RunResumed {
  readonly type: 'resumed'
  /** The script, if it has changed. */
  readonly script?: string
  /** Failed steps whose recorded outcome does not count any more. */
  readonly repeatedSteps: readonly number[]
}

/** The identity of a step: its number in the order in which the script makes calls, and what it calls. */
export interface StepIdentity {
  readonly step: number
  readonly tool: string
  readonly inputHash: string
  /** The input for people, shortened. */
  readonly summary: string
}

/** The tool of a step is about to run. */
export interface StepStarted extends StepIdentity {
  readonly type: 'started'
  readonly isReadOnly: boolean
}

/** A step has its outcome. The script gets it after this line has been written, in the order of these lines. */
export interface StepEnded extends StepIdentity {
  readonly type: 'ended'
  readonly outcome: StepOutcome
}

/** What the script gets for a step. */
export type StepOutcome =
  /** JSON text. */
  | { readonly type: 'result'; readonly json: string; readonly costUsd?: number }
  | { readonly type: 'failed'; readonly code: string; readonly message: string; readonly data?: unknown }
  /** The run was interrupted while the tool ran. */
  | { readonly type: 'unknown' }

/** The script has ended. */
export interface RunEnded {
  readonly type: 'run-ended'
  readonly hasFailed: boolean
}
