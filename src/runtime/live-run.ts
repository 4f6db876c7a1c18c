import type { ExecutionHost, StepTimer } from '../calls/call-environment.js'
import { CallRun } from '../calls/call-run.js'
import type { CancelReason } from '../calls/cancellation.js'
import type { ToolEvent } from '../contract/events.js'
import type { RunOptions, RunStop } from '../contract/runtime.js'
import { hardLinkName, identifyPath } from '../ports/identify-path.js'
import type { Agent } from './agent.js'
import type { EndingRun } from './live-runs.js'
import { type CallTrace, otelTracer } from './otel-tracer.js'

/** The calls of one message of an agent, from its first to the answer of its last. */
export class LiveRun implements EndingRun {
  readonly run: CallRun
  readonly #agent: Agent
  readonly #signal: AbortSignal | undefined
  readonly #trace: CallTrace | undefined
  readonly #stopsBefore: number
  #stop: (() => void) | undefined
  #stopped: RunStop | undefined

  constructor(
    agent: Agent,
    host: Omit<ExecutionHost, 'emit'>,
    { signal, messages, onEvent }: RunOptions,
    onEnd: () => void,
  ) {
    const { options, questions } = agent.shared
    this.#agent = agent
    this.#signal = signal
    this.#stopsBefore = agent.stops
    this.#trace = traceFor(agent)
    this.run = new CallRun({
      host: this.#trace === undefined ? host : { ...host, timer: bothTimers(this.#trace, host.timer) },
      cwd: agent.cwd,
      rule: options.scheduling ?? 'resources',
      identify: identifyPath,
      hardLinkName,
      questions,
      onEvent: (event) => {
        this.#onEvent(event)
        onEvent?.(event)
      },
      onContext: ({ cwd }) => {
        agent.cwd = cwd
      },
      onEnd,
      onStop: (reason) => {
        // A classifier that gave up has been heard already.
        const isHeard = agent.stops > this.#stopsBefore
        this.#stopped ??= { by: isHeard ? 'permissions' : 'hook', reason }
        if (!isHeard) agent.stop(reason)
      },
      ...(options.maxConcurrency !== undefined && { maxConcurrency: options.maxConcurrency }),
      ...(signal !== undefined && { signal }),
      ...(messages !== undefined && { messages }),
    })
  }

  /** Why the conversation is to end after these calls, as far as they have ended. */
  get stopped(): RunStop | undefined {
    return this.#stopped
  }

  /** Watches for the end of a message that is still being spoken; to be asked before its first call is added. */
  watch(): Watched {
    const signal = this.#signal
    let stop = () => {}
    const stopped = new Promise<void>((resolve) => {
      stop = resolve
    })
    this.#stop = stop
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
    return {
      stopped,
      unwatch: () => signal?.removeEventListener('abort', stop),
    }
  }

  isOf(agent: object): boolean {
    return this.#agent.isWithin(agent)
  }

  outcomes(): Promise<unknown> {
    return this.run.outcomes()
  }

  close(reason: CancelReason): void {
    this.run.cancel(reason)
    if (this.#stop === undefined) this.run.end()
    else this.#stop()
  }

  #onEvent(event: ToolEvent): void {
    const agent = this.#agent
    if (event.type === 'permission-decided') agent.state.countDecision(event)
    this.#trace?.onEvent(event)
    agent.emit(event)
    // The call that brought the end has its own answer first.
    if (event.type === 'call-ended' && agent.stops > this.#stopsBefore) {
      this.run.cancel({ type: 'aborted', message: `The run was stopped. ${agent.stopReason}` })
    }
  }
}

export interface Watched {
  /** Settles when no further call is wanted: the caller gave up, or the runtime ends. */
  readonly stopped: Promise<void>
  readonly unwatch: () => void
}

function traceFor({ shared: { options }, catalog }: Agent): CallTrace | undefined {
  if (options.tracer === undefined) return undefined
  return otelTracer(options.tracer, (name) => catalog.find(name)?.isMcp === true)
}

function bothTimers(trace: CallTrace, timer: StepTimer | undefined): StepTimer {
  if (timer === undefined) return trace
  return {
    step(toolUseId, step, startMs, endMs, waitedMs) {
      trace.step(toolUseId, step, startMs, endMs, waitedMs)
      timer.step(toolUseId, step, startMs, endMs, waitedMs)
    },
  }
}
