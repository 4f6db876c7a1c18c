import { waitUnlessAborted } from '../shared/waiting.js'
import type { SupervisedProcesses } from '../system/processes/supervised-processes.js'
import type { HookAnswer } from './answer/hook-answer.js'
import {
  createFailedReport,
  type HookOutcome,
  type HookReport,
  type HookResult,
  mergeResults,
  NO_OUTCOME,
} from './answer/merge-results.js'
import type { ConfiguredHook, HookConfig } from './config/hook-config.js'
import type { HookEvent } from './config/hook-events.js'
import { buildPayload, getSubject, type HookFields, type HookSession, serialisePayload } from './config/hook-payload.js'
import type { RuleTester } from './create-rule-tester.js'
import type { HookCall, HookPorts } from './run/hook-call.js'
import { HookTimeLimit } from './run/hook-time-limit.js'
import { createCancelledResult, runHook } from './run/run-hook.js'
import { meetsConditions, removeDuplicateHooks } from './select-hooks.js'

export interface HookRunnerOptions {
  readonly config: HookConfig
  /** Called for each event, because the working folder and the mode change. */
  readonly session: () => HookSession
  /** The value of HAFT_PROJECT_DIR for hooks. */
  readonly projectDir: string
  /** The environment variables that command hooks inherit. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The value of a variable that an HTTP hook names in `allowedEnvVars`; taken from `environment` by default. */
  readonly headerVariable?: (name: string) => string | undefined
  readonly ports?: HookPorts
  /** How long `dispose` waits for running hooks, within their own time limits; 10 s by default. */
  readonly disposeWaitMs?: number
  /** Called when a hook with `async` has ended. */
  readonly onAsyncEnd?: (end: AsyncHookEnd) => void
  /** Called with all running hooks except asynchronous ones, whenever one starts or ends. */
  readonly onRunning?: ((hooks: readonly RunningHook[]) => void) | undefined
}

export interface AsyncHookEnd {
  readonly report: HookReport
  /** The answer comes too late to decide anything, but its context and messages may still be useful. */
  readonly answer: HookAnswer
  readonly toolUseId?: string
}

export interface HookRunOptions {
  /** Ends all hooks of the run, except those with `async`. */
  readonly signal?: AbortSignal
  /** Tests the `if` of hooks, see `createRuleTester`. Without a tester every `if` matches. */
  readonly matchesRule?: RuleTester
  /**
   * Other names of the tool: its aliases, and `ruleNamesOf` for a tool of an MCP server that is shown without a prefix.
   */
  readonly names?: readonly string[]
  /** The session of the agent that caused the event, if it is not the main agent. */
  readonly session?: () => HookSession
}

interface StartedRun extends HookRunOptions {
  /** Whether the run began after `dispose` was called. */
  readonly isLate: boolean
}

const DEFAULT_DISPOSE_WAIT_MS = 10_000

/** Shown to the user while a hook runs. */
export interface RunningHook {
  readonly hookEvent: HookEvent
  readonly hook: string
  readonly statusMessage?: string
}

/** Runs the hooks of one session. */
export interface HookRunner {
  /** Whether `run` may run a hook; conditions are not tested. Cheap enough to call before every tool call. */
  hasHooks(event: HookEvent, ...names: readonly string[]): boolean
  /** Returns the matchers of an event as they are written in the settings. */
  listMatchers(event: HookEvent): readonly string[]
  /** Runs all matching hooks in parallel and merges their answers. Never rejects because of a hook. */
  run<E extends HookEvent>(event: E, fields: HookFields<E>, options?: HookRunOptions): Promise<HookOutcome>
  /** Cancels all later runs, waits for running hooks, and ends hooks that take too long. */
  dispose(): Promise<void>
}

export function createHookRunner(options: HookRunnerOptions): HookRunner {
  return new Runner(options)
}

class Runner implements HookRunner {
  readonly #options: HookRunnerOptions
  /** Hooks with `once` that are running or have run. */
  readonly #usedOnceHooks = new Set<ConfiguredHook>()
  readonly #running = new Map<HookTimeLimit, Promise<unknown>>()
  /** Running hooks without `async`, which `onRunning` receives. */
  readonly #shownHooks = new Set<RunningHook>()
  /** All runs, including those that still evaluate the conditions of their hooks. */
  readonly #runs = new Set<Promise<unknown>>()
  /** Matchers whose problem was reported. */
  readonly #reportedMatchers = new Set<string>()
  #processes: Promise<SupervisedProcesses> | undefined
  #isEnding = false

