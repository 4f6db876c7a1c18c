import { join } from 'node:path'
import type { AskPermission, CallEnvironment, StepTimer, ToolDirectory } from '../calls/call-environment.js'
import type { Ports } from '../contract/ports/index.js'
import type { ShellPort, ShellRequest } from '../contract/ports/shell.js'
import type { IsolatedFolder } from '../contract/runtime.js'
import type { ContextOptions, Skill } from '../contract/tool/context.js'
import { ruleNamesOf } from '../contract/tool/rule-names.js'
import type { Tool, Tools } from '../contract/tool/tool.js'
import { createLookup } from '../permissions/paths/judge-path.js'
import { createRestrictedTest } from '../permissions/rules/restricted-below.js'
import { listNamedAround } from '../ports/sandbox/protect/git-control.js'
import { systemClock } from '../ports/system-clock.js'
import { overridePort } from '../shared/override-port.js'
import type { Agent } from './agent.js'
import { askInTurn } from './ask-in-turn.js'
import { bindHooksToSession } from './hooks/create-hooks.js'
import { restrictMcp } from './mcp/restrict-mcp.js'
import { type FindRestricted, hideRestricted, isHidden, omitsRestricted } from './permissions/hide-restricted.js'
import { createReadableFolders } from './permissions/readable-folders.js'
import { createSettingsPort } from './permissions/settings-port.js'
import { resourceKindOf } from './resource-kind.js'

/** Creates everything that the calls of one agent need. `agentPorts` is called once, when the first call needs a port. */
export function createAgentEnvironment(
  agent: Agent,
  agentPorts: () => Partial<Ports> | undefined,
  timer: StepTimer | undefined,
): CallEnvironment {
  const { services, disclosure, permissions, state, baseFolders } = agent
  const { options, limiter, mcp, hooks } = services
  const { ask, scheduling = {}, conversation = {} } = options
  const withReadableFolders = createReadableFolders(createExtraFolders(agent), Object.values(baseFolders))
  let ports: Partial<Ports> | undefined
  return {
    directory: createDirectory(agent),
    awaitTool: mcp && ((name) => mcp.awaitTool(name)),
    isSchemaSent: (tool) => disclosure.isSchemaSent(tool),
    permissions: () => withReadableFolders(permissions.context),
    decisionPorts: services.decisionPorts,
    pathContext: { ...baseFolders, protectedPaths: (path) => listNamedAround(path, baseFolders.homeDir) },
    readRepositories: services.readRepositories,
    async applyUpdates(updates) {
      await agent.permissions.applyAndReport(updates, services.onProblem)
    },
    autoMode: () => ({ userRequest: conversation.userRequest?.() ?? '', denials: state.denials }),
    limit: (tool, work) => limiter.run(resourceKindOf(tool, agent.depth), agent.chainId, work),
    ports() {
      ports ??= applyRules(agent, { ...combinePorts(agent), ...agentPorts() })
      return ports
    },
    callPorts:
      options.ports?.settings === undefined ? { settings: (call) => createSettingsPort(agent, call) } : undefined,
    contextOptions: {
      options: createContextOptions(agent),
      queryTracking: { chainId: agent.chainId, depth: agent.depth },
      ...(agent.id !== undefined && { agentId: agent.id }),
    },
    ask: ask && askForAgent(agent, ask),
    hooks: hooks && bindHooksToSession(hooks, () => agent.session),
    graceMs: scheduling.graceMs,
    secrets: services.secrets,
    timer,
  }
}

/** Creates the function that returns the readable folders besides the working directories: the same array until another skill is loaded. */
function createExtraFolders({ services: { skills }, results }: Agent): () => readonly string[] {
  let cached: { readonly openFolders: readonly string[]; readonly folders: readonly string[] } | undefined
  return () => {
    const openFolders = skills.openFolders
    if (cached?.openFolders !== openFolders) cached = { openFolders, folders: [results.directory, ...openFolders] }
    return cached.folders
  }
}

