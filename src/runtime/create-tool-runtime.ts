import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { createAssembly } from '../assembly/create-assembly.js'
import { readEnvironment } from '../assembly/read-environment.js'
import { registerTools } from '../assembly/register-tools.js'
import { toolDefinitions } from '../assembly/tool-definitions.js'
import type { ToolEvent } from '../contract/events.js'
import { isDeferredTool } from '../contract/is-deferred-tool.js'
import type { Message, ToolDefinition, ToolUseBlock } from '../contract/messages.js'
import type { PermissionUpdate } from '../contract/permission-result.js'
import type { ToolRun, ToolRuntime } from '../contract/runtime.js'
import type { Tool, Tools } from '../contract/tool.js'
import type { ExecutionHost } from '../execution/execution-host.js'
import { createHookRunner, type HookRunner } from '../hooks/create-hook-runner.js'
import { parseHookConfig } from '../hooks/parse-hook-config.js'
import { FairLimiter } from '../orchestration/fair-limiter.js'
import { CallRun } from '../orchestration/run-calls.js'
import { recordDenial, recordSuccess } from '../permissions/denial-tracking.js'
import { unknownShell } from '../permissions/unknown-shell.js'
import { identifyPath } from '../ports/identify-path.js'
import { nodePathFacts } from '../ports/node-path-facts.js'
import { systemClock } from '../ports/system-clock.js'
import { type AgentState, createAgentState } from './agent-state.js'
import { PermissionState, permissionContextOf } from './permission-state.js'
import { ResultStore } from './result-store.js'
import type { ToolRuntimeOptions } from './runtime-options.js'
import { startRun } from './start-run.js'

const DEFAULT_LIMITS = { shell: 10, agents: 10, mcp: 10 }

/** Everything put together: tools in, a runtime for any model loop out. */
export function createToolRuntime(options: ToolRuntimeOptions): HaftRuntime {
  return new HaftRuntime(options)
}

/** What the agents of one runtime share. */
interface Shared {
  readonly tools: Tools
  readonly hooks: HookRunner | undefined
  readonly limiter: FairLimiter
}

export class HaftRuntime implements ToolRuntime {
  readonly #options: ToolRuntimeOptions
  readonly #shared: Shared
  readonly #permissions: PermissionState
  readonly #state: AgentState
  readonly #results: ResultStore
  readonly #assembly
  readonly #discovered = new Set<string>()
  readonly #host: Omit<ExecutionHost, 'emit'>
  readonly #agentId: string | undefined
  readonly #depth: number
  #cwd: string
  readonly #running = new Set<CallRun>()

