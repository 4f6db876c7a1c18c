import type { AskPermission, CallEnvironment, ToolDirectory } from '../calls/call-environment.js'
import type { PermissionUpdate } from '../contract/permission/result.js'
import type { Ports } from '../contract/ports/index.js'
import type { ShellPort, ShellRequest } from '../contract/ports/shell.js'
import type { IsolatedFolder } from '../contract/runtime.js'
import type { ContextOptions } from '../contract/tool/context.js'
import { ruleNamesOf } from '../contract/tool/rule-names.js'
import type { Tool, Tools } from '../contract/tool/tool.js'
import { createLookup } from '../permissions/paths/judge-path.js'
import { restrictedBelow } from '../permissions/rules/restricted-below.js'
import { systemClock } from '../ports/system-clock.js'
import type { Agent } from './agent.js'
import { askInTurn } from './ask-in-turn.js'
import { hooksOfAgent } from './create-hooks.js'
import { guardedSkill } from './guarded-skill.js'
import type { HaftRuntime } from './haft-runtime.js'
import { type FindRestricted, hideRestricted, isHidden, searchesAroundRestricted } from './hide-restricted.js'
import { obeyRules } from './mcp/obey-rules.js'
import { overridePort } from './override-port.js'
import { readableFolders } from './readable-folders.js'
import { resourceKind } from './resource-kind.js'
import { settingsPort } from './settings-port.js'

/** What the calls of one agent need from around them. */
export function createHost(agent: Agent, runtime: () => HaftRuntime): CallEnvironment {
  const { shared, disclosure, permissions, state, place } = agent
  const { options, limiter, mcp } = shared
  const { ask, graceMs, timer, userRequest } = options
  let ports: Partial<Ports> | undefined
  const withReadable = readableFolders(openFolders(agent), Object.values(place))
  return {
    directory: directoryOf(agent),
    ...(mcp !== undefined && { awaitTool: (name: string) => mcp.awaitTool(name) }),
    isSchemaSent: (tool) => disclosure.isSchemaSent(tool),
    permissions: () => withReadable(permissions.context),
    decisionPorts: shared.decisionPorts,
    place,
    applyUpdates: async (updates) => {
      await applyReported(agent, updates)
    },
    autoMode: () => ({ userRequest: userRequest?.() ?? '', denials: state.denials }),
    limit: (tool, work) => limiter.run(resourceKind(tool, agent.depth), agent.chainId, work),
    // Made with the first call: what an agent has of its own may need its whole runtime.
    get ports() {
      ports ??= callPorts(agent, { ...portsOf(agent), ...options.agentPorts?.(runtime()) })
      return ports
    },
    ...(options.ports?.settings === undefined && { callPorts: { settings: (call) => settingsPort(agent, call) } }),
    contextOptions: {
      options: contextOptionsOf(agent),
      queryTracking: { chainId: agent.chainId, depth: agent.depth },
      ...(agent.id !== undefined && { agentId: agent.id }),
    },
    ...(ask !== undefined && { ask: askAs(agent, ask) }),
    ...(shared.hooks !== undefined && { hooks: hooksOfAgent(shared.hooks, () => agent.session) }),
    ...(graceMs !== undefined && { graceMs }),
    ...(timer !== undefined && { timer }),
  }
}

/** What may be read beside the working directories; the same array while nothing more is loaded. */
function openFolders({ shared: { skills }, results }: Agent): () => readonly string[] {
  let known: { readonly loaded: readonly string[]; readonly folders: readonly string[] } | undefined
  return () => {
    const loaded = skills.openFolders
    if (known?.loaded !== loaded) known = { loaded, folders: [results.directory, ...loaded] }
    return known.folders
  }
}

/** What calls get, under the rules of the agent. */
function callPorts(agent: Agent, ports: Partial<Ports>): Partial<Ports> {
  const { shared, disclosure, permissions, state } = agent
  return {
    clock: systemClock,
    catalog: disclosure,
    ...ports,
    ...hideRestricted(ports, restrictedFor(agent)),
    ...(ports.ask !== undefined && { ask: askInTurn(ports.ask, shared.questions) }),
    ...(ports.mcp !== undefined && { mcp: obeyRules(ports.mcp, () => permissions.context) }),
    // The state of a sub-agent is its own, whatever port the host brings for the root.
    state: state.port,
  }
}

