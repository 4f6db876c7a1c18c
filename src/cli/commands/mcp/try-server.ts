import type { ServerAccess } from '../../../mcp/auth/server-access.js'
import { UnreachableError } from '../../../mcp/client/open-connection.js'
import type { ConfiguredServer } from '../../../mcp/config/server-config.js'
import type { ManagedServer } from '../../../mcp/manager/managed-server.js'
import type { McpToolDefinition, RefusedDefinition } from '../../../mcp/tools/read-definition.js'
import { connectMcpServers } from '../../../runtime/mcp/connect-mcp-servers.js'
import { reasonOf } from '../../../shared/reason-of.js'
import { getServerFolders } from '../../tool-session/mcp-setup.js'

/** The result of a successful connection. */
export interface ServerReport {
  readonly serverName: string
  readonly serverVersion: string
  readonly protocolVersion: string
  readonly capabilities: readonly string[]
  readonly tools: readonly McpToolDefinition[]
  readonly refused: readonly RefusedDefinition[]
  /** The end of the server's log. */
  readonly log: string
  readonly logPath?: string
}

export interface TryOptions {
  readonly home: string
  readonly projectRoot: string
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  /** Credentials for HTTP servers. */
  readonly access: ServerAccess | undefined
  /** Signs the user in; undefined if there is no terminal. */
  readonly signIn: (() => Promise<void>) | undefined
}

/** Thrown if the connection to a server fails. */
export class ServerTrialError extends Error {
  override readonly name = 'ServerTrialError'
  constructor(
    message: string,
    readonly log: string,
    readonly needsSignIn: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** Connects to a server as a tool call would, lists its tools and disconnects. */
export async function tryServer(configuredServer: ConfiguredServer, options: TryOptions): Promise<ServerReport> {
  const { home, projectRoot, variables, access, signal, signIn } = options
  // A test also starts a disabled server. The caller has made sure that the server is approved.
  const { disabled, ...config } = configuredServer.config
  const enabledServer = { ...configuredServer, config, approved: true }
  const servers = connectMcpServers(
    { servers: [enabledServer], access: () => access, ...getServerFolders(home) },
    { env: variables, cwd: projectRoot },
  )
  const server = servers.get(configuredServer.name) as ManagedServer
  try {
    await server.connect(signal).catch(async (error) => {
      if (server.state.status !== 'needs-auth' || signIn === undefined) throw error
      await signIn()
      await server.reconnect(signal)
    })
    return createReport(server)
  } catch (error) {
    const reason = error instanceof UnreachableError ? error.reason : reasonOf(error)
    throw new ServerTrialError(reason, server.recentOutput, server.state.status === 'needs-auth', { cause: error })
  } finally {
    await servers.close()
  }
}

function createReport(server: ManagedServer): ServerReport {
  const { info, logPath } = server.state
  const { definitions = [], refused = [] } = server.offer ?? {}
  return {
    serverName: info?.serverInfo?.name ?? '',
    serverVersion: info?.serverInfo?.version ?? '',
    protocolVersion: info?.protocolVersion ?? '',
    capabilities: Object.keys(info?.capabilities ?? {}).sort(),
    tools: definitions,
    refused,
    log: server.recentOutput,
    ...(logPath !== undefined && { logPath }),
  }
}
