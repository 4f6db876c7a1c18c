import type { StepTimer } from '../calls/call-environment.js'
import { CallRun } from '../calls/call-run.js'
import { type CancelReason, DEFAULT_GRACE_MS } from '../calls/cancellation.js'
import type { ToolEvent } from '../contract/events.js'
import { DEFAULT_MAX_RESULT_SIZE_CHARS } from '../contract/limits.js'
import type { RunOptions } from '../contract/runtime.js'
import { hardLinkName, identifyPath } from '../ports/paths/identify-path.js'
import { isDoneWithin, MAX_TIMER_MS } from '../shared/waiting.js'
import { type Agent, createRootAgent } from './agent.js'
import { createAgentEnvironment } from './agent-environment.js'
import type { HaftRuntime } from './haft-runtime.js'
import type { ToolRuntimeOptions } from './options.js'
import { type CallTrace, createCallTrace } from './otel-tracer.js'
import { permissionContextOf } from './permissions/permission-rules.js'
import { backgroundAgentKind } from './resource-kind.js'

/** Creates a runtime, which runs the tool calls of any model loop. */
export function createToolRuntime(options: ToolRuntimeOptions): HaftRuntime {
  return createAgentRuntime(createRootAgent(options))
}

const SHUT_DOWN: CancelReason = { type: 'aborted', message: 'The runtime was shut down.' }

function createAgentRuntime(agent: Agent): HaftRuntime {
  const { services, catalog, disclosure, permissions, results } = agent
  const { options, openRuns, machine, skills, limiter, mcp } = services
  const { scheduling = {}, conversation = {} } = options
  const prepareResults = results.preparer((name) => maxResultCharsOf(agent, name))
  const trace = createTrace(agent)
  const timer = combineTimers(trace, options.telemetry?.timer)
  const environment = createAgentEnvironment(agent, () => conversation.agentPorts?.(runtime), timer)
  const record = (event: ToolEvent) => {
    if (event.type === 'permission-decided') agent.state.countDecision(event)
    trace?.onEvent(event)
    agent.emit(event)
  }
  const open = ({ signal, messages, onEvent }: RunOptions = {}, keepsEvents = true): CallRun => {
    const { rule = 'resources', maxConcurrency } = scheduling
    const run: CallRun = new CallRun({
      ...{
        environment,
        agent,
        scheduling: rule,
        identifyPath,
        hardLinkName,
        questions: services.questions,
        keepsEvents,
      },
      onEvent(event) {
        record(event)
        onEvent?.(event)
      },
      onSettled: () => openRuns.delete(run),
      ...(maxConcurrency !== undefined && { maxConcurrency }),
      ...(signal !== undefined && { signal }),
      ...(messages !== undefined && { messages }),
    })
    openRuns.add(run)
    if (agent.isOver) run.cancel(SHUT_DOWN)
    return run
  }
  let disposing: Promise<void> | undefined
  const runtime: HaftRuntime = {
    get pool() {
      return catalog.pool
    },
    get permissions() {
      return permissions.context
    },
    get cwd() {
      return agent.cwd
    },
    get stopReason() {
      return agent.stopReason
    },
    get deferral() {
      return disclosure.deferral
    },
    get tasks() {
      return environment.ports().tasks ?? machine.ports.tasks
    },
    agentId: agent.id,
    depth: agent.depth,
    state: agent.state,
    readFiles: agent.knownFiles,
    results,
    hooks: environment.hooks,
    definitions: (endpoint) => disclosure.definitions(endpoint),
    run: (calls, runOptions) => open(runOptions).feed(calls, (outcomes) => results.settle(outcomes)),
    // An open run is not iterable, so nothing could read kept events.
    openRun: (runOptions) => open(runOptions, false).withResults((outcomes) => results.settle(outcomes)),
    open: (runOptions) => open(runOptions),
    expectCall(toolName) {
      const needs = catalog.find(toolName)?.needs ?? []
      // Ports that the host provides prepare themselves.
      if (!agent.isOver) machine.expect(needs.filter((need) => options.ports?.[need] === undefined))
    },
    prepareMessages: async (messages) => disclosure.carry(await prepareResults(messages)),
    load: (names) => disclosure.discover(names),
    restore(messages) {
      disclosure.restore(messages)
      skills.restore(messages)
      agent.forgetShown()
    },
    announce: (messages) => disclosure.announce(messages),
    fallBack: (error) => disclosure.fallBack(error),
    applyUpdates: (updates) => permissions.applyAndReport(updates, services.onProblem),
    setPermissions(rules) {
      const refusal = permissions.replace(permissionContextOf(rules))
      if (refusal !== undefined) throw new Error(refusal)
    },
    limitBackgroundAgents: (work) => limiter.run(backgroundAgentKind(agent.depth), agent.chainId, work),
    mcp: async () => mcp?.open(),
    fork: (forkOptions) => createAgentRuntime(agent.fork(forkOptions)),
    dispose() {
      disposing ??= dispose(agent)
      return disposing
    },
  }
  return runtime
}

/** How much longer than the grace period of a call `dispose` waits. */
const DISPOSE_MARGIN_MS = 1_000

async function dispose(agent: Agent): Promise<void> {
  const { openRuns, options, hooks, machine, mcp } = agent.services
  agent.isDisposed = true
  const waitMs = Math.min((options.scheduling?.graceMs ?? DEFAULT_GRACE_MS) + DISPOSE_MARGIN_MS, MAX_TIMER_MS)
  // Background agents stop first: otherwise they would ask their model how to continue when their calls end.
  const agentsEnd = agent.parent === undefined ? machine.stopAgents() : Promise.resolve()
  await openRuns.close(agent, SHUT_DOWN, waitMs)
  await isDoneWithin(waitMs, agentsEnd)
  if (agent.parent !== undefined) return
  await machine.dispose()
  // After the machine, because hooks report the background work that has just ended; before the servers, because hooks may call them.
  await hooks?.dispose()
  await mcp?.dispose()
  await agent.results.dispose()
}

function maxResultCharsOf({ catalog }: Agent, toolName: string | undefined): number {
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
