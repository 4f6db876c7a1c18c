import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { MessageConnection } from 'vscode-jsonrpc/node'
import { isRecord } from '../../shared/is-record.js'
import { endProcesses } from '../../system/processes/end-processes.js'
import { toUri } from './protocol.js'
import type { ServerConfig } from './server-config.js'

/** A server that has been initialised. */
export interface RunningServer {
  readonly connection: MessageConnection
  readonly capabilities: Readonly<Record<string, unknown>>
  /** Resolves when the process has ended for any reason. */
  readonly ended: Promise<void>
  end(): Promise<void>
}

/** Where a server works, and the variables that it inherits: by default, those of this process. */
export interface StartServerOptions {
  readonly folder: string
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined
}

/** Starts a server for a folder. The server ends with this process: its stdin is closed, and it watches the id of this process. */
export async function startServer(
  config: ServerConfig,
  { folder, environment }: StartServerOptions,
  listen: (connection: MessageConnection) => void,
): Promise<RunningServer> {
  const { createMessageConnection, StreamMessageReader, StreamMessageWriter } = await import('vscode-jsonrpc/node')
  const child = spawn(config.command, config.args, {
    cwd: folder,
    ...(environment !== undefined && { env: environment }),
    stdio: ['pipe', 'pipe', 'ignore'],
    // In its own process group, because many servers are started by a script, and ending only the script would leave them
    // running.
    detached: process.platform !== 'win32',
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const startFailure = once(child, 'error').then(([error]) => Promise.reject(error))
  // The initialisation reports a failed start. A later error must not become an unhandled rejection.
  startFailure.catch(() => undefined)
  // A write fails once the process has ended. `ended` reports that.
  child.stdin.on('error', () => undefined)
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  )
  listen(connection)
  answerRequests(connection)
  connection.listen()
  const end = async () => {
    child.stdin.end()
    if (child.pid !== undefined) {
      await endProcesses({ leader: child.pid })
      await ended
    }
    connection.dispose()
  }
  try {
    const endedEarly = ended.then(() =>
      Promise.reject(new Error(`The language server ${config.name} ended before it answered.`)),
    )
    const initializeResult = await Promise.race([initialise(connection, config, folder), startFailure, endedEarly])
    await connection.sendNotification('initialized', {})
    return { connection, capabilities: readCapabilities(initializeResult), ended, end }
  } catch (error) {
    await end()
    throw error
  }
}

function initialise(connection: MessageConnection, config: ServerConfig, folder: string): Promise<unknown> {
  return connection.sendRequest('initialize', {
    processId: process.pid,
    rootUri: toUri(folder),
    workspaceFolders: [{ uri: toUri(folder), name: folder }],
    capabilities: CLIENT_CAPABILITIES,
    initializationOptions: config.initializationOptions ?? null,
  })
}

function readCapabilities(initializeResult: unknown): Readonly<Record<string, unknown>> {
  return isRecord(initializeResult) && isRecord(initializeResult.capabilities) ? initializeResult.capabilities : {}
}

/** Answers requests for data that Haft does not have, such as settings. Without a response, some servers wait forever. */
function answerRequests(connection: MessageConnection): void {
  connection.onRequest((method, params) => {
    const items = isRecord(params) && Array.isArray(params.items) ? params.items : []
    return method === 'workspace/configuration' ? items.map(() => null) : null
  })
}

/** Only the capabilities that Haft uses. */
const CLIENT_CAPABILITIES = {
  workspace: { workspaceFolders: true, configuration: true, symbol: {}, didChangeWatchedFiles: {} },
  textDocument: {
    synchronization: { didSave: true },
    publishDiagnostics: { versionSupport: true },
    diagnostic: {},
    definition: {},
    implementation: {},
    references: {},
    hover: { contentFormat: ['markdown', 'plaintext'] },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    callHierarchy: {},
    rename: {},
  },
  general: { positionEncodings: ['utf-16'] },
}
