import { createReservedNames, filterToolsByDenyRules } from '../../../assembly/filter-tools-by-deny-rules.js'
import { type TimedOutTools, toolDefinitions } from '../../../assembly/tool-definitions.js'
import type { ToolResultBlock, ToolUseBlock } from '../../../contract/messages.js'
import type { RulesBySource } from '../../../contract/permission/context.js'
import { isDeferredTool } from '../../../contract/tool/deferred-tools.js'
import { findToolByName } from '../../../contract/tool/identity.js'
import { createPins } from '../../../mcp/config/pins.js'
import type { ConfiguredServer } from '../../../mcp/config/server-config.js'
import { reviewByPins } from '../../../mcp/manager/definition-review.js'
import { askByElicitation, elicitingAskPort } from '../../../mcp/serve/ask-by-elicitation.js'
import { Clients } from '../../../mcp/serve/clients.js'
import { Gateway } from '../../../mcp/serve/gateway.js'
import {
  CALL_BY_NAME,
  type ServedCallOptions,
  type ServedOutcome,
  type ServedRuntime,
} from '../../../mcp/serve/listed-tools.js'
import { OriginalOutputs } from '../../../mcp/serve/original-outputs.js'
import { READ_RESULT, ResultPages } from '../../../mcp/serve/result-pages.js'
import { describeStoredText } from '../../../results/persist-result.js'
import { toResultPath } from '../../../results/result-file.js'
import type { HaftRuntime } from '../../../runtime/haft-runtime.js'
import { connectMcpServers } from '../../../runtime/mcp/connect-mcp-servers.js'
import { version } from '../../../shared/version.js'
import { formatDeferredTools } from '../../../tool-search/announce/announce-deferred-tools.js'
import { estimateTokens } from '../../../tool-search/request/estimate-tokens.js'
import { builtInTools } from '../../../tools/index.js'
import type { CommandHost, CommandIo } from '../../io/command.js'
import { warn } from '../../io/warn.js'
import { createAccessTo, getServerFolders } from '../../tool-session/mcp-setup.js'
import { openToolSession } from '../../tool-session/open-tool-session.js'
import { formatState } from './format-server.js'
import { type LoadedServers, loadServers } from './load-servers.js'
import type { ServeOptions } from './serve-options.js'

export interface ServedGateway {
  readonly gateway: Gateway
  close(): Promise<void>
}

/**
 * Creates the parts of a served runtime: the configured servers, the tools with their rules and hooks, and the gateway.
 */
export async function openServing(io: CommandIo, host: CommandHost, options: ServeOptions): Promise<ServedGateway> {
  const { values, isGateway, keepsNames } = options
  const isShared = options.http !== undefined
  const loadedServers = await loadServers(io, host, { trust: values.trust, mcpConfig: values['mcp-config'] })
  const startableServers = selectStartableServers(io, loadedServers, keepsNames)
  const clients = new Clients()
  const findReservedNames = createReservedNames(builtInTools, CALL_BY_NAME, READ_RESULT)
  const servers = connectMcpServers(
    {
      ...getServerFolders(loadedServers.roots.home),
      servers: startableServers,
      access: (server) => createAccessTo(server, loadedServers),
      review: reviewByPins(createPins(loadedServers.files)),
    },
    {
      env: io.variables,
      cwd: loadedServers.roots.projectRoot,
      reservedNames: () => findReservedNames(session.runtime.permissions),
      requests: clients.requests,
      onChange: (changedLists) => clients.notifyListsChanged(changedLists),
      onProblem: (problem) => warn(io, problem),
    },
  )
  const outputs = new OriginalOutputs({ ignoresAlwaysLoad: isGateway })
  const pages = new ResultPages()
  const session = await openToolSession(io, host, {
    values,
    tools: isGateway ? builtInTools.filter(({ findsTools }) => findsTools === true) : builtInTools,
    // A new rule would apply to all clients. So with several clients, an answer may allow only the call in question.
    askWith: () => (question) => askByElicitation(isShared ? { ...question, suggestions: [] } : question),
    askPort: elicitingAskPort,
    servedServers: {
      mcpTools: () => outputs.wrapTools(servers.tools()),
      mcp: servers.port,
      get mcpClients() {
        return servers.states
      },
    },
  })
  const { runtime, settings } = session
  clients.folders = [settings.projectRoot]
  const gateway = new Gateway({
    info: { name: 'haft', version },
    runtime: toServedRuntime(runtime, pages),
    ...(isShared && {
      forkRuntime() {
        const clientRuntime = runtime.fork()
        return Object.assign(toServedRuntime(clientRuntime, pages), { dispose: () => clientRuntime.dispose() })
      },
    }),
    outputs,
    pages,
    clients,
    isGateway,
    countTokens: estimateTokens,
    ...(startableServers.length > 0 && {
      upstream: {
        servers,
        keepsNames,
        isDenied: (serverName) => isCovered(serverName, runtime.permissions.alwaysDenyRules),
        mustAskAbout: (serverName) => isCovered(serverName, runtime.permissions.alwaysAskRules),
      },
    }),
  })
  return {
    gateway,
    async close() {
      gateway.close()
      await session.dispose()
      await servers.close()
    },
  }
}

