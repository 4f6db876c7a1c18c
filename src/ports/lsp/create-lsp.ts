import { realpathSync } from 'node:fs'
import type { ServicePort } from '../../contract/host/service-process.js'
import type { LspPort } from '../../contract/ports/lsp.js'
import { waitAtMost } from '../../shared/waiting.js'
import { createMovedError } from '../paths/opened-path.js'
import { explainMissingServer, type FoundServer, findServer, type ServerSearch } from './find-server.js'
import { DEFAULT_SERVER_LIMITS, LanguageServer, type ServerLimits } from './language-server.js'

/** The language servers to use, and how they are started. */
export interface LspOptions extends ServerSearch {
  /** Starts the servers under the supervisor of this process. */
  readonly services: ServicePort
  readonly workingFolders: () => readonly string[]
  readonly limits?: Partial<LspLimits>
}

interface LspLimits extends ServerLimits {
  /** How long a request may take, including the start of the server. */
  readonly requestMs: number
  /** How often the memory and the state of servers are checked. */
  readonly checkMs: number
}

const DEFAULT_LIMITS: LspLimits = { ...DEFAULT_SERVER_LIMITS, requestMs: 60_000, checkMs: 5_000 }
const DEFAULT_DIAGNOSTICS_MS = 2_000
/** With more servers, the one that was not used for the longest time is ended. */
const MAX_RUNNING_SERVERS = 8

/** The LSP port, with a method for the checks of edits. */
export interface Lsp extends LspPort {
  /**
   * Whether diagnostics follow an edit of the file: a server from the settings handles it, or its server is already running.
   */
  servesEdits(path: string): boolean
  close(): Promise<void>
}

/** Creates the port for the language servers of this machine. `close` ends them. */
export function createLsp(options: LspOptions): Lsp {
  const { services, environment, workingFolders } = options
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const servers = new Map<string, LanguageServer>()
  let checks: NodeJS.Timeout | undefined

  const getServer = (foundServer: FoundServer): LanguageServer => {
    const key = JSON.stringify([foundServer.config.name, foundServer.root])
    const server = servers.get(key) ?? new LanguageServer(foundServer, { services, environment }, limits)
    servers.set(key, server)
    // Without `unref`, the timer would keep the process alive.
    checks ??= setInterval(() => {
      for (const server of servers.values()) void server.check()
    }, limits.checkMs).unref()
    return server
  }
  const openServer = (path: string) => {
    const foundServer = findServer(path, options)
    if (foundServer === undefined) throw new Error(explainMissingServer(path, options))
    const server = getServer(foundServer)
    if (!server.isRunning) endLeastUsed([...servers.values()])
    return { server, language: foundServer.language }
  }
  return {
    workingFolders,
    async findProblem(path) {
      return findServer(path, options) === undefined ? explainMissingServer(path, options) : undefined
    },
    servesEdits(path) {
      const foundServer = findServer(path, options)
      if (foundServer === undefined) return false
      return (
        foundServer.config.isConfigured ||
        servers.get(JSON.stringify([foundServer.config.name, foundServer.root]))?.isRunning === true
      )
    },
    async request(operation, at, { signal, ...requestOptions } = {}) {
      // The caller resolved the path and rules were applied to it, so it must not lead elsewhere by now.
      if (resolvePath(at.path) !== at.path) throw createMovedError(at.path)
      const { server, language } = openServer(at.path)
      return runWithTimeout(limits.requestMs, signal, (abortSignal) =>
        server.request(operation, at, requestOptions, language, abortSignal),
      )
    },
    async diagnostics(path, { signal, waitMs = DEFAULT_DIAGNOSTICS_MS } = {}) {
      const realPath = resolvePath(path)
      const { server, language } = openServer(realPath)
      const diagnostics = await runWithTimeout(waitMs, signal, (abortSignal) =>
        server.diagnostics(realPath, language, abortSignal),
      )
      return diagnostics.map((diagnostic) => ({ ...diagnostic, path }))
    },
    status: () => Promise.all([...servers.values()].map((server) => server.status())),
    async close() {
      clearInterval(checks)
      await Promise.all([...servers.values()].map((server) => server.end()))
      await services.dispose()
    },
  }
}

/** Returns the real path, by which servers know a file. Synchronous, because the thread pool takes longer than this call. */
function resolvePath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    // The file does not exist. The server will report that.
    return path
  }
}

function endLeastUsed(servers: readonly LanguageServer[]): void {
  const runningServers = servers.filter(({ isRunning }) => isRunning)
  if (runningServers.length < MAX_RUNNING_SERVERS) return
  const [leastRecentServer] = runningServers.filter(({ isIdle }) => isIdle).sort((a, b) => a.lastUsedAt - b.lastUsedAt)
  if (leastRecentServer === undefined)
    throw new Error(
      `${MAX_RUNNING_SERVERS} language servers are busy, which is the limit. Try again when they have answered.`,
    )
  void leastRecentServer.end()
}

/** Runs an action. Rejects at the time limit or when aborted, even if the server does not answer. */
async function runWithTimeout<T>(
  ms: number,
  signal: AbortSignal | undefined,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeLimit = new AbortController()
  const abortSignal = signal === undefined ? timeLimit.signal : AbortSignal.any([signal, timeLimit.signal])
  abortSignal.throwIfAborted()
  try {
    const answer = await waitAtMost(ms, ask(abortSignal), signal)
    if (answer !== undefined) return answer.value
    signal?.throwIfAborted()
    throw new Error(`The language server did not answer within ${ms} ms. Try again.`)
  } finally {
    timeLimit.abort()
  }
}
