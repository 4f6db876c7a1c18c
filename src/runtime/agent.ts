import { randomUUID } from 'node:crypto'
import { join, resolve } from 'node:path'
import type { CallingAgent } from '../calls/call-environment.js'
import type { ToolEvent } from '../contract/events.js'
import type { Message } from '../contract/messages.js'
import type { ToolPermissionContext } from '../contract/permission/context.js'
import type { FilesPort } from '../contract/ports/files.js'
import type { ReadFileState } from '../contract/ports/read-file-state.js'
import type { ForkOptions, IsolatedFolder } from '../contract/runtime.js'
import { findToolByName } from '../contract/tool/identity.js'
import { RULE_FAMILIES } from '../contract/tool/rule-names.js'
import type { Tools } from '../contract/tool/tool.js'
import type { HookSession } from '../hooks/run/hook-payload.js'
import { writtenDirectories } from '../permissions/paths/working-directories.js'
import { Spill } from '../results/spill.js'
import { type AgentState, createAgentState } from './agent-state.js'
import { hooksOfAgent } from './create-hooks.js'
import { isolatedContext, isolatedPlace } from './isolated-place.js'
import type { FilePortsOptions } from './machine/file-ports.js'
import { createMachinePorts } from './machine/machine-ports.js'
import { createMcp } from './mcp/create-mcp.js'
import { obeyRules } from './mcp/obey-rules.js'
import { outsideTools } from './mcp/outside-tools.js'
import type { RuntimeMcp } from './mcp/runtime-mcp.js'
import { modeRefusal } from './mode-refusal.js'
import { type OfferTools, offeredInTurn, offeredTools, suppliedTools } from './offered-tools.js'
import { permissionContextOf } from './permission-rules.js'
import { type PermissionLimits, PermissionState } from './permission-state.js'
import { ResultStore } from './result-store.js'
import type { EventSource, ToolRuntimeOptions } from './runtime-options.js'
import { createSharedParts, type SharedParts } from './shared-parts.js'
import { taskHooks } from './task-hooks.js'
import { ToolCatalog } from './tool-catalog.js'
import { type DisclosureSources, ToolDisclosure } from './tool-disclosure.js'

/** What is an agent's own. */
interface OwnParts {
  readonly id?: string
  readonly parent?: Agent
  readonly cwd: string
  readonly state: AgentState
  readonly permissions: PermissionState
  readonly results: ResultStore
  /** What a sub-agent knows of files; left out, it is the port's own. */
  readonly readFiles?: ReadFileState | undefined
  /** What the conversation begins with. */
  readonly messages?: readonly Message[] | undefined
  readonly name?: string | undefined
  readonly place?: SharedParts['place']
  readonly isolation?: IsolatedFolder | undefined
  readonly offer?: OfferTools | undefined
}

/** One agent: what it shares, what is its own, and what changes while it works. */
export class Agent implements CallingAgent {
  readonly shared: SharedParts
  readonly id: string | undefined
  readonly parent: Agent | undefined
  readonly depth: number
  readonly state: AgentState
  readonly permissions: PermissionState
  readonly results: ResultStore
  readonly catalog: ToolCatalog
  readonly disclosure: ToolDisclosure
  readonly readFiles: ReadFileState | undefined
  /** What kind of agent it is, for a person. */
  readonly name: string | undefined
  readonly place: SharedParts['place']
  /** Set where it works in a copy of the project. */
  readonly isolation: IsolatedFolder | undefined
  readonly offer: OfferTools | undefined
  cwd: string
  stopReason: string | undefined
  stopCount = 0
  isDisposed = false

  constructor(shared: SharedParts, own: OwnParts) {
    this.shared = shared
    this.id = own.id
    this.parent = own.parent
    this.depth = own.parent === undefined ? 0 : own.parent.depth + 1
    this.cwd = own.cwd
    this.state = own.state
    this.permissions = own.permissions
    this.results = own.results
    this.readFiles = own.readFiles
    this.name = own.name
    this.place = own.place ?? shared.place
    this.isolation = own.isolation
    this.offer = own.offer
    this.catalog = catalogFor(shared, own.permissions, own.offer)
    const sources = disclosureSources(shared, this.catalog)
    this.disclosure = own.parent?.disclosure.fork(sources, own.messages) ?? new ToolDisclosure(sources)
  }

