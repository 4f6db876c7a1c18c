import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { isRecord } from '../../shared/is-record.js'
import { makeFolder } from '../../system/make-folder.js'
import { writeFileAtomically } from '../../system/write-file-atomically.js'
import type { McpServerConfig } from '../config/server-config.js'

/** The maximum number of cached servers. The least recently used ones are removed first. */
const MAX_SERVERS = 100
/** How long cached definitions are used without starting the server. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000
/** The version of the file format. Files with another version are ignored. */
const FORMAT_VERSION = 1

/** The lists of a server from its last session, as it sent them. */
export interface CachedServer {
  readonly tools: readonly unknown[]
  readonly prompts: readonly unknown[]
  readonly hasResources: boolean
  readonly era: 'legacy' | 'modern'
  /** What the server says about the use of its tools. */
  readonly instructions?: string
  readonly savedAt: number
}

/** Definitions on disk, one file per server configuration. Only the owner can read them. Invalid files are ignored. */
export class DefinitionCache {
  readonly #folder: string
  readonly #now: () => number

  constructor(folder: string, now: () => number) {
    this.#folder = folder
    this.#now = now
  }

  async read(
    name: string,
    config: McpServerConfig,
  ): Promise<(CachedServer & { readonly isFresh: boolean }) | undefined> {
    if (config.type === 'sdk') return undefined
    const path = this.#toPath(name, config)
    try {
      const cachedValue: unknown = JSON.parse(await readFile(path, 'utf8'))
      if (!isCached(cachedValue)) return undefined
      const usedAt = new Date(this.#now())
      await utimes(path, usedAt, usedAt)
      const age = this.#now() - cachedValue.savedAt
      return { ...cachedValue, isFresh: age >= 0 && age < MAX_AGE_MS }
    } catch {
      return undefined
    }
  }

  /** Writes the file atomically. If that fails, only the next start is slower. */
  async write(name: string, config: McpServerConfig, server: Omit<CachedServer, 'savedAt'>): Promise<void> {
    if (config.type === 'sdk') return
    const path = this.#toPath(name, config)
    try {
      makeFolder(this.#folder)
      const text = JSON.stringify({ form: FORMAT_VERSION, ...server, savedAt: this.#now() })
      await writeFileAtomically(path, text, { mode: 0o600, isDurable: false })
      await this.#removeOldest()
    } catch {
      // The next start asks the server again.
    }
  }

  async #removeOldest(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => name.endsWith('.json'))
    if (names.length <= MAX_SERVERS) return
    const files = await Promise.all(
      names.map(async (name) => ({ name, usedAt: (await stat(join(this.#folder, name))).mtimeMs })),
    )
    const oldestFiles = files.sort((a, b) => a.usedAt - b.usedAt).slice(0, files.length - MAX_SERVERS)
    for (const { name } of oldestFiles) await rm(join(this.#folder, name), { force: true })
  }

  /**
   * Returns the path of a server's file. The key includes the whole configuration, because another command or token may list
   * other tools.
   */
  #toPath(name: string, config: McpServerConfig): string {
    const key = createHash('sha256')
      .update(JSON.stringify([name, config]))
      .digest('hex')
      .slice(0, 32)
    return join(this.#folder, `${key}.json`)
  }
}

function isCached(value: unknown): value is CachedServer {
  if (!isRecord(value) || value.form !== FORMAT_VERSION || !Number.isFinite(value.savedAt)) return false
  if (value.instructions !== undefined && typeof value.instructions !== 'string') return false
  return Array.isArray(value.tools) && Array.isArray(value.prompts) && typeof value.hasResources === 'boolean'
}
