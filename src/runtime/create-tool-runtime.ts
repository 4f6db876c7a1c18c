import type { StepTimer } from '../calls/call-environment.js'
import { CallRun } from '../calls/call-run.js'
import { type CancelReason, DEFAULT_GRACE_MS } from '../calls/cancellation.js'
import type { CallSource } from '../calls/feed-calls.js'
import { getBackgroundAgentKind } from '../calls/schedule/fair-limiter.js'
import { loadAnalyser } from '../calls/steps/analyse-command.js'
import type { ToolEvent } from '../contract/events.js'
import { DEFAULT_MAX_RESULT_SIZE_CHARS } from '../contract/limits.js'
import type { AttachmentMessage, Message, ToolDefinition } from '../contract/messages.js'
import type { ModelEndpoint } from '../contract/model/model.js'
import type { ToolPermissionContext } from '../contract/permission/context.js'
import type { PermissionUpdate } from '../contract/permission/result.js'
import type { LspServerStatus } from '../contract/ports/lsp.js'
import type { ReadFileState } from '../contract/ports/read-file-state.js'
import type { TaskBoardPort } from '../contract/ports/task-board.js'
import type { TasksPort } from '../contract/ports/tasks.js'
import type { TeamsPort } from '../contract/ports/teams.js'
import type { SessionWorktree } from '../contract/ports/worktrees.js'
import type { ForkOptions, OpenRun, RunOptions, StartedRun } from '../contract/runtime.js'
import { getCapabilities } from '../contract/tool/capabilities.js'
import type { McpClientState } from '../contract/tool/context.js'
import type { Tools } from '../contract/tool/tool.js'
import { isInterruptible } from '../contract/tool/traits.js'
import type { HookRunner } from '../hooks/create-hook-runner.js'
import type { McpServers } from '../mcp/manager/create-mcp-servers.js'
import { findHardLinkName, identifyPath } from '../ports/paths/node-path-facts.js'
import { isDoneWithin, MAX_TIMER_MS } from '../shared/waiting.js'
import { type Agent, createRootAgent } from './agent.js'
import { AgentEnvironment } from './agent-environment.js'
import type { AgentState, HaftRuntime } from './haft-runtime.js'
import type { ToolRuntimeOptions } from './options.js'
import { type CallTrace, createCallTrace } from './otel-tracer.js'
import { type PermissionRules, toPermissionContext } from './permissions/permission-rules.js'
import type { AppliedUpdates } from './permissions/permission-state.js'
import type { ResultStore } from './result-store.js'
import type { Deferral } from './tools/tool-disclosure.js'

/** Creates a runtime, which runs the tool calls of any model loop. */
export function createToolRuntime(options: ToolRuntimeOptions): HaftRuntime {
  return new AgentBoundRuntime(createRootAgent(options))
}

const SHUT_DOWN_REASON: CancelReason = { type: 'aborted', message: 'The runtime was shut down.' }

/** The runtime of one agent. */
class AgentBoundRuntime implements HaftRuntime {
  readonly agentId: string | undefined
  readonly depth: number
  readonly state: AgentState
  readonly results: ResultStore
  readonly hooks: HookRunner | undefined
  readonly #agent: Agent
  readonly #trace: CallTrace | undefined
  readonly #queuedNames = new Map<string, string>()
  readonly #environment: AgentEnvironment
  readonly #prepareResults: ReturnType<ResultStore['createPreparer']>
  #disposing: Promise<void> | undefined