  constructor(options: HookRunnerOptions) {
    this.#options = options
  }

  hasHooks(event: HookEvent, ...names: readonly string[]): boolean {
    return this.#options.config[event]?.some((configuredHook) => this.#matchesAnyName(configuredHook, names)) ?? false
  }

  listMatchers(event: HookEvent): readonly string[] {
    return this.#options.config[event]?.map(({ matcher }) => matcher.text) ?? []
  }

  run<E extends HookEvent>(event: E, fields: HookFields<E>, options: HookRunOptions = {}): Promise<HookOutcome> {
    const run = this.#run(event, fields, { ...options, isLate: this.#isEnding })
    this.#runs.add(run)
    const forget = () => this.#runs.delete(run)
    run.then(forget, forget)
    return run
  }

  async #run<E extends HookEvent>(event: E, fields: HookFields<E>, options: StartedRun): Promise<HookOutcome> {
    const subject = getSubject(event, fields)
    const names = subject === undefined ? [] : [subject, ...(options.names ?? [])]
    const matchingHooks =
      this.#options.config[event]?.filter((configuredHook) => this.#matchesAnyName(configuredHook, names)) ?? []
    if (matchingHooks.length === 0) return NO_OUTCOME
    const hooksToRun = await this.#filterByConditions(matchingHooks, options)
    const results = await this.#runAll(event, hooksToRun, fields, options)
    const outcome = mergeResults(event, results)
    return { ...outcome, reports: [...this.#reportMatcherProblems(event, matchingHooks), ...outcome.reports] }
  }

  async dispose(): Promise<void> {
    this.#isEnding = true
    const { disposeWaitMs = DEFAULT_DISPOSE_WAIT_MS } = this.#options
    const deadline = new HookTimeLimit(disposeWaitMs)
    await waitUnlessAborted(this.#waitForAll(), deadline.signal)
    deadline.clear()
    for (const limit of this.#running.keys()) limit.cancel()
    await Promise.all(this.#running.values())
    // Also ends a process that was in the middle of exec, and therefore without its mark, when its hook ended.
    await (await this.#processes)?.dispose()
  }

  async #waitForAll(): Promise<void> {
    while (this.#runs.size + this.#running.size > 0) await Promise.all([...this.#runs, ...this.#running.values()])
  }

  #matchesAnyName(configuredHook: ConfiguredHook, names: readonly string[]): boolean {
    if (this.#usedOnceHooks.has(configuredHook)) return false
    return names.length === 0 || names.some((name) => configuredHook.matcher.matches(name))
  }

  async #filterByConditions(
    matchingHooks: readonly ConfiguredHook[],
    { matchesRule, signal }: HookRunOptions,
  ): Promise<readonly ConfiguredHook[]> {
    const conditionResults = Promise.all(
      matchingHooks.map(({ conditions }) => meetsConditions(conditions, matchesRule)),
    )
    const areConditionsMet =
      signal === undefined ? await conditionResults : (await waitUnlessAborted(conditionResults, signal))?.value
    // Aborted: no hook starts, so every hook that might have matched counts as cancelled.
    return areConditionsMet === undefined
      ? matchingHooks
      : matchingHooks.filter((_, index) => areConditionsMet[index] === true)
  }

  /** Reserves hooks with `once`, and leaves out those that another run has reserved. */
  #reserve(hooksToRun: readonly ConfiguredHook[]): readonly ConfiguredHook[] {
    const reservedHooks = hooksToRun.filter((configuredHook) => !this.#usedOnceHooks.has(configuredHook))
    for (const configuredHook of reservedHooks) if (configuredHook.hook.once) this.#usedOnceHooks.add(configuredHook)
    return reservedHooks
  }

  /** Lets a hook with `once` run again, because its run was cancelled. */
  #releaseOnce(identity: unknown, reservedHooks: readonly ConfiguredHook[]): void {
    for (const configuredHook of reservedHooks)
      if (configuredHook.identity === identity) this.#usedOnceHooks.delete(configuredHook)
  }

  async #runAll(
    event: HookEvent,
    hooksToRun: readonly ConfiguredHook[],
    fields: object,
    { signal, session = this.#options.session, isLate }: StartedRun,
  ): Promise<readonly HookResult[]> {
    if (isLate || isAborted(signal)) {
      const skippedHooks = removeDuplicateHooks(hooksToRun).filter(({ hook }) => !hook.async)
      return skippedHooks.map((configuredHook) => createCancelledResult(createHookName(event, configuredHook)))
    }
    const payload = buildPayload(event, session(), fields)
    const { projectDir, environment, ports = {} } = this.#options
    const { headerVariable = (name: string) => environment[name] } = this.#options
    const call = {
      payload,
      json: serialisePayload(payload),
      processes: this.#getCommandProcesses,
      projectDir,
      environment,
      headerVariable,
      ports,
    }
    const awaitedHooks: { limit: HookTimeLimit; result: Promise<HookResult> }[] = []
    const reservedHooks = this.#reserve(hooksToRun)
    for (const configuredHook of removeDuplicateHooks(reservedHooks)) {
      const startedHook = this.#start(event, configuredHook, call)
      startedHook.result.then(
        ({ cancelled }) => cancelled === true && this.#releaseOnce(configuredHook.identity, reservedHooks),
      )
      if (configuredHook.hook.async) this.#reportLater(startedHook.result, payload.tool_use_id)
      else {
        awaitedHooks.push(startedHook)
        this.#show(
          { ...createHookName(event, configuredHook), ...createStatusField(configuredHook) },
          startedHook.result,
        )
      }
    }
    const cancel = () => {
      for (const { limit } of awaitedHooks) limit.cancel()
    }
    signal?.addEventListener('abort', cancel, { once: true })
    // The `onRunning` listener may have aborted the run before this listener was added.
    if (isAborted(signal)) cancel()
    try {
      return await Promise.all(awaitedHooks.map(({ result }) => result))
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  #show(hook: RunningHook, result: Promise<HookResult>): void {
    const report = () => notify(this.#options.onRunning, [...this.#shownHooks])
    this.#shownHooks.add(hook)
    report()
    void result.finally(() => {
      this.#shownHooks.delete(hook)
      report()
    })
  }

  #start(event: HookEvent, configuredHook: ConfiguredHook, call: Omit<HookCall, 'signal'>) {
    const limit = new HookTimeLimit(configuredHook.hook.timeoutMs)
    const result = runHook(event, configuredHook, call, limit).finally(() => this.#running.delete(limit))
    this.#running.set(limit, result)
    return { limit, result }
  }

  /** Loaded with the first command, because most sessions have no command hooks. */
  readonly #getCommandProcesses = (): Promise<SupervisedProcesses> => {
    this.#processes ??= import('../system/processes/supervised-processes.js').then(
      ({ SupervisedProcesses }) => new SupervisedProcesses(this.#options.environment),
    )
    return this.#processes
  }

  #reportLater(result: Promise<HookResult>, toolUseId: unknown): void {
    const call = typeof toolUseId === 'string' ? { toolUseId } : {}
    result.then(({ report, answer }) => notify(this.#options.onAsyncEnd, { report, answer, ...call }))
  }

  #reportMatcherProblems(event: HookEvent, hooks: readonly ConfiguredHook[]): readonly HookReport[] {
    const reports: HookReport[] = []
    for (const { matcher, label } of hooks) {
      if (matcher.problem === undefined || this.#reportedMatchers.has(matcher.text)) continue
      this.#reportedMatchers.add(matcher.text)
      reports.push(createFailedReport({ hookEvent: event, hook: label }, 'failed', matcher.problem))
    }
    return reports
  }
}

/** Whether the signal is aborted. A function, because the compiler would otherwise narrow the type to the earlier value. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}

function createHookName(event: HookEvent, { label }: ConfiguredHook) {
  return { hookEvent: event, hook: label }
}

function createStatusField({ hook: { statusMessage } }: ConfiguredHook) {
  return statusMessage === undefined ? {} : { statusMessage }
}

function notify<T>(listener: ((value: T) => void) | undefined, value: T): void {
  try {
    listener?.(value)
  } catch {
    // A failing listener must not stop the hooks.
  }
}