/** The ports of this machine, replaced by those of the host; for a sub-agent, with its own read-file state and folder. */
function combinePorts(agent: Agent): Partial<Ports> {
  const { services, readFiles, isolation } = agent
  const { machine, mcp, options } = services
  const ports: Partial<Ports> = { ...machine.ports, ...(mcp && { mcp: mcp.port }), ...options.ports }
  const { files, shell } = ports
  return {
    ...ports,
    ...(files !== undefined && readFiles !== undefined && { files: overridePort(files, { readFileState: readFiles }) }),
    ...(shell !== undefined && isolation !== undefined && { shell: isolateShell(shell, agent, isolation) }),
  }
}

/** The ports that calls use: restricted files are hidden, rules for MCP servers apply, and questions are asked one at a time. */
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

/** Creates the function that returns where calls look up their tool: the same object while the pool is the same. */
function createDirectory({ catalog, disclosure, services }: Agent): () => ToolDirectory {
  const buildDirectory = (tools: Tools): ToolDirectory => ({
    tools,
    get absentTools() {
      return [...services.tools, ...catalog.externalTools]
    },
    wasSent: (name: string) => disclosure.wasSent(name),
    isSchemaSent: (tool: Tool) => disclosure.isSchemaSent(tool),
  })
  let directory: ToolDirectory | undefined
  return () => {
    const { pool } = catalog
    if (directory?.tools !== pool) directory = buildDirectory(pool)
    return directory
  }
}

/** Finds what rules restrict below a folder, by the rules that apply when a search starts. */
function createRestrictedFinder({ services, permissions, catalog, baseFolders }: Agent): FindRestricted {
  return (folder, cwd, realPath) => {
    const names = catalog.pool.filter(omitsRestricted).flatMap(ruleNamesOf)
    const ruleContext = { pathContext: { ...baseFolders, cwd }, lookup: createLookup(services.decisionPorts.paths) }
    return createRestrictedTest({ folder, realPath }, names, permissions.context, ruleContext)
  }
}

/** Commands of an agent that works in a copy of the project are confined to that copy. */
function isolateShell(shell: ShellPort, agent: Agent, { repository }: IsolatedFolder): ShellPort {
  const confine = (request: ShellRequest): ShellRequest => ({
    ...request,
    folders: repository === undefined ? agent.folders : [...agent.folders, repository],
  })
  return overridePort(shell, {
    run: (request, options) => shell.run(confine(request), options),
    start: (request) => shell.start(confine(request)),
    workingFolders: () => agent.folders,
  })
}

function createContextOptions(agent: Agent): ContextOptions<Tool> {
  const { services, catalog, baseFolders } = agent
  const { options, mcp, skills } = services
  const { model = '', agentDefinitions = [], contextOptions: overrides } = options.conversation ?? {}
  const isRestricted = (path: string) => isHidden(path, baseFolders.startDir, createRestrictedFinder(agent))
  return {
    // Getters, because servers can connect and disconnect at any time.
    get tools() {
      return catalog.pool
    },
    get commands() {
      return [...(mcp?.commands() ?? []), ...skills.commands.map((skill) => guardSkill(skill, isRestricted))]
    },
    mainLoopModel: model,
    thinkingConfig: { type: 'disabled' },
    get mcpClients() {
      return mcp?.states() ?? []
    },
    agentDefinitions,
    ...overrides,
  }
}

/** Loading a skill reads its file, so rules that restrict reading apply. */
function guardSkill(originalSkill: Skill, isRestricted: (path: string) => Promise<boolean>): Skill {
  const { skill } = originalSkill
  const { file = join(skill.folder, 'SKILL.md') } = skill
  const read = async () => {
    if (await isRestricted(file)) throw new Error(`permission rules restrict reading ${file}.`)
    return skill.read()
  }
  return { ...originalSkill, skill: { ...skill, read } }
}
