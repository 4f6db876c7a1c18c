import { unlessAborted } from '../shared/waiting.js'
import type { SupervisedProcesses } from '../system/processes/supervised-processes.js'
import type { HookAnswer } from './answer/hook-answer.js'
import {
  failedReport,
  type HookOutcome,
  type HookReport,
  type HookResult,
  mergeResults,
  NO_OUTCOME,
} from './answer/merge-results.js'
import type { ConfiguredHook, HookConfig } from './config/hook-config.js'
import type { HookEvent } from './config/hook-events.js'
import type { RuleTester } from './create-rule-tester.js'
import type { HookCall, HookPorts } from './run/hook-call.js'
import { buildPayload, type HookFields, type HookSession, serialisePayload, subjectOf } from './run/hook-payload.js'
import { cancelledHook, runHook } from './run/run-hook.js'
import { TimeLimit } from './run/time-limit.js'
import { distinctHooks, meetsConditions } from './select-hooks.js'

export interface HookRunnerOptions {
  readonly config: HookConfig
  /** Asked at each event, because the working folder and the mode change. */
  readonly session: () => HookSession
  /** What hooks find in HAFT_PROJECT_DIR. */
  readonly projectDir: string
  /** The variables that commands inherit. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly ports?: HookPorts
  /** How long hooks that still run at the end are waited for, within their own time limits; 10 s if left out. */
  readonly patienceMs?: number
  /** Told when a hook ends that nobody waited for. */
  readonly onAsyncEnd?: (end: AsyncHookEnd) => void
}

export interface AsyncHookEnd {
  readonly report: HookReport
  /** Too late to decide anything; its context and messages may still be of use. */
  readonly answer: HookAnswer
  readonly toolUseId?: string
}

export interface HookRunOptions {
  /** Ends all hooks of the run that are waited for. */
  readonly signal?: AbortSignal
  /** Tests the `if` of hooks: see `createRuleTester`. Without it every `if` fits. */
  readonly matchesRule?: RuleTester
  /** Further names of the tool: its aliases, and `ruleNamesOf` for a tool of a server that is shown without prefix. */
  readonly names?: readonly string[]
  /** Of the agent that the event is about, where it is not the main one. */
  readonly session?: () => HookSession
  readonly onStart?: (start: HookStart) => void
}

interface StartedRun extends HookRunOptions {
  /** It began after the end of the session. */
  readonly isLate: boolean
}

const PATIENCE_MS = 10_000

/** For the screen, while a hook runs. */
interface HookStart {
  readonly hookEvent: HookEvent
  readonly hook: string
  readonly statusMessage?: string
}

/** The hooks of one session. */
export interface HookRunner {
  /** Whether `run` would have anything to do: cheap enough to ask before every call. */
  hasHooks(event: HookEvent, ...names: readonly string[]): boolean
  /** Runs every hook that fits, side by side, and merges what they say. Does not reject on anything that a hook does. */
  run<E extends HookEvent>(event: E, fields: HookFields<E>, options?: HookRunOptions): Promise<HookOutcome>
  /** Ends every later run before it begins; what still runs is waited for, and ended when that takes too long. */
  dispose(): Promise<void>
}

export function createHookRunner(options: HookRunnerOptions): HookRunner {
  return new Runner(options)
}

class Runner implements HookRunner {
  readonly #options: HookRunnerOptions
  /** Hooks with `once` that have their run or have had it. */
  readonly #spent = new Set<ConfiguredHook>()
  readonly #running = new Map<TimeLimit, Promise<unknown>>()
  /** Of the same, with those whose hooks have yet to be found. */
  readonly #runs = new Set<Promise<unknown>>()
  /** Matchers whose trouble has been reported. */
  readonly #reported = new Set<string>()
  #processes: Promise<SupervisedProcesses> | undefined
  #isEnding = false

  constructor(options: HookRunnerOptions) {
    this.#options = options
  }

  hasHooks(event: HookEvent, ...names: readonly string[]): boolean {
    return this.#options.config[event]?.some((each) => this.#isFor(each, names)) ?? false
  }

  run<E extends HookEvent>(event: E, fields: HookFields<E>, options: HookRunOptions = {}): Promise<HookOutcome> {
    const run = this.#run(event, fields, { ...options, isLate: this.#isEnding })
    this.#runs.add(run)
    const forget = () => this.#runs.delete(run)
    run.then(forget, forget)
    return run
  }

