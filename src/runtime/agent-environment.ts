import { join } from 'node:path'
import type {
  AskPermission,
  CallEnvironment,
  NestedTools,
  StepTimer,
  ToolDirectory,
} from '../calls/call-environment.js'
import { getResourceKind } from '../calls/schedule/fair-limiter.js'
import type { ToolPermissionContext } from '../contract/permission/context.js'
import type { PermissionUpdate } from '../contract/permission/result.js'
import type { Ports } from '../contract/ports/index.js'
import type { ShellPort, ShellRequest } from '../contract/ports/shell.js'
import type { IsolatedFolder } from '../contract/runtime.js'
import type { ContextOptions, Skill } from '../contract/tool/context.js'
import { ruleNamesOf } from '../contract/tool/rule-names.js'
import type { Tool, Tools } from '../contract/tool/tool.js'
import { createLookup } from '../permissions/paths/judge-path.js'
import { createRestrictedTest } from '../permissions/rules/restricted-below.js'
import { createNamedPathsFinder } from '../ports/sandbox/protect/git-control.js'
import { systemClock } from '../ports/system-clock.js'
import { overridePort } from '../shared/override-port.js'
import type { Agent } from './agent.js'
import { askInTurn } from './ask-in-turn.js'
import { bindHooksToSession } from './hooks/create-hooks.js'
import { restrictMcp } from './mcp/restrict-mcp.js'
import { type FindRestricted, hideRestricted, isHidden, omitsRestricted } from './permissions/hide-restricted.js'
import type { AppliedUpdates } from './permissions/permission-state.js'
import { ReadableFolders } from './permissions/readable-folders.js'
import { createConfigPort, createSettingsPort } from './permissions/settings-port.js'
import type { RuntimeFolders } from './services.js'
import { AgentNestedTools } from './tools/nested-tools.js'
import { SessionWorktrees } from './worktrees/session-worktrees.js'

/** Connects the calls of one agent to its ports, permissions, hooks and tools. */
export class AgentEnvironment implements CallEnvironment {
  readonly decisionPorts: CallEnvironment['decisionPorts']
  readonly readRepositories: NonNullable<CallEnvironment['readRepositories']>
  readonly callPorts: CallEnvironment['callPorts']
  readonly contextOptions: CallEnvironment['contextOptions']
  readonly ask: CallEnvironment['ask']
  readonly hooks: CallEnvironment['hooks']
  readonly graceMs: number | undefined
  readonly secrets: CallEnvironment['secrets']
  readonly timer: StepTimer | undefined
  readonly waitUntilRecorded?: () => Promise<void>
  readonly worktrees: SessionWorktrees
  readonly #agent: Agent
  readonly #agentPorts: () => Partial<Ports> | undefined
  readonly #readableFolders: ReadableFolders
  #ports: { readonly isolation: IsolatedFolder | undefined; readonly value: Partial<Ports> } | undefined
  #ownPorts: Partial<Ports> | undefined
  #pathContext: { readonly folders: RuntimeFolders; readonly value: CallEnvironment['pathContext'] } | undefined
  #directory: ToolDirectory | undefined
  readonly nestedTools: NestedTools

  /** `agentPorts` is called once, when the first call needs a port. */
  constructor(agent: Agent, agentPorts: () => Partial<Ports> | undefined, timer: StepTimer | undefined) {
    const { services } = agent
    const { options, hooks } = services
    this.#agent = agent
    this.#agentPorts = agentPorts
    this.#readableFolders = new ReadableFolders(agent.results, Object.values(services.baseFolders))
    this.decisionPorts = services.decisionPorts
    this.readRepositories = services.readRepositories
    this.callPorts = createCallPorts(agent)
    this.contextOptions = {
      options: createContextOptions(agent),
      queryTracking: { chainId: agent.chainId, depth: agent.depth },
      ...(agent.id !== undefined && { agentId: agent.id }),
    }
    this.ask = options.ask && askForAgent(agent, options.ask)
    this.hooks = hooks && bindHooksToSession(hooks, () => agent.session)
    this.graceMs = options.scheduling?.graceMs
    this.secrets = services.secrets
    this.nestedTools = new AgentNestedTools(agent)
    this.timer = timer
    if (options.waitUntilRecorded !== undefined) this.waitUntilRecorded = options.waitUntilRecorded
    this.worktrees = new SessionWorktrees(agent, () => this.ports(), this.hooks)
  }

