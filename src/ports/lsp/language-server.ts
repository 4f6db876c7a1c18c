import type { LspDiagnostic, LspOperation, LspPosition } from '../../contract/ports/lsp.js'
import { isRecord } from '../../shared/is-record.js'
import { OpenDocuments } from './open-documents.js'
import { askOperation, type OperationOptions } from './operation-request.js'
import { readDiagnostics, toUri } from './protocol.js'
import { PublishedDiagnostics } from './published-diagnostics.js'
import type { ServerConfig } from './server-config.js'
import { type RunningServer, type StartServerOptions, startServer } from './start-server.js'

const MAX_STARTS = 3

interface Session {
  readonly server: RunningServer
  readonly documents: OpenDocuments
  readonly publishedDiagnostics: PublishedDiagnostics
}

/** One configured server. It is started at first use and restarted a few times if it exits. */
export class LanguageServer {
  readonly #config: ServerConfig
  readonly #startOptions: StartServerOptions
  #session: Promise<Session> | undefined
  #startCount = 0
  /** Document updates are sent one after the other, so that the server never keeps an older state. */
  #lastUpdate: Promise<unknown> = Promise.resolve()

  constructor(config: ServerConfig, startOptions: StartServerOptions) {
    this.#config = config
    this.#startOptions = startOptions
  }

  async request(
    operation: LspOperation,
    at: LspPosition,
    options: OperationOptions,
    language: string,
  ): Promise<unknown> {
    const session = await this.#open()
    await this.#runInOrder(() => session.documents.sync(at.path, language))
    return askOperation(session.server.connection, operation, at, options)
  }

  async diagnostics(path: string, language: string, signal: AbortSignal): Promise<readonly LspDiagnostic[]> {
    const session = await this.#open()
    const version = await this.#runInOrder(async () => {
      const oldVersion = session.documents.getVersion(path)
      await session.documents.sync(path, language)
      const version = session.documents.getVersion(path) ?? 0
      if (version !== oldVersion) session.publishedDiagnostics.forget(path)
      return version
    })
    if (!session.server.capabilities.diagnosticProvider)
      return session.publishedDiagnostics.waitFor(path, version, signal)
    const report = await session.server.connection.sendRequest('textDocument/diagnostic', {
      textDocument: { uri: toUri(path) },
    })
    return readDiagnostics(path, isRecord(report) ? report.items : undefined)
  }

  async end(): Promise<void> {
    const session = await this.#session?.catch(() => undefined)
    await session?.server.end()
  }

  #open(): Promise<Session> {
    this.#session ??= this.#start()
    return this.#session
  }

  async #start(): Promise<Session> {
    if (this.#startCount++ >= MAX_STARTS)
      throw new Error(
        `The language server ${this.#config.name} ended ${MAX_STARTS} times and is not started again. Check its settings.`,
      )
    try {
      const publishedDiagnostics = new PublishedDiagnostics()
      const server = await startServer(this.#config, this.#startOptions, (connection) =>
        publishedDiagnostics.listen(connection),
      )
      server.ended.then(() => {
        this.#session = undefined
      })
      return { server, documents: new OpenDocuments(server.connection), publishedDiagnostics }
    } catch (error) {
      this.#session = undefined
      throw error
    }
  }

  #runInOrder<T>(act: () => Promise<T>): Promise<T> {
    const result = this.#lastUpdate.then(act, act)
    this.#lastUpdate = result
    return result
  }
}