  async #run<E extends HookEvent>(event: E, fields: HookFields<E>, options: StartedRun): Promise<HookOutcome> {
    const subject = subjectOf(event, fields)
    const names = subject === undefined ? [] : [subject, ...(options.names ?? [])]
    const matching = this.#options.config[event]?.filter((each) => this.#isFor(each, names)) ?? []
    if (matching.length === 0) return NO_OUTCOME
    const fitting = await this.#fitting(matching, options)
    const results = await this.#runAll(event, fitting, fields, options)
    const outcome = mergeResults(event, results)
    return { ...outcome, reports: [...this.#matcherTrouble(event, matching), ...outcome.reports] }
  }

  async dispose(): Promise<void> {
    this.#isEnding = true
    const { patienceMs = PATIENCE_MS } = this.#options
    const patience = new TimeLimit(patienceMs)
    await unlessAborted(this.#finished(), patience.signal)
    patience.clear()
    for (const limit of this.#running.keys()) limit.cancel()
    await Promise.all(this.#running.values())
    // Also ends a process that was in the middle of exec, and therefore without its mark, when its hook ended.
    await (await this.#processes)?.dispose()
  }

  async #finished(): Promise<void> {
    while (this.#runs.size + this.#running.size > 0) await Promise.all([...this.#runs, ...this.#running.values()])
  }

  #isFor(each: ConfiguredHook, names: readonly string[]): boolean {
    if (this.#spent.has(each)) return false
    return names.length === 0 || names.some((name) => each.matcher.matches(name))
  }

  async #fitting(
    matching: readonly ConfiguredHook[],
    { matchesRule, signal }: HookRunOptions,
  ): Promise<readonly ConfiguredHook[]> {
    const tested = Promise.all(matching.map(({ conditions }) => meetsConditions(conditions, matchesRule)))
    const fits = signal === undefined ? await tested : (await unlessAborted(tested, signal))?.value
    // Nothing will start any more, so that whatever might have fitted counts as cancelled.
    return fits === undefined ? matching : matching.filter((_, index) => fits[index] === true)
  }

  /** Claims those with `once`; asked again, because another run may have done so meanwhile. */
  #take(fitting: readonly ConfiguredHook[]): readonly ConfiguredHook[] {
    const taken = fitting.filter((each) => !this.#spent.has(each))
    for (const each of taken) if (each.hook.once) this.#spent.add(each)
    return taken
  }

  /** A guard that was called off has not had its run. */
  #giveBack(identity: unknown, taken: readonly ConfiguredHook[]): void {
    for (const each of taken) if (each.identity === identity) this.#spent.delete(each)
  }

  async #runAll(
    event: HookEvent,
    fitting: readonly ConfiguredHook[],
    fields: object,
    { signal, onStart, session = this.#options.session, isLate }: StartedRun,
  ): Promise<readonly HookResult[]> {
    if (isLate || isAborted(signal)) {
      const waited = distinctHooks(fitting).filter(({ hook }) => !hook.async)
      return waited.map((each) => cancelledHook(nameOf(event, each)))
    }
    const payload = buildPayload(event, session(), fields)
    const { projectDir, environment, ports = {} } = this.#options
    const call = {
      payload,
      json: serialisePayload(payload),
      processes: this.#commandProcesses,
      projectDir,
      environment,
      ports,
    }
    const waitedFor: { limit: TimeLimit; result: Promise<HookResult> }[] = []
    const taken = this.#take(fitting)
    for (const each of distinctHooks(taken)) {
      tell(onStart, { ...nameOf(event, each), ...statusOf(each) })
      const started = this.#start(event, each, call)
      started.result.then(({ cancelled }) => cancelled === true && this.#giveBack(each.identity, taken))
      if (each.hook.async) this.#reportLater(started.result, payload.tool_use_id)
      else waitedFor.push(started)
    }
    const cancel = () => {
      for (const { limit } of waitedFor) limit.cancel()
    }
    signal?.addEventListener('abort', cancel, { once: true })
    // Who was told of a start may have called off the run before anybody listened.
    if (isAborted(signal)) cancel()
    try {
      return await Promise.all(waitedFor.map(({ result }) => result))
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  #start(event: HookEvent, each: ConfiguredHook, call: Omit<HookCall, 'signal'>) {
    const limit = new TimeLimit(each.hook.timeoutMs)
    const result = runHook(event, each, call, limit).finally(() => this.#running.delete(limit))
    this.#running.set(limit, result)
    return { limit, result }
  }

  /** Loaded with the first command, because most sessions have no command hooks. */
  readonly #commandProcesses = (): Promise<SupervisedProcesses> => {
    this.#processes ??= import('../system/processes/supervised-processes.js').then(
      ({ SupervisedProcesses }) => new SupervisedProcesses(this.#options.environment),
    )
    return this.#processes
  }

  #reportLater(result: Promise<HookResult>, toolUseId: unknown): void {
    const call = typeof toolUseId === 'string' ? { toolUseId } : {}
    result.then(({ report, answer }) => tell(this.#options.onAsyncEnd, { report, answer, ...call }))
  }

  #matcherTrouble(event: HookEvent, hooks: readonly ConfiguredHook[]): readonly HookReport[] {
    const reports: HookReport[] = []
    for (const { matcher, label } of hooks) {
      if (matcher.problem === undefined || this.#reported.has(matcher.text)) continue
      this.#reported.add(matcher.text)
      reports.push(failedReport({ hookEvent: event, hook: label }, 'failed', matcher.problem))
    }
    return reports
  }
}

/** A function, so that the compiler does not hold an earlier answer for the present one. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}

function nameOf(event: HookEvent, { label }: ConfiguredHook) {
  return { hookEvent: event, hook: label }
}

function statusOf({ hook: { statusMessage } }: ConfiguredHook) {
  return statusMessage === undefined ? {} : { statusMessage }
}

function tell<T>(listener: ((value: T) => void) | undefined, value: T): void {
  try {
    listener?.(value)
  } catch {
    // Who watches hooks must not be able to stop them.
  }
}