  /** The folders for path rules. The same object while the agent does not move to other folders. */
  get pathContext(): CallEnvironment['pathContext'] {
    const { services, baseFolders: folders } = this.#agent
    if (this.#pathContext?.folders !== folders) {
      const protectedPaths = createNamedPathsFinder(() => services.userGitConfig())
      this.#pathContext = { folders, value: { ...folders, protectedPaths } }
    }
    return this.#pathContext.value
  }

  /** Returns the tools in which calls look up theirs: the same object while the pool is the same. */
  directory(): ToolDirectory {
    const { pool } = this.#agent.catalog
    if (this.#directory?.tools !== pool) this.#directory = createDirectory(pool, this.#agent)
    return this.#directory
  }

  awaitTool(name: string): Promise<void> | undefined {
    return this.#agent.services.mcp?.awaitTool(name)
  }

  isSchemaSent(tool: Tool): boolean {
    return this.#agent.disclosure.isSchemaSent(tool)
  }

  permissions(): ToolPermissionContext {
    const { permissions, services } = this.#agent
    return this.#readableFolders.addTo(permissions.context, services.skills.openFolders)
  }

  /** Applies permission updates, and runs the DirectoryAdded hooks for new working directories. */
  async applyUpdates(updates: readonly PermissionUpdate[]): Promise<AppliedUpdates> {
    const { permissions, services } = this.#agent
    const oldPaths = new Set(permissions.context.additionalWorkingDirectories.map(({ path }) => path))
    const applied = await permissions.applyAndReport(updates, services.onProblem)
    const { hooks } = this
    if (hooks?.hasHooks('DirectoryAdded') !== true) return applied
    const { additionalWorkingDirectories } = permissions.context
    for (const { path } of additionalWorkingDirectories)
      if (!oldPaths.has(path)) await hooks.run('DirectoryAdded', { path })
    return applied
  }

  autoMode(): ReturnType<NonNullable<CallEnvironment['autoMode']>> {
    const { services, state } = this.#agent
    return { userRequest: services.options.conversation?.userRequest?.() ?? '', denials: state.denials }
  }

  limit<T>(tool: Tool, work: () => Promise<T>): Promise<T> {
    const { services, depth, chainId } = this.#agent
    return services.limiter.run(getResourceKind(tool, depth), chainId, work)
  }

  ports(): Partial<Ports> {
    const { isolation } = this.#agent
    if (this.#ports === undefined || this.#ports.isolation !== isolation) {
      this.#ownPorts ??= this.#agentPorts() ?? {}
      const ports = { worktrees: this.worktrees, ...combinePorts(this.#agent), ...this.#ownPorts }
      this.#ports = { isolation, value: applyRules(this.#agent, ports) }
    }
    return this.#ports.value
  }
}

/** Creates the ports that depend on whether the user approved the call. Ports of the host take precedence. */
function createCallPorts(agent: Agent): CallEnvironment['callPorts'] {
  const { ports = {}, storage } = agent.services.options
  const config = storage?.settings
  return {
    ...(ports.settings === undefined && { settings: (call) => createSettingsPort(agent, call) }),
    ...(ports.config === undefined && config !== undefined && { config: (call) => createConfigPort(config, call) }),
  }
}

/**
 * Returns the ports of this machine, replaced by those of the host; for a sub-agent, with its own read-file state and folder.
 */
function combinePorts(agent: Agent): Partial<Ports> {
  const { services, readFiles, isolation } = agent
  const { machine, mcp, options } = services
  const ports: Partial<Ports> = { ...machine.ports, ...(mcp && { mcp: mcp.port }), ...options.ports }
  const { files, shell, lsp } = ports
  return {
    ...ports,
    ...(files !== undefined && readFiles !== undefined && { files: overridePort(files, { readFileState: readFiles }) }),
    ...(shell !== undefined && isolation !== undefined && { shell: isolateShell(shell, agent, isolation) }),
    ...(lsp !== undefined &&
      isolation !== undefined && { lsp: overridePort(lsp, { workingFolders: () => agent.folders }) }),
  }
}

/**
 * Returns the ports that calls use: restricted files are hidden, rules for MCP servers apply, and questions are asked one at a
 * time.
 */
function applyRules(agent: Agent, ports: Partial<Ports>): Partial<Ports> {
  const { services, disclosure, permissions, state } = agent
  return {
    clock: systemClock,
    catalog: disclosure,
    ...ports,
    ...hideRestricted(ports, createRestrictedFinder(agent)),
    ...(ports.ask !== undefined && { ask: askInTurn(ports.ask, services.questionLock) }),
    ...(ports.mcp !== undefined && { mcp: restrictMcp(ports.mcp, () => permissions.context) }),
    // A sub-agent has its own state, even if the host provides a port for the main agent.
    state: state.port,
  }
}

/** Adds the id and name of a sub-agent to each of its questions. */
function askForAgent({ id, name }: Agent, ask: AskPermission): AskPermission {
  if (id === undefined) return ask
  return (question) => ask({ ...question, agent: { id, ...(name !== undefined && { name }) } })
}

/** Creates the directory in which calls look up their tool. */
function createDirectory(tools: Tools, { catalog, disclosure, services }: Agent): ToolDirectory {
  return {
    tools,
    get absentTools() {
      return [...services.tools, ...catalog.externalTools]
    },
    wasSent: (name: string) => disclosure.wasSent(name),
    isSchemaSent: (tool: Tool) => disclosure.isSchemaSent(tool),
  }
}

/** Finds what rules restrict below a folder, by the rules that apply when a search starts. */
function createRestrictedFinder(agent: Agent): FindRestricted {
  const { services, permissions, catalog } = agent
  return (folder, cwd, realPath) => {
    const { baseFolders } = agent
    const names = catalog.pool.filter(omitsRestricted).flatMap(ruleNamesOf)
    const ruleContext = { pathContext: { ...baseFolders, cwd }, lookup: createLookup(services.decisionPorts.paths) }
    return createRestrictedTest({ folder, realPath }, names, permissions.context, ruleContext)
  }
}

/** Confines the commands of an agent to the copy of the project in which it works. */
function isolateShell(shell: ShellPort, agent: Agent, { repository }: IsolatedFolder): ShellPort {
  const confine = (request: ShellRequest): ShellRequest => ({
    ...request,
    folders: repository === undefined ? agent.folders : [...agent.folders, repository],
  })
  return overridePort(shell, {
    run: (request, options) => shell.run(confine(request), options),
    start: (request, options) => shell.start(confine(request), options),
    workingFolders: () => agent.folders,
  })
}

function createContextOptions(agent: Agent): ContextOptions<Tool> {
  const { services, catalog } = agent
  const { options, mcp, skills } = services
  const { model = '', thinking, agentDefinitions = [], contextOptions: overrides } = options.conversation ?? {}
  const isRestricted = (path: string) => isHidden(path, agent.baseFolders.startDir, createRestrictedFinder(agent))
  return {
    // Getters, because servers can connect and disconnect at any time.
    get tools() {
      return catalog.pool
    },
    get commands() {
      return [...(mcp?.commands() ?? []), ...skills.commands.map((skill) => guardSkill(skill, isRestricted))]
    },
    mainLoopModel: model,
    thinkingConfig: thinking ?? { type: 'disabled' },
    get mcpClients() {
      return mcp?.states() ?? []
    },
    agentDefinitions,
    ...overrides,
  }
}

/** Applies the rules that restrict reading to a skill, because loading the skill reads its file. */
function guardSkill(originalSkill: Skill, isRestricted: (path: string) => Promise<boolean>): Skill {
  const { skill } = originalSkill
  const { file = join(skill.folder, 'SKILL.md') } = skill
  const read = async () => {
    if (await isRestricted(file)) throw new Error(`permission rules restrict reading ${file}.`)
    return skill.read()
  }
  return { ...originalSkill, skill: { ...skill, read } }
}
