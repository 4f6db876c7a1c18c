import { extname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LspPort } from '../../contract/ports/lsp.js'
import { LanguageServer } from './language-server.js'
import type { ServerConfig } from './server-config.js'

export interface LspOptions {
  /** The project folder of the servers. */
  readonly folder: string
  readonly servers: readonly ServerConfig[]
}

const REQUEST_MS = 30_000
const DIAGNOSTICS_MS = 2_000

/** The language servers of this machine. `close` ends them. */
export function createLsp({ folder, servers }: LspOptions): LspPort & { close(): Promise<void> } {
  const running = new Map<ServerConfig, LanguageServer>()
  const serverFor = (path: string) => {
    const config = servers.find(({ extensions }) => Object.hasOwn(extensions, extname(path)))
    if (config === undefined) throw new Error(`No language server is configured for ${extname(path) || path}.`)
    const server = running.get(config) ?? new LanguageServer(config, folder)
    running.set(config, server)
    return { server, language: config.extensions[extname(path)] ?? '' }
  }
  return {
    supports: (path) => servers.some(({ extensions }) => Object.hasOwn(extensions, extname(path))),
    async request(operation, at, { signal, ...options } = {}) {
      const { server, language } = serverFor(at.path)
      return within(REQUEST_MS, signal, () => server.request(operation, at, options, language))
    },
    async diagnostics(path, { signal, waitMs = DIAGNOSTICS_MS } = {}) {
      const { server, language } = serverFor(path)
      return within(waitMs, signal, (stopped) => server.diagnostics(path, language, stopped))
    },
    async close() {
      await Promise.all([...running.values()].map((server) => server.end()))
    },
  }
}

/** The caller continues when the time limit is reached, however long the server takes. */
async function within<T>(
  ms: number,
  signal: AbortSignal | undefined,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeOver = new AbortController()
  const stopped = signal === undefined ? timeOver.signal : AbortSignal.any([signal, timeOver.signal])
  stopped.throwIfAborted()
  const over = sleep(ms, undefined, { signal: stopped }).then(() => {
    throw new Error(`The language server did not answer within ${ms} ms.`)
  })
  const asked = ask(stopped)
  // An answer after the time limit is dropped.
  asked.catch(() => undefined)
  try {
    return await Promise.race([asked, over])
  } finally {
    over.catch(() => undefined)
    timeOver.abort()
  }
}