  constructor(agent: Agent) {
    const { conversation = {}, telemetry } = agent.services.options
    this.#agent = agent
    this.#trace = createTrace(agent)
    const timer = combineTimers(this.#trace, telemetry?.timer)
    this.#environment = new AgentEnvironment(agent, () => conversation.agentPorts?.(this), timer)
    this.#prepareResults = agent.results.createPreparer((name) => getMaxResultChars(agent, name))
    this.agentId = agent.id
    this.depth = agent.depth
    this.state = agent.state
    this.results = agent.results
    this.hooks = this.#environment.hooks
  }

  get pool(): Tools {
    return this.#agent.catalog.pool
  }

  get nestedPool(): Tools {
    return this.#agent.catalog.nestedPool
  }

  get permissions(): ToolPermissionContext {
    return this.#agent.permissions.context
  }

  get cwd(): string {
    return this.#agent.cwd
  }

  get stopReason(): string | undefined {
    return this.#agent.stopReason
  }

  get deferral(): Deferral {
    return this.#agent.disclosure.deferral
  }

  get taskBoard(): TaskBoardPort | undefined {
    return this.#environment.ports().taskBoard
  }

  get teams(): TeamsPort | undefined {
    return this.#environment.ports().teams
  }

  get readFiles(): ReadFileState | undefined {
    return this.#agent.knownFiles
  }

  get worktree(): SessionWorktree | undefined {
    return this.#environment.worktrees.current
  }

  get tasks(): TasksPort {
    return this.#environment.ports().tasks ?? this.#agent.services.machine.ports.tasks
  }

  // Fields with arrow functions, so that callers can detach them from the object.

  readonly languageServers = async (): Promise<readonly LspServerStatus[]> => {
    return (await this.#environment.ports().lsp?.status()) ?? []
  }

  readonly definitions = (endpoint?: ModelEndpoint): Promise<readonly ToolDefinition[]> => {
    return this.#agent.disclosure.definitions(endpoint)
  }

  readonly run = (calls: CallSource, options?: RunOptions): StartedRun => {
    return this.#open(options, true).feed(calls, (outcomes) => this.results.settle(outcomes))
  }

  readonly openRun = (options?: RunOptions): OpenRun => {
    // An open run is not iterable, so nothing could read kept events.
    return this.#open(options, false).withResults((outcomes) => this.results.settle(outcomes))
  }

  readonly open = (options?: RunOptions): CallRun => {
    return this.#open(options, true)
  }

  readonly expectCall = (toolName: string): void => {
    const { catalog, services, isOver } = this.#agent
    const tool = catalog.find(toolName)
    if (isOver || tool === undefined) return
    // Ports that the host provides prepare themselves.
    services.machine.expect((tool.needs ?? []).filter((need) => services.options.ports?.[need] === undefined))
    // After the ports, whose processes start in parallel. A failure is reported by the call.
    if (getCapabilities(tool).runsCommandLines) setImmediate(() => loadAnalyser().catch(() => undefined))
  }

  readonly prepareMessages = async (messages: readonly Message[]): Promise<readonly Message[]> => {
    return this.#agent.disclosure.carry(await this.#prepareResults(messages))
  }

  readonly load = (names: readonly string[]): void => {
    this.#agent.disclosure.discover(names)
  }

  readonly restore = (messages: readonly Message[]): void => {
    const { disclosure, services } = this.#agent
    disclosure.restore(messages)
    services.skills.restore(messages)
    this.#agent.forgetShown()
  }

  readonly announce = (messages: readonly Message[]): Promise<AttachmentMessage | undefined> => {
    return this.#agent.disclosure.announce(messages)
  }

  readonly fallBack = (error: unknown): boolean => {
    return this.#agent.disclosure.fallBack(error)
  }

  readonly applyUpdates = (updates: readonly PermissionUpdate[]): Promise<AppliedUpdates> => {
    return this.#environment.applyUpdates(updates)
  }

  readonly setPermissions = (rules: PermissionRules | ToolPermissionContext): void => {
    const refusal = this.#agent.permissions.replace(toPermissionContext(rules))
    if (refusal !== undefined) throw new Error(refusal)
  }

  readonly limitBackgroundAgents = <T>(work: () => Promise<T>): Promise<T> => {
    const { services, depth, chainId } = this.#agent
    return services.limiter.run(getBackgroundAgentKind(depth), chainId, work)
  }

  readonly reenterWorktree = (name: string): Promise<void> => {
    return this.#environment.worktrees.reenter(name)
  }

  readonly mcpClients = (): readonly McpClientState[] => this.#agent.services.mcp?.states() ?? []

  readonly mcp = async (): Promise<McpServers | undefined> => {
    return this.#agent.services.mcp?.open()
  }

  readonly fork = (options?: ForkOptions): HaftRuntime => {
    return new AgentBoundRuntime(this.#agent.fork(options))
  }

  readonly dispose = (): Promise<void> => {
    this.#disposing ??= dispose(this.#agent)
    return this.#disposing
  }

  #open({ signal, messages, onEvent }: RunOptions = {}, keepsEvents: boolean): CallRun {
    const agent = this.#agent
    const { options, openRuns, questionLock, caseProbe } = agent.services
    const { rule = 'resources', maxConcurrency } = options.scheduling ?? {}
    const run = new CallRun({
      ...{
        environment: this.#environment,
        agent,
        scheduling: rule,
        identifyPath: (path: string) => identifyPath(path, caseProbe),
        hardLinkName: findHardLinkName,
        questionLock,
        openRuns,
        keepsEvents,
      },
      onEvent: (event) => {
        this.#record(event)
        onEvent?.(event)
      },
      ...(maxConcurrency !== undefined && { maxConcurrency }),
      ...(signal !== undefined && { signal }),
      ...(messages !== undefined && { messages }),
    })
    if (agent.isOver) run.cancel(SHUT_DOWN_REASON)
    return run
  }

  /** Whether the host has a state port that wants to know which calls run. */
  get #showsRunningCalls(): boolean {
    return this.#agent.services.options.ports?.state !== undefined && this.#agent.id === undefined
  }

  #showRunningCall(event: ToolEvent): void {
    if (event.type === 'call-queued') this.#queuedNames.set(event.toolUseId, event.toolName)
    else if (event.type === 'call-started') {
      const tool = this.#agent.catalog.find(this.#queuedNames.get(event.toolUseId) ?? '')
      this.state.beginCall(event.toolUseId, tool !== undefined && isInterruptible(tool))
    } else if (event.type === 'call-ended') {
      this.#queuedNames.delete(event.toolUseId)
      this.state.endCall(event.toolUseId)
    }
  }

