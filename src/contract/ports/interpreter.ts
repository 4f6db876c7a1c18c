/**
 * Runs JavaScript in an isolated interpreter: a process of its own, with no access to files, network or other
 * processes. The code can only compute, print, and call the functions of the host.
 */
export interface InterpreterPort {
  /**
   * Runs code in a session. Its variables are kept for the next run of the same session. Starts the interpreter if
   * needed. Rejects only if the interpreter cannot be started or `signal` is aborted.
   */
  run(request: CodeRequest): Promise<CodeOutcome>
  /** Ends a session. Its variables and stored values are lost. */
  end(session: string): Promise<void>
}

/** Code to run. */
export interface CodeRequest {
  /** Sessions do not see each other. */
  readonly session: string
  readonly code: string
  /**
   * JavaScript that prepares a new session, before any other code. It gets a function `host(name, argument)`, which
   * resolves with the data that `onCall` returns, and `emit(name, argument)`, which calls `onEmit` and returns nothing.
   */
  readonly prelude: string
  /** A value for the function that the prelude returned, which is called before each run. */
  readonly setup?: unknown
  /** Answers a call of the code with JSON text. A rejection is thrown in the code, with its `code` and message. */
  onCall(name: string, argument: unknown): Promise<string>
  /** Receives what the code prints. */
  onEmit(name: string, argument: unknown): void
  /** Called when the code waits for calls, and every answer so far has reached it. */
  onIdle?(): void
  readonly limits?: Partial<CodeLimits>
  readonly signal: AbortSignal
}

/** The limits of one run. */
export interface CodeLimits {
  /** The time that the code itself may run. It does not pass while the code waits for calls. */
  readonly runMs: number
  /** The time that the code may wait for timers alone. */
  readonly timerMs: number
  /** The memory of the session. */
  readonly memoryBytes: number
  readonly maxCalls: number
  /** The maximum number of characters in the arguments of all calls. */
  readonly callChars: number
  /** The maximum number of characters of everything that is printed. */
  readonly emitChars: number
}

/** How a run ended. */
export interface CodeOutcome {
  /** Whether this run started a new interpreter, because the last one had to be ended. The earlier variables are lost. */
  readonly wasReset: boolean
  /** The number of characters that were printed beyond the limit and dropped. */
  readonly droppedChars: number
  /** The number of calls that the code did not wait for. The run ended after them. */
  readonly unawaitedCalls: number
  readonly end: CodeEnd
}

/** The reason why a run ended. */
export type CodeEnd =
  /** The value of the last expression, as the prelude formats it; undefined if there is none. */
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'thrown'; readonly name: string; readonly message: string; readonly stack: string }
  /** A limit was reached. If `isStateLost` is set, the interpreter had to be ended. */
  | { readonly type: 'limit'; readonly limit: CodeLimit; readonly isStateLost: boolean }
  /** The code waits for a promise that nothing can settle. */
  | { readonly type: 'stuck' }
  /** The interpreter ended by itself. Its variables are lost. */
  | { readonly type: 'crashed' }

/** The limit that ended a run. */
export type CodeLimit = 'time' | 'timers' | 'memory'
