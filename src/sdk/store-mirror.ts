import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { getProjectFolder, SessionPaths } from '../session/transcript/storage/session-paths.js'
import { findProjectRoot } from '../settings/files/find-project-root.js'
import { isRecord } from '../shared/is-record.js'
import { toProjectFolderName } from '../shared/project-folder-name.js'
import { writeFileAtomically } from '../system/write-file-atomically.js'
import type { SessionStore, SessionStoreEntry } from './session-store.js'

interface MirrorOptions {
  readonly home: string
  readonly cwd: string
  /** The session that is resumed. If it is only in the store, its transcript is written first. */
  readonly resume: string | undefined
}

/** Copies the lines of a transcript to a store, after each result and at the end. */
export class StoreMirror {
  readonly #store: SessionStore
  readonly #folder: string
  readonly #projectKey: string
  /** How many lines of each session the store has. */
  readonly #counts = new Map<string, number>()
  #lastId: string | undefined

  private constructor(store: SessionStore, folder: string, projectKey: string) {
    this.#store = store
    this.#folder = folder
    this.#projectKey = projectKey
  }

  static async open(store: SessionStore, { home, cwd, resume }: MirrorOptions): Promise<StoreMirror> {
    const projectRoot = await findProjectRoot({ cwd, home })
    const mirror = new StoreMirror(store, getProjectFolder(home, projectRoot), toProjectFolderName(projectRoot))
    if (resume !== undefined) await mirror.#restore(resume)
    return mirror
  }

  async #restore(sessionId: string): Promise<void> {
    const entries = await this.#store.load({ projectKey: this.#projectKey, sessionId })
    if (entries === null) return
    this.#counts.set(sessionId, entries.length)
    const { transcript } = new SessionPaths(this.#folder, sessionId)
    if (existsSync(transcript)) return
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
    await writeFileAtomically(transcript, text, { mode: 0o600, isDurable: false })
  }

  async update(sessionId: string): Promise<void> {
    this.#lastId = sessionId
    const { transcript } = new SessionPaths(this.#folder, sessionId)
    if (!existsSync(transcript)) return
    const lines = (await readFile(transcript, 'utf8')).split('\n').slice(0, -1)
    const count = this.#counts.get(sessionId) ?? 0
    const entries = lines.slice(count).flatMap(readEntry)
    this.#counts.set(sessionId, lines.length)
    if (entries.length > 0) await this.#store.append({ projectKey: this.#projectKey, sessionId }, entries)
  }

  async finish(): Promise<void> {
    if (this.#lastId !== undefined) await this.update(this.#lastId)
  }
}

function readEntry(line: string): readonly SessionStoreEntry[] {
  const entry: unknown = JSON.parse(line)
  return isRecord(entry) && typeof entry.type === 'string' ? [{ ...entry, type: entry.type }] : []
}