/**
 * Returns the servers that may start. Warns about the others, because clients cannot see them; disabled servers are skipped
 * silently.
 */
function selectStartableServers(
  io: CommandIo,
  { servers }: LoadedServers,
  keepsNames: boolean,
): readonly ConfiguredServer[] {
  return servers.flatMap((listedServer) => {
    const { name, state, server } = listedServer
    if (server !== undefined && state === 'ready')
      return [keepsNames ? { ...server, config: { ...server.config, prefix: false } } : server]
    if (state !== 'disabled') warn(io, `The MCP server ${name} is skipped: ${formatState(listedServer)}.`)
    return []
  })
}

/** Whether a rule covers all tools of the server. */
function isCovered(serverName: string, rules: RulesBySource): boolean {
  const server = { name: serverName, isMcp: true, mcpInfo: { serverName, toolName: '' } }
  return filterToolsByDenyRules([server], { alwaysDenyRules: rules }).length === 0
}

/** Adapts a runtime for serving: each call of a client is a separate message. */
function toServedRuntime(runtime: HaftRuntime, pages: ResultPages): ServedRuntime {
  const timedOutTools: TimedOutTools = new WeakMap()
  return {
    get pool() {
      return runtime.pool
    },
    async definitions() {
      const options = { toolPermissionContext: runtime.permissions, agentDefinitions: NO_AGENTS }
      return (await toolDefinitions(runtime.pool, options, timedOutTools)).definitions
    },
    isDeferred: (tool) => runtime.deferral.defers && isDeferredTool(tool),
    markDisclosed: (names) => runtime.load(names.filter((name) => findToolByName(runtime.pool, name) !== undefined)),
    async getAnnouncement() {
      const announcement = await runtime.announce([])
      return announcement === undefined ? '' : (formatDeferredTools(announcement) ?? '')
    },
    call: (toolUse, options) => callOnce(runtime, pages, toolUse, options),
  }
}

/** One shared list, because the cache of definitions compares lists by identity. */
const NO_AGENTS: readonly [] = Object.freeze([])

async function callOnce(
  runtime: HaftRuntime,
  pages: ResultPages,
  toolUse: ToolUseBlock,
  { signal, onProgress }: ServedCallOptions,
): Promise<ServedOutcome> {
  const run = runtime.open({ signal })
  run.add(toolUse)
  run.end()
  for await (const event of run)
    if (event.type === 'call-progressed' && event.parentToolUseId === undefined) onProgress?.(event.progress)
  const [outcome] = await run.outcomes()
  if (outcome === undefined) throw new Error(`internal error: the call of ${toolUse.name} has no outcome.`)
  const [block = outcome.block] = await runtime.results.settle([outcome])
  const shownBlock = block === outcome.block ? block : describePages(block, runtime.results.directory, pages)
  return { block: shownBlock, ...(outcome.error !== undefined && { error: outcome.error }) }
}

/** Replaces the file of a long result by the pages that clients read it in. */
function describePages(block: ToolResultBlock, directory: string, pages: ResultPages): ToolResultBlock {
  const { content, tool_use_id: id } = block
  const path = toResultPath(directory, id)
  const replaceNote = (text: string) => text.replace(describeStoredText(path), () => pages.add(id, path))
  if (typeof content === 'string') return { ...block, content: replaceNote(content) }
  return {
    ...block,
    content: content.map((part) => (part.type === 'text' ? { ...part, text: replaceNote(part.text) } : part)),
  }
}
