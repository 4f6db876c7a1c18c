import { randomUUID } from 'node:crypto'
import type { CallingAgent } from '../calls/call-environment.js'
import type { ToolEvent } from '../contract/events.js'
import type { Message } from '../contract/messages.js'
import type { FilesPort } from '../contract/ports/files.js'
import type { PortName } from '../contract/ports/index.js'
import type { ReadFileState } from '../contract/ports/read-file-state.js'
import type { ForkOptions, IsolatedFolder } from '../contract/runtime.js'
import { findToolByName } from '../contract/tool/identity.js'
import { RULE_FAMILIES } from '../contract/tool/rule-names.js'
import type { Tools } from '../contract/tool/tool.js'
import type { HookSession } from '../hooks/config/hook-payload.js'
import { createAgentState } from './agent-state.js'
import type { AgentState } from './haft-runtime.js'
import type { RuntimeMcp } from './mcp/runtime-mcp.js'
import type { EventOrigin, ToolRuntimeOptions } from './options.js'
import { isolateContext, isolateFolders, toCopiedFolder } from './permissions/isolate-folders.js'
import type { PermissionLimits, PermissionState } from './permissions/permission-state.js'
import type { ResultStore } from './result-store.js'
import {
  type AgentLocation,
  createHookSession,
  createServices,
  listWorkingFolders,
  type RuntimeFolders,
  type RuntimeServices,
} from './services.js'
import { combineOffers, createToolOffer, type OfferTools, omitToolsNeeding, ToolCatalog } from './tools/tool-catalog.js'
import { type DisclosureSources, ToolDisclosure } from './tools/tool-disclosure.js'

/** What an agent does not share with other agents. */
interface AgentOptions {
  readonly id?: string
  readonly parent?: Agent
  readonly location: AgentLocation
  readonly state: AgentState
  readonly permissions: PermissionState
  readonly results: ResultStore
  /** The files that a sub-agent has read; undefined for the main agent, whose files port records them. */
  readonly readFiles?: ReadFileState | undefined
  /** The conversation that a sub-agent starts with. */
  readonly messages?: readonly Message[] | undefined
  readonly name?: string | undefined
  readonly offer?: OfferTools | undefined
  readonly isWorker?: boolean | undefined
}

/** One agent: the main conversation or a sub-agent. */
export class Agent implements CallingAgent {
  readonly services: RuntimeServices
  readonly id: string | undefined
  readonly parent: Agent | undefined
  readonly depth: number
  readonly state: AgentState
  readonly permissions: PermissionState
  readonly results: ResultStore
  readonly catalog: ToolCatalog
  readonly disclosure: ToolDisclosure
  readonly readFiles: ReadFileState | undefined
  /** The kind of agent, to show to the user. */
  readonly name: string | undefined
  readonly offer: OfferTools | undefined
  /** Whether the agent has the tools of a worker even if the main agent only delegates. */
  readonly isWorker: boolean
  stopReason: string | undefined
  stopCount = 0
  changedOptions: CallingAgent['changedOptions'] = {}
  isDisposed = false
  readonly #location: AgentLocation
  /** The folders that `moveBack` returns to. */
  readonly #ownFolders: RuntimeFolders

  constructor(services: RuntimeServices, options: AgentOptions) {
    this.services = services
    this.id = options.id
    this.parent = options.parent
    this.depth = options.parent === undefined ? 0 : options.parent.depth + 1
    this.#location = options.location
    this.#ownFolders = options.location.baseFolders
    this.state = options.state
    this.permissions = options.permissions
    this.results = options.results
    this.readFiles = options.readFiles
    this.name = options.name
    this.offer = options.offer
    this.isWorker = options.isWorker === true
    this.catalog = createCatalog(services, options)
    const sources = createDisclosureSources(services, this.catalog)
    this.disclosure = options.parent?.disclosure.fork(sources, options.messages) ?? new ToolDisclosure(sources)
  }

  get cwd(): string {
    return this.#location.cwd
  }

  set cwd(cwd: string) {
    this.#location.cwd = cwd
  }

  get baseFolders(): RuntimeFolders {
    return this.#location.baseFolders
  }