  #record(event: ToolEvent): void {
    if (event.type === 'permission-decided') this.state.recordDecision(event)
    else if (this.#showsRunningCalls) this.#showRunningCall(event)
    this.#trace?.onEvent(event)
    this.#agent.emit(event)
  }
}

/** How much longer than the grace period of a call `dispose` waits. */
const DISPOSE_MARGIN_MS = 1_000

async function dispose(agent: Agent): Promise<void> {
  const { openRuns, options, hooks, machine, mcp } = agent.services
  agent.isDisposed = true
  const waitMs = Math.min((options.scheduling?.graceMs ?? DEFAULT_GRACE_MS) + DISPOSE_MARGIN_MS, MAX_TIMER_MS)
  // Background agents stop first: otherwise they would ask their model how to continue when their calls end.
  const agentsStopped = agent.parent === undefined ? machine.stopAgents() : Promise.resolve()
  const runsToClose = [...openRuns].filter((run) => run.belongsTo(agent))
  for (const run of runsToClose) run.close(SHUT_DOWN_REASON)
  await isDoneWithin(waitMs, Promise.allSettled(runsToClose.map((run) => run.waitUntilSettled())))
  await isDoneWithin(waitMs, agentsStopped)
  if (agent.parent !== undefined) {
    await machine.endInterpreter(agent.chainId)
    return
  }
  await machine.dispose()
  // After the machine, because hooks report the background work that has just ended; before the servers, because hooks may call them.
  await hooks?.dispose()
  await mcp?.dispose()
  await agent.results.dispose()
}

function getMaxResultChars({ catalog }: Agent, toolName: string | undefined): number {
  const tool = toolName === undefined ? undefined : catalog.find(toolName)
  return tool?.maxResultSizeChars ?? DEFAULT_MAX_RESULT_SIZE_CHARS
}

function createTrace({ services: { options }, catalog }: Agent): CallTrace | undefined {
  const { tracer } = options.telemetry ?? {}
  return tracer && createCallTrace(tracer, (name) => catalog.find(name)?.isMcp === true)
}

function combineTimers(first: StepTimer | undefined, second: StepTimer | undefined): StepTimer | undefined {
  if (first === undefined || second === undefined) return first ?? second
  return {
    step(...measurement) {
      first.step(...measurement)
      second.step(...measurement)
    },
  }
}
