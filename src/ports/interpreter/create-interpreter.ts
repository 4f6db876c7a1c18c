import { ToolCallError } from '../../contract/errors.js'
import type { CodeLimits, InterpreterPort } from '../../contract/ports/interpreter.js'
import { SupervisedProcesses } from '../../system/processes/supervised-processes.js'
import { InterpreterSession } from './interpreter-session.js'

const DEFAULT_LIMITS: CodeLimits = {
  runMs: 10_000,
  timerMs: 120_000,
  memoryBytes: 128 * 1024 ** 2,
  maxCalls: 1_000,
  callChars: 16 * 1024 ** 2,
  emitChars: 1024 ** 2,
}

/** Each session is a process, so their number is limited. */
const MAX_SESSIONS = 16

export interface ManagedInterpreter extends InterpreterPort {
  /** Ends all sessions. */
  dispose(): Promise<void>
}

/** Creates a port for interpreters, each in a process of its own that is started with its first run. */
export function createInterpreter({
  environment,
}: {
  /** The variables of this process, for the supervisor. The interpreters get none of them. */
  readonly environment: Readonly<Record<string, string | undefined>>
}): ManagedInterpreter {
  const processes = new SupervisedProcesses(environment)
  const sessions = new Map<string, InterpreterSession>()
  let isDisposed = false
  return {
    async run(request) {
      if (isDisposed) throw new ToolCallError('unavailable', 'No code was run: the interpreter is closed.')
      let session = sessions.get(request.session)
      if (session === undefined) {
        if (sessions.size >= MAX_SESSIONS) {
          const message = `No code was run: ${MAX_SESSIONS} agents already have an interpreter. Call the tools directly.`
          throw new ToolCallError('unavailable', message)
        }
        session = new InterpreterSession(processes)
        sessions.set(request.session, session)
      }
      return session.run(request, { ...DEFAULT_LIMITS, ...request.limits })
    },
    async end(id) {
      const session = sessions.get(id)
      sessions.delete(id)
      await session?.end()
    },
    async dispose() {
      isDisposed = true
      await Promise.all([...sessions.values()].map((session) => session.end()))
      await processes.dispose()
    },
  }
}