  /** The copy of the project that the agent works in; undefined if it works in the project itself. */
  get isolation(): IsolatedFolder | undefined {
    return this.#location.isolation
  }

  /** Continues in a copy of the project, which replaces the project as working directory. */
  moveInto(isolation: IsolatedFolder): void {
    const ownFolders = this.#ownFolders
    this.#location.isolation = isolation
    this.#location.baseFolders = isolateFolders(ownFolders, isolation)
    this.#location.cwd = toCopiedFolder(this.#location.cwd, isolation) ?? this.#location.baseFolders.startDir
    this.permissions.adaptWith((context) =>
      isolateContext(context, ownFolders, isolation, (name) => isPathRule(name, this.services.tools)),
    )
  }

  /** Continues in the project. Returns its folders; the caller sets the working directory. */
  moveBack(): RuntimeFolders {
    this.#location.isolation = undefined
    this.#location.baseFolders = this.#ownFolders
    this.permissions.adaptWith(undefined)
    return this.#ownFolders
  }

  /** The files that the agent has read; undefined if the host provides no files port. */
  get knownFiles(): ReadFileState | undefined {
    return this.readFiles ?? getFilesPort(this.services)?.readFileState
  }

  get chainId(): string {
    return this.id ?? 'main'
  }

  /** The session fields that hooks receive. */
  get session(): HookSession {
    const { options, sessionId } = this.services
    return createHookSession(options, sessionId, this.cwd, this.permissions)
  }

  /** The folders in which commands may work and write. */
  get folders(): readonly string[] {
    return listWorkingFolders(this.permissions.context, this.baseFolders)
  }

  /** Whether the agent has ended. A sub-agent ends with its ancestors. */
  get isOver(): boolean {
    return this.isDisposed || (this.parent?.isOver ?? false)
  }

  emit(event: ToolEvent): void {
    this.services.emit(event, toEventOrigin(this.id))
  }

  stop(reason: string): void {
    this.stopReason = reason
    this.stopCount++
    try {
      this.services.options.conversation?.onStop?.(reason, toEventOrigin(this.id))
    } catch {
      // A failing listener must not keep the agent from stopping.
    }
  }

  /** Forgets which file contents the model has seen, because the conversation may no longer contain them. */
  forgetShown(): void {
    const files = this.knownFiles
    for (const [path, { shown, ...entry }] of [...(files?.entries() ?? [])]) {
      if (shown !== undefined) files?.set(path, entry)
    }
  }

  isWithin(ancestor: object): boolean {
    return this === ancestor || (this.parent?.isWithin(ancestor) ?? false)
  }

  fork(options: ForkOptions = {}): Agent {
    const { agentId = randomUUID(), isolation, messages, agentName } = options
    return new Agent(this.services, {
      id: agentId,
      parent: this,
      location: {
        cwd: options.cwd ?? isolation?.path ?? this.cwd,
        baseFolders: isolation === undefined ? this.baseFolders : isolateFolders(this.baseFolders, isolation),
        isolation: isolation ?? this.isolation,
      },
      state: this.state.fork(),
      permissions: this.permissions.fork(
        (event) => this.services.emit(event, toEventOrigin(agentId)),
        createPermissionLimits(this, options),
      ),
      results: this.results.fork(agentId),
      readFiles: this.knownFiles?.copy(),
      messages,
      name: agentName,
      offer: combineOffers(this.offer, createToolOffer(options)),
      isWorker: options.isWorker ?? this.isWorker,
    })
  }
}

export function createRootAgent(options: ToolRuntimeOptions): Agent {
  const { services, root } = createServices(options)
  const { location, permissions, results } = root
  return new Agent(services, {
    location,
    permissions,
    results,
    state: createAgentState(options),
    offer: omitToolsNeeding(listMissingPorts(options)),
  })
}