  constructor(
    options: ToolRuntimeOptions,
    parent?: {
      shared: Shared
      state: AgentState
      results: ResultStore
      agentId: string
      depth: number
      permissions: PermissionState
    },
  ) {
    this.#options = options
    this.#agentId = parent?.agentId
    this.#depth = parent?.depth ?? 0
    this.#cwd = options.cwd ?? process.cwd()
    const emit = (event: ToolEvent) => options.onEvent?.(event)
    this.#permissions = new PermissionState(
      parent?.permissions.context ?? permissionContextOf(options.permissions),
      emit,
      options.saveUpdates,
    )
    this.#state = parent?.state ?? createAgentState()
    this.#results = parent?.results ?? new ResultStore(options.resultsDirectory)
    this.#shared = parent?.shared ?? this.#share()
    const environment = options.environment ?? readEnvironment(process.env, process.platform).environment
    this.#assembly = createAssembly<Tool>({ baseTools: this.#shared.tools, env: environment })
    this.#host = this.#createHost()
  }

  /** The pool as it is now, in the order it is sent. */
  get pool(): Tools {
    return this.#assembly.assembleToolPool(this.#permissions.context, this.#options.mcpTools?.() ?? NO_TOOLS)
  }

  get permissions() {
    return this.#permissions.context
  }

  get cwd(): string {
    return this.#cwd
  }

  get results(): ResultStore {
    return this.#results
  }

  get state() {
    return this.#state
  }

  async definitions(): Promise<readonly ToolDefinition[]> {
    const { definitions, problems } = await toolDefinitions(this.pool, {
      toolPermissionContext: this.#permissions.context,
      agentDefinitions: this.#options.agentDefinitions ?? NO_AGENTS,
    })
    for (const problem of problems) this.#options.onProblem?.(problem)
    if (!this.#defers) return definitions
    const held = new Set(this.pool.filter((tool) => !this.#isSchemaSent(tool)).map(({ name }) => name))
    return definitions.filter(({ name }) => !held.has(name))
  }

  run(
    calls: Iterable<ToolUseBlock> | AsyncIterable<ToolUseBlock>,
    options: { readonly signal?: AbortSignal; readonly messages?: readonly Message[] } = {},
  ): ToolRun {
    return startRun(this.open(options), calls, this.#results)
  }

  /** A message whose calls come one by one; `run` does the same for calls that are at hand. */
  open({ signal, messages }: { readonly signal?: AbortSignal; readonly messages?: readonly Message[] } = {}): CallRun {
    const run = new CallRun({
      host: this.#host,
      cwd: this.#cwd,
      rule: this.#options.scheduling ?? 'resources',
      identify: identifyPath,
      onContext: ({ cwd }) => {
        this.#cwd = cwd
      },
      onEnd: () => this.#running.delete(run),
      ...(this.#options.onEvent !== undefined && { onEvent: this.#options.onEvent }),
      ...(this.#options.maxConcurrency !== undefined && { maxConcurrency: this.#options.maxConcurrency }),
      ...(signal !== undefined && { signal }),
      ...(messages !== undefined && { messages }),
    })
    this.#running.add(run)
    return run
  }

  /** Makes deferred tools part of every later request. */
  load(names: readonly string[]): void {
    for (const name of names) this.#discovered.add(name)
  }

  applyUpdates(updates: readonly PermissionUpdate[]): Promise<void> {
    return this.#permissions.apply(updates)
  }

  /** The runtime of a sub-agent: the same tools and hooks; its own state, denials, results and permissions from here on. */
  fork({ agentId = randomUUID() }: { readonly agentId?: string } = {}): HaftRuntime {
    return new HaftRuntime(this.#options, {
      shared: this.#shared,
      state: this.#state.fork(),
      results: this.#results.fork(agentId),
      permissions: this.#permissions,
      agentId,
      depth: this.#depth + 1,
    })
  }

  async dispose(): Promise<void> {
    for (const run of this.#running) run.cancel({ type: 'aborted', message: 'The runtime was shut down.' })
    if (this.#depth > 0) return
    await this.#shared.hooks?.dispose()
    await this.#results.dispose()
  }

  #share(): Shared {
    const { tools, onProblem, hooks, limits } = this.#options
    return {
      tools: registerTools(tools, onProblem === undefined ? {} : { onProblem }),
      hooks: hooks === undefined ? undefined : this.#createHooks(hooks),
      limiter: new FairLimiter({ ...DEFAULT_LIMITS, ...limits }),
    }
  }

  #createHooks(settings: unknown): HookRunner {
    const { sessionId = randomUUID(), transcriptPath = '', projectDir, hookPorts, onProblem } = this.#options
    const { config, problems } = parseHookConfig(settings)
    for (const { path, message } of problems) onProblem?.(`hooks.${path}: ${message}`)
    return createHookRunner({
      config,
      projectDir: projectDir ?? this.#cwd,
      environment: process.env,
      session: () => ({
        session_id: sessionId,
        transcript_path: transcriptPath,
        cwd: this.#cwd,
        permission_mode: this.#permissions.context.mode,
      }),
      ...(hookPorts !== undefined && { ports: hookPorts }),
    })
  }

  #createHost(): Omit<ExecutionHost, 'emit'> {
    const { ask, graceMs, timer, decisionPorts, homeDir, projectDir, userRequest } = this.#options
    const { hooks, limiter, tools } = this.#shared
    const chainId = this.#agentId ?? 'main'
    return {
      directory: () => ({ tools: this.pool, absentTools: tools }),
      isSchemaSent: (tool) => this.#isSchemaSent(tool),
      permissions: () => this.#permissions.context,
      decisionPorts: { paths: nodePathFacts(), shell: unknownShell, ...decisionPorts },
      place: { startDir: this.#cwd, projectDir: projectDir ?? this.#cwd, homeDir: homeDir ?? homedir() },
      applyUpdates: (updates) => this.#permissions.apply(updates),
      autoMode: () => ({ userRequest: userRequest?.() ?? '', denials: this.#state.denials }),
      onDecision: (_, { behavior, reason }) => {
        if (reason.type === 'classifier' && behavior === 'deny') this.#state.denials = recordDenial(this.#state.denials)
        else if (behavior === 'allow') this.#state.denials = recordSuccess(this.#state.denials)
      },
      limit: (tool, work) => {
        const kind = resourceKind(tool, this.#depth)
        return kind === undefined ? work() : limiter.run(kind, chainId, work)
      },
      ports: { clock: systemClock, state: this.#state.port, ...this.#options.ports },
      contextOptions: {
        options: {
          ...{
            tools,
            commands: [],
            mainLoopModel: this.#options.model ?? '',
            thinkingConfig: { type: 'disabled' },
            mcpClients: [],
          },
          agentDefinitions: this.#options.agentDefinitions ?? NO_AGENTS,
          ...this.#options.contextOptions,
        },
        queryTracking: { chainId, depth: this.#depth },
        ...(this.#agentId !== undefined && { agentId: this.#agentId }),
      },
      ...(ask !== undefined && { ask }),
      ...(hooks !== undefined && { hooks }),
      ...(graceMs !== undefined && { graceMs }),
      ...(timer !== undefined && { timer }),
    }
  }

  /** Tools are held back only where the model can search for them. */
  get #defers(): boolean {
    return this.pool.some(({ name }) => name === 'ToolSearch')
  }

  #isSchemaSent(tool: Tool): boolean {
    return !isDeferredTool(tool) || this.#discovered.has(tool.name) || !this.#defers
  }
}

const NO_TOOLS: Tools = Object.freeze([])
const NO_AGENTS: readonly [] = Object.freeze([])

/** What a call takes a place of, if of anything; agents wait only for agents of their own depth, or those above would wait for those below for ever. */
function resourceKind(tool: Tool, depth: number): string | undefined {
  if (tool.mcpInfo !== undefined) return `mcp:${tool.mcpInfo.serverName}`
  if (tool.needs?.includes('agents')) return `agents:${depth}`
  return tool.needs?.includes('shell') ? 'shell' : undefined
}
