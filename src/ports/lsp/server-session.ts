import type { ServicePort, ServiceProcess } from '../../contract/host/service-process.js'
import { cutTextStart } from '../../shared/cut-text.js'
import { toUri } from '../../shared/file-uri.js'
import { isRecord } from '../../shared/is-record.js'
import { raceWithAbort } from '../../shared/waiting.js'
import type { FoundServer } from './find-server.js'
import { OpenDocuments } from './open-documents.js'
import type { ProjectFiles } from './project-files.js'
import { PublishedDiagnostics } from './published-diagnostics.js'
import { RpcConnection } from './rpc-connection.js'
import { followProject } from './watched-files.js'

/** What a server needs to start. */
export interface StartOptions {
  readonly services: ServicePort
  /** The variables that servers inherit, without secrets. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

const MAX_STDERR_CHARS = 2_000

/** A server that has been initialised, with the documents that are open in it. Ends when its process or its connection does. */
export class ServerSession {
  readonly connection: RpcConnection
  readonly documents: OpenDocuments
  readonly diagnostics = new PublishedDiagnostics()
  readonly pid: number
  /** Resolves when the server has ended or failed, with the reason. */
  readonly ended: Promise<Error>
  capabilities: Readonly<Record<string, unknown>> = {}
  version: string | undefined
  readonly #service: ServiceProcess
  readonly #foundServer: FoundServer
  readonly #progressTokens = new Set<unknown>()
  #progressEnded: (() => void)[] = []
  #projectFiles: ProjectFiles | undefined
  #stderr = ''

  private constructor(service: ServiceProcess, foundServer: FoundServer) {
    this.#service = service
    this.#foundServer = foundServer
    this.pid = service.pid
    let reportEnd: (reason: Error) => void = () => undefined
    this.ended = new Promise((resolve) => {
      reportEnd = resolve
    })
    this.connection = new RpcConnection(service.stdin, service.stdout, {
      onRequest: (method, params) => this.#answer(method, params),
      onNotification: (method, params) => this.#receive(method, params),
      onFailure: reportEnd,
    })
    this.documents = new OpenDocuments(this.connection)
    service.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = cutTextStart(this.#stderr + chunk.toString('utf8'), MAX_STDERR_CHARS)
    })
    void this.ended.then(() => this.#endProgress())
    void service.exited.then((status) => this.connection.fail(new Error(this.#describeExit(status))))
  }

  /** Starts a server. It ends with this process, even if that is killed. */
  static async start(foundServer: FoundServer, { services, environment }: StartOptions, signal: AbortSignal) {
    const { command, args, root } = foundServer
    const env = Object.fromEntries(Object.entries(environment).filter(isDefined))
    const service = await services.start({ command, args, cwd: root, env })
    const session = new ServerSession(service, foundServer)
    try {
      await session.#initialise(signal)
      return session
    } catch (error) {
      await session.end()
      throw error
    }
  }

  /** The files of the project, with what changed since the previous request. */
  get projectFiles(): ProjectFiles | undefined {
    return this.#projectFiles
  }

  /** Whether the server is still loading the project, so that its answers may be incomplete. */
  get isLoading(): boolean {
    return this.#progressTokens.size > 0
  }

  /** Resolves when the server no longer reports that it is loading the project. */
  async waitUntilLoaded(signal: AbortSignal): Promise<void> {
    if (!this.isLoading) return
    await raceWithAbort(new Promise<void>((resolve) => this.#progressEnded.push(resolve)), signal)
  }

  async end(): Promise<void> {
    this.#projectFiles?.close()
    this.connection.fail(new Error('it was ended'))
    await this.#service.end()
  }

  async #initialise(signal: AbortSignal): Promise<void> {
    const { root, config } = this.#foundServer
    const uri = toUri(root)
    const pendingFiles = followProject(root)
    let initializeResult: unknown
    try {
      initializeResult = await this.connection.request(
        'initialize',
        {
          processId: process.pid,
          clientInfo: { name: 'haft' },
          rootUri: uri,
          workspaceFolders: [{ uri, name: root }],
          capabilities: CLIENT_CAPABILITIES,
          initializationOptions: config.initializationOptions ?? null,
        },
        signal,
      )
    } finally {
      this.#projectFiles = await pendingFiles
    }
    const result = isRecord(initializeResult) ? initializeResult : {}
    this.capabilities = isRecord(result.capabilities) ? result.capabilities : {}
    const info = isRecord(result.serverInfo) ? result.serverInfo : {}
    this.version = typeof info.version === 'string' ? info.version : undefined
    this.connection.notify('initialized', {})
    if (config.settings !== undefined)
      this.connection.notify('workspace/didChangeConfiguration', { settings: config.settings })
  }

  #receive(method: string, params: unknown): void {
    if (method === 'textDocument/publishDiagnostics')
      this.diagnostics.receive(params, (path) => this.documents.isOpen(path))
    if (method === '$/progress' && isRecord(params) && isRecord(params.value))
      this.#followProgress(params.token, params.value.kind)
  }

  #followProgress(token: unknown, kind: unknown): void {
    if (kind === 'begin') this.#progressTokens.add(token)
    if (kind === 'end') this.#progressTokens.delete(token)
    if (!this.isLoading) this.#endProgress()
  }

  #endProgress(): void {
    this.#progressTokens.clear()
    const waiters = this.#progressEnded
    this.#progressEnded = []
    for (const resolve of waiters) resolve()
  }

  /** Answers requests of the server. Without an answer, some servers wait forever. Edits of the server are never applied. */
  #answer(method: string, params: unknown): unknown {
    const { root, config } = this.#foundServer
    if (method === 'workspace/configuration') {
      const items = isRecord(params) && Array.isArray(params.items) ? params.items : []
      return items.map((item) => findSetting(config.settings, isRecord(item) ? item.section : undefined))
    }
    if (method === 'workspace/workspaceFolders') return [{ uri: toUri(root), name: root }]
    return method === 'workspace/applyEdit' ? { applied: false, failureReason: 'Haft does not apply edits.' } : null
  }

  #describeExit(status: string): string {
    const lastLines = this.#stderr.trim().split('\n').slice(-5).join('\n')
    return lastLines === '' ? `it ended with ${status}` : `it ended with ${status}: ${lastLines}`
  }
}

function isDefined(entry: [string, string | undefined]): entry is [string, string] {
  return entry[1] !== undefined
}

/** Returns the part of the settings that a server asks for: for `python.analysis`, the value of `settings.python.analysis`. */
function findSetting(settings: unknown, section: unknown): unknown {
  if (typeof section !== 'string' || section === '') return settings ?? null
  let value = settings
  for (const name of section.split('.')) value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return value ?? null
}

/** Only the capabilities that Haft uses. */
const CLIENT_CAPABILITIES = {
  workspace: {
    workspaceFolders: true,
    configuration: true,
    symbol: {},
    didChangeWatchedFiles: { dynamicRegistration: true },
    workspaceEdit: { documentChanges: true, resourceOperations: [], failureHandling: 'abort' },
  },
  textDocument: {
    synchronization: { didSave: true },
    publishDiagnostics: { versionSupport: true },
    diagnostic: {},
    definition: { linkSupport: true },
    implementation: { linkSupport: true },
    references: {},
    hover: { contentFormat: ['markdown', 'plaintext'] },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    callHierarchy: {},
    rename: { prepareSupport: false },
  },
  window: { workDoneProgress: true },
  general: { positionEncodings: ['utf-16'] },
}
