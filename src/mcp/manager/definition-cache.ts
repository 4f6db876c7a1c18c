import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { isRecord } from '../../shared/is-record.js'
import { makeFolder } from '../../system/make-folder.js'
import { writeFileAtomically } from '../../system/write-file-atomically.js'
import type { McpServerConfig } from '../config/server-config.js'

/** How many servers are remembered; those not used for longest are forgotten first. */
const MOST_SERVERS = 100
/** How long what a server said holds without asking it again. */
const FRESH_MS = 24 * 60 * 60 * 1000
/** A file of another form is none. */
const FORM = 1

/** What is known of a server from last time, as it said it. */
export interface CachedServer {
  readonly tools: readonly unknown[]
  readonly prompts: readonly unknown[]
  readonly hasResources: boolean
  readonly era: 'legacy' | 'modern'
  readonly savedAt: number
}

/** Definitions on disk, one file a server, in a folder that is the user's own. A file that cannot be used is as good as none. */
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
    const path = this.#pathOf(name, config)
    try {
      const known: unknown = JSON.parse(await readFile(path, 'utf8'))
      if (!isCached(known)) return undefined
      const used = new Date(this.#now())
      await utimes(path, used, used)
      const age = this.#now() - known.savedAt
      return { ...known, isFresh: age >= 0 && age < FRESH_MS }
    } catch {
      return undefined
    }
  }

  /** Whole or not at all; a disk that refuses costs only time at the next start. */
  async write(name: string, config: McpServerConfig, server: Omit<CachedServer, 'savedAt'>): Promise<void> {
    const path = this.#pathOf(name, config)
    try {
      makeFolder(this.#folder)
      const text = JSON.stringify({ form: FORM, ...server, savedAt: this.#now() })
      await writeFileAtomically(path, text, { mode: 0o600, isDurable: false })
      await this.#forgetOldest()
    } catch {
      // The next start asks the server again.
    }
  }

  async #forgetOldest(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => name.endsWith('.json'))
    if (names.length <= MOST_SERVERS) return
    const files = await Promise.all(
      names.map(async (name) => ({ name, usedAt: (await stat(join(this.#folder, name))).mtimeMs })),
    )
    const oldest = files.sort((a, b) => a.usedAt - b.usedAt).slice(0, files.length - MOST_SERVERS)
    for (const { name } of oldest) await rm(join(this.#folder, name), { force: true })
  }

  /** By all that decides which server answers: another command or another token may see other tools. */
  #pathOf(name: string, config: McpServerConfig): string {
    const key = createHash('sha256')
      .update(JSON.stringify([name, config]))
      .digest('hex')
      .slice(0, 32)
    return join(this.#folder, `${key}.json`)
  }
}

function isCached(value: unknown): value is CachedServer {
  if (!isRecord(value) || value.form !== FORM || !Number.isFinite(value.savedAt)) return false
  return Array.isArray(value.tools) && Array.isArray(value.prompts) && typeof value.hasResources === 'boolean'
}
