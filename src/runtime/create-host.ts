import type { ContextOptions } from '../contract/context.js'
import type { PermissionUpdate } from '../contract/permission-result.js'
import type { Ports } from '../contract/ports/index.js'
import { ruleNamesOf } from '../contract/rule-names.js'
import type { Tool, Tools } from '../contract/tool.js'
import type { ExecutionHost } from '../execution/execution-host.js'
import type { ToolDirectory } from '../execution/find-tool.js'
import { createLookup } from '../permissions/path-facts.js'
import { restrictedBelow } from '../permissions/restricted-below.js'
import { systemClock } from '../ports/system-clock.js'
import type { Agent } from './agent.js'
import { askInTurn } from './ask-in-turn.js'
import { hooksOfAgent } from './create-hooks.js'
import { type FindRestricted, hideRestricted, searchesAroundRestricted } from './hide-restricted.js'
import { obeyRules } from './mcp/obey-rules.js'
import { overridePort } from './override-port.js'
import { readableFolders } from './readable-folders.js'
import { resourceKind } from './resource-kind.js'
import { settingsPort } from './settings-port.js'

/** What the calls of one agent need from around them; the events go where each message wants them. */
export function createHost(agent: Agent): Omit<ExecutionHost, 'emit'> {
  const { shared, disclosure, permissions, state } = agent
  const { options, place, limiter, mcp } = shared
  const { ask, graceMs, timer, userRequest } = options
  const ports = portsOf(agent)
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
    onDecision: (_, { stopsRun, message }) => {
      if (stopsRun === true) agent.stop(message)
    },
    limit: (tool, work) => limiter.run(resourceKind(tool, agent.depth), agent.chainId, work),
    // The state of a sub-agent is its own, whatever port the host brings for the root.
    ports: {
      clock: systemClock,
      catalog: disclosure,
      ...ports,
      ...hideRestricted(ports, restrictedFor(agent)),
      ...(ports.ask !== undefined && { ask: askInTurn(ports.ask, shared.questions) }),
      ...(ports.mcp !== undefined && { mcp: obeyRules(ports.mcp, () => permissions.context) }),
      state: state.port,
    },
    ...(ports.settings === undefined && { callPorts: { settings: (call) => settingsPort(agent, call) } }),
    contextOptions: {
      options: contextOptionsOf(agent),
      queryTracking: { chainId: agent.chainId, depth: agent.depth },
      ...(agent.id !== undefined && { agentId: agent.id }),
    },
    ...(ask !== undefined && { ask }),
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
function restrictedFor({ shared, permissions, catalog }: Agent): FindRestricted {
  const { place, decisionPorts } = shared
  return (folder, cwd) => {
    const names = catalog.pool.filter(searchesAroundRestricted).flatMap(ruleNamesOf)
    const ground = { place: { ...place, cwd }, lookup: createLookup(decisionPorts.paths) }
    return restrictedBelow(folder, names, permissions.context, ground)
  }
}

/** What this machine gives, what the host brings in its place, and of a sub-agent what it has read itself. */
function portsOf({ shared, readFiles }: Agent): Partial<Ports> {
  const { machine, mcp, options } = shared
  const ports: Partial<Ports> = { ...machine.ports, ...(mcp && { mcp: mcp.port }), ...options.ports }
  if (ports.files === undefined || readFiles === undefined) return ports
  return { ...ports, files: overridePort(ports.files, { readFileState: readFiles }) }
}

/** Applies updates; whoever runs the host hears of what could not be done. */
export async function applyReported(agent: Agent, updates: readonly PermissionUpdate[]) {
  const applied = await agent.permissions.apply(updates)
  for (const { reason } of applied.refused) agent.shared.onProblem(`A permission update was refused: ${reason}`)
  if (applied.unsaved !== undefined) agent.shared.onProblem(`Permission updates were not saved: ${applied.unsaved}`)
  return applied
}

function contextOptionsOf({ shared: { options, mcp, skills }, catalog }: Agent): ContextOptions<Tool> {
  return {
    /** As it is when a tool looks: servers come and go. */
    get tools() {
      return catalog.pool
    },
    get commands() {
      return [...(mcp?.commands() ?? []), ...skills.commands]
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
