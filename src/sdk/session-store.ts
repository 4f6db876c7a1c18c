/** Identifies a session, or a part of it, in a store. */
export interface SessionKey {
  /** The project, as the name of its folder. */
  readonly projectKey: string
  readonly sessionId: string
  readonly subpath?: string
}

/** A line of a transcript. */
export type SessionStoreEntry = Readonly<Record<string, unknown>> & { readonly type: string }

/** Where sessions are stored besides the disk, for instance a database. */
export interface SessionStore {
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>
  /** Returns null if there is no such session. */
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>
  listSessions?(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>
  delete?(key: SessionKey): Promise<void>
}

/** A store that forgets everything with the process, for tests. */
export class InMemorySessionStore implements SessionStore {
  readonly #sessions = new Map<string, { readonly key: SessionKey; entries: SessionStoreEntry[]; mtime: number }>()

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    const session = this.#sessions.get(toText(key))
    if (session === undefined) this.#sessions.set(toText(key), { key, entries: [...entries], mtime: Date.now() })
    else {
      session.entries.push(...entries)
      session.mtime = Date.now()
    }
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const session = this.#sessions.get(toText(key))
    return session === undefined ? null : [...session.entries]
  }

  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    return [...this.#sessions.values()].flatMap(({ key, mtime }) =>
      key.projectKey === projectKey && key.subpath === undefined ? [{ sessionId: key.sessionId, mtime }] : [],
    )
  }

  async delete(key: SessionKey): Promise<void> {
    this.#sessions.delete(toText(key))
  }

  getEntries(key: SessionKey): SessionStoreEntry[] {
    return [...(this.#sessions.get(toText(key))?.entries ?? [])]
  }

  get size(): number {
    return this.#sessions.size
  }

  clear(): void {
    this.#sessions.clear()
  }
}

function toText({ projectKey, sessionId, subpath = '' }: SessionKey): string {
  return JSON.stringify([projectKey, sessionId, subpath])
}