  /** What it knows of files; undefined where the host brings no files. */
  get knownFiles(): ReadFileState | undefined {
    return this.readFiles ?? filesPortOf(this.shared)?.readFileState
  }

  get chainId(): string {
    return this.id ?? 'main'
  }

  /** What hooks are told of the conversation. */
  get session(): HookSession {
    const { sessionId, options } = this.shared
    return {
      session_id: sessionId,
      transcript_path: options.transcriptPath ?? '',
      cwd: this.cwd,
      permission_mode: this.permissions.mode,
    }
  }

  emit(event: ToolEvent): void {
    this.shared.emit(event, sourceOf(this.id))
  }

  /** The run of this agent has to end: a hook said so, or the classifier gave up and nobody can take over. */
  stop(reason: string): void {
    this.stopReason = reason
    this.stopCount++
    try {
      this.shared.options.onStop?.(reason, sourceOf(this.id))
    } catch {
      // Who hears of the end must not be able to hold it up.
    }
  }

  /** What was shown of files may have left the conversation: it is shown again when it is asked for. */
  forgetShown(): void {
    const known = this.knownFiles
    for (const [path, { shown, ...entry }] of [...(known?.entries() ?? [])]) {
      if (shown !== undefined) known?.set(path, entry)
    }
  }

  /** Whether this is that agent or one below it. */
  isWithin(agent: object): boolean {
    return this === agent || (this.parent?.isWithin(agent) ?? false)
  }

  /** Where commands may stay and write. */
  get folders(): readonly string[] {
    return foldersOf(this.permissions.context, this.place)
  }

  fork(options: ForkOptions = {}): Agent {
    const { agentId = randomUUID(), isolation, messages, agentName } = options
    const { cwd = isolation?.path ?? this.cwd } = options
    return new Agent(this.shared, {
      id: agentId,
      parent: this,
      cwd,
      state: this.state.fork(),
      permissions: this.permissions.fork(
        (event) => this.shared.emit(event, sourceOf(agentId)),
        limitsOf(this, options),
      ),
      results: this.results.fork(agentId),
      readFiles: this.knownFiles?.copy(),
      messages,
      name: agentName,
      place: isolation === undefined ? this.place : isolatedPlace(this.place, isolation),
      isolation: isolation ?? this.isolation,
      offer: offeredInTurn(this.offer, offeredTools(options)),
    })
  }
}

/** Sub-agents need a model, which not every host has: to be told of them in vain would only cost. */
function hasAgents({ agentPorts, ports }: ToolRuntimeOptions): boolean {
  return agentPorts !== undefined || ports?.agents !== undefined
}

/** A looser mode that is refused here is none: the sub-agent has its parent's. */
function limitsOf(parent: Agent, { permissionMode: mode, mayLoosenMode, isolation }: ForkOptions): PermissionLimits {
  const { permissions, place, shared } = parent
  const refusal = mode !== undefined && mayLoosenMode === true ? permissions.modeRefusal(mode) : undefined
  if (refusal !== undefined) shared.onProblem(`A sub-agent does not get its mode: ${refusal}`)
  return {
    mode,
    mayLoosen: mayLoosenMode === true && refusal === undefined,
    ...(isolation !== undefined && {
      adapt: (context) => isolatedContext(context, place, isolation, (name) => isPathRule(name, shared.tools)),
    }),
  }
}

/** Whether the content of a rule for this name is a path. */
function isPathRule(name: string, tools: Tools): boolean {
  if (name === RULE_FAMILIES.reads || name === RULE_FAMILIES.writes) return true
  return findToolByName(tools, name)?.getPath !== undefined
}

