import { extname } from 'node:path'
import type { LspPort } from '../../contract/ports/lsp.js'
import { waitAtMost } from '../../shared/waiting.js'
import { LanguageServer } from './language-server.js'
import type { ServerConfig } from './server-config.js'
import type { StartServerOptions } from './start-server.js'

/** The language servers to use. `folder` is the project that they work on. */
export interface LspOptions extends StartServerOptions {
  readonly servers: readonly ServerConfig[]
}

const MAX_REQUEST_MS = 30_000
const DEFAULT_DIAGNOSTICS_MS = 2_000

/** Creates the port for the language servers of this machine. `close` ends them. */
export function createLsp({ servers, ...startOptions }: LspOptions): LspPort & { close(): Promise<void> } {
  const runningServers = new Map<ServerConfig, LanguageServer>()
  const findServer = (path: string) => {
    const config = servers.find(({ extensions }) => Object.hasOwn(extensions, extname(path)))
    if (config === undefined)
      throw new Error(
        `No language server is configured for ${extname(path) || path}. The user can add one with the setting languageServers.`,
      )
    const server = runningServers.get(config) ?? new LanguageServer(config, startOptions)
    runningServers.set(config, server)
    return { server, language: config.extensions[extname(path)] ?? '' }
  }
  return {
    supports: (path) => servers.some(({ extensions }) => Object.hasOwn(extensions, extname(path))),
    async request(operation, at, { signal, ...options } = {}) {
      const { server, language } = findServer(at.path)
      return runWithTimeout(MAX_REQUEST_MS, signal, () => server.request(operation, at, options, language))
    },
    async diagnostics(path, { signal, waitMs = DEFAULT_DIAGNOSTICS_MS } = {}) {
      const { server, language } = findServer(path)
      return runWithTimeout(waitMs, signal, (abortSignal) => server.diagnostics(path, language, abortSignal))
    },
    async close() {
      await Promise.all([...runningServers.values()].map((server) => server.end()))
    },
  }
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
