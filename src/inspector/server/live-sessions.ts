import { statSync } from 'node:fs'
import { findSession } from '../../session/transcript/read/find-session.js'
import { SessionError } from '../../session/transcript/storage/session-error.js'
import { isSessionId, type SessionPaths } from '../../session/transcript/storage/session-paths.js'
import { SessionData, type SessionUpdate } from '../data/session-data.js'

/** How often the files of a watched session are checked. An event must be on the page within 100 ms. */
const POLL_MS = 40
/** Sessions that stay in memory after they were opened. */
const MAX_OPEN_SESSIONS = 3

export interface SessionLocation {
  readonly home: string | undefined
  readonly projectRoot: string
  /** Transcripts outside the usual folders, by session id. */
  readonly files: ReadonlyMap<string, SessionPaths>
}

/** Opens sessions and reports what is added to them. */
export class LiveSessions {
  readonly #location: SessionLocation
  readonly #sessions = new Map<string, WatchedSession>()

  constructor(location: SessionLocation) {
    this.#location = location
  }

  /** Opens a session by its id and reads what was added. Throws a `SessionError` if there is no such session. */
  async open(id: string): Promise<WatchedSession> {
    const session = this.#sessions.get(id) ?? new WatchedSession(new SessionData(this.find(id)))
    // The most recently used session is last.
    this.#sessions.delete(id)
    this.#sessions.set(id, session)
    await session.data.refresh()
    for (const [otherId, { isWatched }] of this.#sessions) {
      if (this.#sessions.size <= MAX_OPEN_SESSIONS) break
      if (!isWatched && otherId !== id) this.#sessions.delete(otherId)
    }
    return session
  }

  /** Finds a session by its id only: the page must not name files. */
  find(id: string): SessionPaths {
    if (!isSessionId(id)) throw new SessionError('bad_id', 'This is not a valid session id.')
    return this.#location.files.get(id) ?? findSession(id, this.#location)
  }

  close(): void {
    for (const session of this.#sessions.values()) session.close()
  }
}

/** A session in memory, which is read again while someone watches it. */
export class WatchedSession {
  readonly data: SessionData
  readonly #listeners = new Set<(update: SessionUpdate) => void>()
  #timer: NodeJS.Timeout | undefined
  #sizes = ''
  #isReading = false

  constructor(data: SessionData) {
    this.data = data
  }

  get isWatched(): boolean {
    return this.#listeners.size > 0
  }

  /** Calls the listener with everything that is added. Returns a function that ends this. */
  watch(listener: (update: SessionUpdate) => void): () => void {
    this.#listeners.add(listener)
    this.#timer ??= setInterval(() => void this.#poll(), POLL_MS)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.close()
    }
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #poll(): Promise<void> {
    const sizes = this.data.filePaths.map((path) => statSync(path, { throwIfNoEntry: false })?.size).join()
    if (sizes === this.#sizes || this.#isReading) return
    this.#isReading = true
    try {
      this.#sizes = sizes
      await this.data.refresh()
      const update = this.data.takeUpdate()
      for (const listener of this.#listeners) listener(update)
    } catch {
      // The file was removed or cannot be read now. The page keeps what it has.
    } finally {
      this.#isReading = false
    }
  }
}