/** A person has to know who asks. */
function askAs({ id, name }: Agent, ask: AskPermission): AskPermission {
  if (id === undefined) return ask
  return (question) => ask({ ...question, agent: { id, ...(name !== undefined && { name }) } })
}

/** Where calls look for their tool; the same object while the pool is the same. */
function directoryOf({ catalog, disclosure, shared }: Agent): () => ToolDirectory {
  const directoryWith = (tools: Tools): ToolDirectory => ({
    tools,
    get absentTools() {
      return [...shared.tools, ...catalog.served]
    },
    wasSent: (name: string) => disclosure.wasSent(name),
    isSchemaSent: (tool: Tool) => disclosure.isSchemaSent(tool),
  })
  let directory = directoryWith([])
  return () => {
    const { pool } = catalog
    if (directory.tools !== pool) directory = directoryWith(pool)
    return directory
  }
}

/** By the rules of the agent as they are when it searches; of a tool's own rules, those of every tool that searches. */
function restrictedFor({ shared, permissions, catalog, place }: Agent): FindRestricted {
  const { decisionPorts } = shared
  return (folder, cwd) => {
    const names = catalog.pool.filter(searchesAroundRestricted).flatMap(ruleNamesOf)
    const ground = { place: { ...place, cwd }, lookup: createLookup(decisionPorts.paths) }
    return restrictedBelow(folder, names, permissions.context, ground)
  }
}

/** What this machine gives, what the host brings in its place, and of a sub-agent what it has read itself. */
function portsOf(agent: Agent): Partial<Ports> {
  const { shared, readFiles, isolation } = agent
  const { machine, mcp, options } = shared
  const ports: Partial<Ports> = { ...machine.ports, ...(mcp && { mcp: mcp.port }), ...options.ports }
  return {
    ...ports,
    ...(ports.files !== undefined &&
      readFiles !== undefined && { files: overridePort(ports.files, { readFileState: readFiles }) }),
    ...(ports.shell !== undefined &&
      isolation !== undefined && { shell: isolatedShell(ports.shell, agent, isolation) }),
  }
}

/** Commands of an agent that works in a copy of the project are held to that copy. */
function isolatedShell(shell: ShellPort, agent: Agent, { repository }: IsolatedFolder): ShellPort {
  const held = (request: ShellRequest): ShellRequest => ({
    ...request,
    folders: repository === undefined ? agent.folders : [...agent.folders, repository],
  })
  return overridePort(shell, {
    run: (request, options) => shell.run(held(request), options),
    start: (request) => shell.start(held(request)),
    workingFolders: () => agent.folders,
  })
}

/** Applies updates; whoever runs the host hears of what could not be done. */
export async function applyReported(agent: Agent, updates: readonly PermissionUpdate[]) {
  const applied = await agent.permissions.apply(updates)
  for (const { reason } of applied.refused) agent.shared.onProblem(`A permission update was refused: ${reason}`)
  if (applied.unsaved !== undefined) agent.shared.onProblem(`Permission updates were not saved: ${applied.unsaved}`)
  return applied
}

function contextOptionsOf(agent: Agent): ContextOptions<Tool> {
  const { shared, catalog, place } = agent
  const { options, mcp, skills } = shared
  const isKept = (path: string) => isHidden(path, place.startDir, restrictedFor(agent))
  return {
    /** As it is when a tool looks: servers come and go. */
    get tools() {
      return catalog.pool
    },
    get commands() {
      return [...(mcp?.commands() ?? []), ...skills.commands.map((skill) => guardedSkill(skill, isKept))]
    },
    mainLoopModel: options.model ?? '',
    thinkingConfig: { type: 'disabled' },
    get mcpClients() {
      return mcp?.states() ?? []
    },
    agentDefinitions: options.agentDefinitions ?? [],
    ...options.contextOptions,
  }
}
