import { setTimeout as sleep } from 'node:timers/promises'
import type { CallEnvironment, StepTimer } from '../calls/call-environment.js'
import { CallRun } from '../calls/call-run.js'
import { type CancelReason, DEFAULT_GRACE_MS, MAX_TIMER_MS } from '../calls/cancellation.js'
import type { ToolEvent } from '../contract/events.js'
import { DEFAULT_MAX_RESULT_SIZE_CHARS } from '../contract/limits.js'
import type { RunOptions } from '../contract/runtime.js'
import { hardLinkName, identifyPath } from '../ports/paths/identify-path.js'
import { type Agent, createRootAgent } from './agent.js'
import { applyReported, createHost } from './create-host.js'
import type { HaftRuntime } from './haft-runtime.js'
import { type CallTrace, otelTracer } from './otel-tracer.js'
import { permissionContextOf } from './permission-rules.js'
import { backgroundAgents } from './resource-kind.js'
import type { ToolRuntimeOptions } from './runtime-options.js'

/** Everything put together: tools in, a runtime for any model loop out. */
export function createToolRuntime(options: ToolRuntimeOptions): HaftRuntime {
  return runtimeOf(createRootAgent(options))
}

const SHUT_DOWN: CancelReason = { type: 'aborted', message: 'The runtime was shut down.' }

/** What the loop of one agent holds in its hand. */
function runtimeOf(agent: Agent): HaftRuntime {
  const { shared, catalog, disclosure, permissions, results } = agent
  const prepareResults = results.preparer((name) => maxCharsOf(agent, name))
  const { openRuns } = shared
  const host = createHost(agent, () => runtime)
  const trace = traceFor(agent)
  const environment = trace === undefined ? host : withTimer(host, trace)
  const record = (event: ToolEvent) => {
    if (event.type === 'permission-decided') agent.state.countDecision(event)
    trace?.onEvent(event)
    agent.emit(event)
  }
  const open = ({ signal, messages, onEvent }: RunOptions = {}): CallRun => {
    const { scheduling = 'resources', maxConcurrency } = shared.options
    const run: CallRun = new CallRun({
      ...{ environment, agent, scheduling, identifyPath, hardLinkName, questions: shared.questions },
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
    if (isOver(agent)) run.cancel(SHUT_DOWN)
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
    agentId: agent.id,
    depth: agent.depth,
    state: agent.state,
    readFiles: agent.knownFiles,
    results,
    hooks: host.hooks,
    get tasks() {
      return host.ports.tasks ?? shared.machine.ports.tasks
    },
    limitBackgroundAgents: (work) => shared.limiter.run(backgroundAgents(agent.depth), agent.chainId, work),
    mcp: async () => shared.mcp?.open(),
    definitions: (endpoint) => disclosure.definitions(endpoint),
    run: (calls, options) => open(options).feed(calls, (outcomes) => results.settle(outcomes)),
    openRun: (options) => open(options).withResults((outcomes) => results.settle(outcomes)),
    open,
    expectCall(toolName) {
      const needs = catalog.find(toolName)?.needs ?? []
      // What the host brings in place of this machine's is its own affair.
      if (!isOver(agent)) shared.machine.expect(needs.filter((need) => shared.options.ports?.[need] === undefined))
    },
    prepareMessages: async (messages) => disclosure.carry(await prepareResults(messages)),
    load: (names) => disclosure.discover(names),
    restore(messages) {
      disclosure.restore(messages)
      shared.skills.restore(messages)
      agent.forgetShown()
    },
    announce: (messages) => disclosure.announce(messages),
    fallBack: (error) => disclosure.fallBack(error),
    get deferral() {
      return disclosure.deferral
    },
    applyUpdates: (updates) => applyReported(agent, updates),
    setPermissions(given) {
      const refusal = permissions.replace(permissionContextOf(given))
      if (refusal !== undefined) throw new Error(refusal)
    },
    fork: (options) => runtimeOf(agent.fork(options)),
    dispose() {
      disposing ??= dispose(agent)
      return disposing
    },
  }
  return runtime
}

/** How much longer than a call's own grace period the end may take. */
const PATIENCE_MS = 1_000

async function dispose(agent: Agent): Promise<void> {
  const { openRuns, options, hooks, machine, mcp } = agent.shared
  agent.isDisposed = true
  const waitMs = Math.min((options.graceMs ?? DEFAULT_GRACE_MS) + PATIENCE_MS, MAX_TIMER_MS)
  // Told first: an agent whose calls end would only ask its model what to do next.
  const agentsEnd = agent.parent === undefined ? machine.stopAgents() : undefined
  await openRuns.close(agent, SHUT_DOWN, waitMs)
  await atMost(waitMs, agentsEnd)
  if (agent.parent !== undefined) return
  await machine.dispose()
  // They are told of the background work that has ended just now, and may call servers.
  await hooks?.dispose()
  await mcp?.dispose()
  await agent.results.dispose()
}

/** Waits no longer than it is told to: what hangs must not hold up the end. */
async function atMost(waitMs: number, end: Promise<void> | undefined): Promise<void> {
  const over = new AbortController()
  const patience = sleep(waitMs, undefined, { signal: over.signal }).catch(() => undefined)
  await Promise.race([end, patience])
  over.abort()
}

/** A sub-agent does not outlive those above it. */
function isOver({ isDisposed, parent }: Agent): boolean {
  return isDisposed || (parent !== undefined && isOver(parent))
}

function maxCharsOf({ catalog }: Agent, toolName: string | undefined): number {
  const tool = toolName === undefined ? undefined : catalog.find(toolName)
  return tool?.maxResultSizeChars ?? DEFAULT_MAX_RESULT_SIZE_CHARS
}

function traceFor({ shared: { options }, catalog }: Agent): CallTrace | undefined {
  if (options.tracer === undefined) return undefined
  return otelTracer(options.tracer, (name) => catalog.find(name)?.isMcp === true)
}

/** The environment with the trace as its timer, beside the host's own timer. */
function withTimer(environment: CallEnvironment, trace: CallTrace): CallEnvironment {
  const { timer } = environment
  return Object.create(environment, { timer: { value: timer === undefined ? trace : bothTimers(trace, timer) } })
}

function bothTimers(first: StepTimer, second: StepTimer): StepTimer {
  return {
    step(...measured) {
      first.step(...measured)
      second.step(...measured)
    },
  }
}