/** The main agent of a new runtime. */
export function createRootAgent(options: ToolRuntimeOptions): Agent {
  const parts = createSharedParts(options, () => mcp && obeyRules(mcp.port, () => permissions.context))
  const { restrictions, saveUpdates, isSandboxed, resultsDirectory, env = process.env } = options
  const { place, emit, onProblem } = parts
  const { startDir, projectDir, homeDir } = place
  const permissions = new PermissionState(permissionContextOf(options.permissions), {
    folders: { cwd: startDir, projectRoot: projectDir, home: homeDir },
    modeRefusal: (mode) => modeRefusal(mode, env, isSandboxed),
    onMode: (event) => emit(event, {}),
    ...(restrictions !== undefined && { restrictions }),
    ...(saveUpdates !== undefined && { save: saveUpdates }),
  })
  const results =
    resultsDirectory === undefined ? ResultStore.temporary() : ResultStore.inFolder(resultsDirectory, onProblem)
  const machine = createMachinePorts({
    environment: withoutHidden(env, options.hiddenVariables),
    home: homeDir,
    workingFolders: () => foldersOf(permissions.context, place),
    openOutput: (id) => new Spill({ directory: results.directory, id }),
    tasks: taskHooks(() => parts.hooks && hooksOfAgent(parts.hooks, () => root.session), {
      onProblem,
      ...(options.onTaskEnded !== undefined && { onTaskEnded: options.onTaskEnded }),
      ...(options.onHookReported !== undefined && { onHookReported: options.onHookReported }),
    }),
    sandbox: options.sandbox,
    projectFolder: projectDir,
    languageServers: options.languageServers,
    formatters: options.formatters,
    onProblem,
    journalFolder: join(homeDir, '.haft', 'journal'),
    checkpoints: checkpointsOf(options, parts),
  })
  const state = createAgentState(options.ports?.state)
  const mcp: RuntimeMcp | undefined = createMcp(parts, {
    roots: () => foldersOf(permissions.context, place),
    rootsBasis: () => permissions.context.additionalWorkingDirectories,
  })
  const root = new Agent(
    { ...parts, machine, mcp },
    {
      ...{ cwd: startDir, state, permissions, results },
      offer: hasAgents(options) ? undefined : suppliedTools('agents'),
    },
  )
  return root
}

function checkpointsOf(
  { checkpointsDirectory: folder, onNoCheckpoints }: ToolRuntimeOptions,
  { sessionId: session, onProblem }: Pick<SharedParts, 'sessionId' | 'onProblem'>,
): FilePortsOptions['checkpoints'] {
  return folder === undefined ? undefined : { folder, session, onProblem: onNoCheckpoints ?? onProblem }
}

function filesPortOf({ machine, options }: SharedParts): FilesPort | undefined {
  return options.ports?.files ?? machine.ports.files
}

function foldersOf(context: ToolPermissionContext, place: SharedParts['place']): readonly string[] {
  const { startDir } = place
  return writtenDirectories(context, { ...place, cwd: startDir }).map((path) => resolve(startDir, path))
}

function catalogFor(shared: SharedParts, permissions: PermissionState, offer: OfferTools | undefined): ToolCatalog {
  const { assembly, options, mcp, onProblem } = shared
  return new ToolCatalog({
    assembly,
    mcpTools: outsideTools(options.mcpTools, mcp),
    permissions: () => permissions.context,
    agentDefinitions: options.agentDefinitions ?? NO_AGENTS,
    onProblem,
    offer,
  })
}

function disclosureSources({ options, toolSearch, toolIndex }: SharedParts, catalog: ToolCatalog): DisclosureSources {
  return {
    catalog,
    settings: toolSearch,
    index: toolIndex,
    pendingServers: () => {
      const clients = options.contextOptions?.mcpClients ?? []
      return clients.flatMap(({ name, status }) => (status === 'pending' ? [name] : []))
    },
  }
}

function sourceOf(agentId: string | undefined): EventSource {
  return agentId === undefined ? {} : { agentId }
}

function withoutHidden(variables: Variables, hidden: readonly string[] = []): Variables {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !hidden.includes(name)))
}

type Variables = Readonly<Record<string, string | undefined>>

/** One list for all, so that definitions made with it are found again. */
const NO_AGENTS: readonly [] = Object.freeze([])