/** Returns the ports that a host may leave out. Tools that need one of them are not offered then. */
function listMissingPorts({
  conversation,
  ports,
  machine,
  storage,
  schedule,
}: ToolRuntimeOptions): readonly PortName[] {
  const optionalPorts: readonly (readonly [PortName, unknown])[] = [
    ['agents', conversation?.agentPorts ?? ports?.agents],
    ['webSearch', machine?.webSearch ?? ports?.webSearch],
    ['config', storage?.settings ?? ports?.config],
    ['notify', machine?.notify ?? ports?.notify],
    ['schedule', schedule ?? ports?.schedule],
    ['teams', storage?.teamsDirectory ?? ports?.teams],
    ['history', ports?.history],
    ['workflows', storage?.workflowsDirectory ?? ports?.workflows],
  ]
  return optionalPorts.flatMap(([name, port]) => (port === undefined ? [name] : []))
}

/**
 * Creates the limits for the mode of a sub-agent. A looser mode that is refused on this machine is ignored: the sub-agent
 * inherits its parent's mode.
 */
function createPermissionLimits(
  { permissions, baseFolders, services }: Agent,
  { permissionMode: mode, mayLoosenMode, isolation }: ForkOptions,
): PermissionLimits {
  const refusal = mode !== undefined && mayLoosenMode === true ? permissions.findModeRefusal(mode) : undefined
  if (refusal !== undefined) services.onProblem(`A sub-agent cannot use its permission mode ${mode}: ${refusal}`)
  return {
    mode,
    mayLoosen: mayLoosenMode === true && refusal === undefined,
    ...(isolation !== undefined && {
      adapt: (context) => isolateContext(context, baseFolders, isolation, (name) => isPathRule(name, services.tools)),
    }),
  }
}

/** Whether the content of a rule for this tool name is a path. */
function isPathRule(name: string, tools: Tools): boolean {
  if (name === RULE_FAMILIES.reads || name === RULE_FAMILIES.writes) return true
  return findToolByName(tools, name)?.getPath !== undefined
}

function getFilesPort({ machine, options }: RuntimeServices): FilesPort | undefined {
  return options.ports?.files ?? machine.ports.files
}

function createCatalog(
  services: RuntimeServices,
  { permissions, offer, isWorker = false }: Pick<AgentOptions, 'permissions' | 'offer' | 'isWorker'>,
): ToolCatalog {
  const { timedOutTools, options, mcp, onProblem } = services
  const { assembly, nestedAssembly } = (isWorker ? services.workerAssemblies() : undefined) ?? services
  return new ToolCatalog({
    assembly,
    nestedAssembly,
    timedOutTools,
    mcpTools: combineExternalTools(options.mcpTools, mcp),
    permissions: () => permissions.context,
    agentDefinitions: options.conversation?.agentDefinitions ?? NO_AGENTS,
    onProblem,
    offer,
  })
}

function createDisclosureSources(services: RuntimeServices, catalog: ToolCatalog): DisclosureSources {
  const { options, toolSearch, toolIndex } = services
  return {
    catalog,
    settings: toolSearch,
    index: toolIndex,
    pendingServers: () => {
      const clients = options.conversation?.contextOptions?.mcpClients ?? []
      return clients.flatMap(({ name, status, isCached }) => (status === 'pending' && isCached !== true ? [name] : []))
    },
  }
}

function toEventOrigin(agentId: string | undefined): EventOrigin {
  return agentId === undefined ? {} : { agentId }
}

/** One shared list, because definitions are cached by its identity. */
const NO_AGENTS: readonly [] = Object.freeze([])

/** Returns the additional tools of the host and the tools of its MCP servers: the same array while neither changes. */
function combineExternalTools(listHostTools: (() => Tools) | undefined, mcp: RuntimeMcp | undefined): () => Tools {
  if (mcp === undefined) return listHostTools ?? listNoTools
  if (listHostTools === undefined) return () => mcp.tools()
  let cached: { readonly hostTools: Tools; readonly serverTools: Tools; readonly all: Tools } | undefined
  return () => {
    const hostTools = listHostTools()
    const serverTools = mcp.tools()
    if (cached?.hostTools !== hostTools || cached.serverTools !== serverTools)
      cached = { hostTools, serverTools, all: Object.freeze([...hostTools, ...serverTools]) }
    return cached.all
  }
}

const NO_TOOLS: Tools = Object.freeze([])
const listNoTools = () => NO_TOOLS
