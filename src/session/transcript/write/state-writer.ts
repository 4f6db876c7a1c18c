import type { ReadFileEntry, ReadFileState } from '../../../contract/ports/read-file-state.js'
import { isRecord } from '../../../shared/is-record.js'
import type { TranscriptEntry } from '../storage/transcript-entry.js'

/** The state of an agent besides its messages. It is checked after every message, and changes are saved. */
export interface StateSource {
  readonly readFiles?: ReadFileState | undefined
  /** Values by key, such as todos and plan. Values that are not plain data are not saved. */
  readonly appState?: () => Readonly<Record<string, unknown>>
  /** Values that are restored when the session is resumed, such as `cwd` and `mode`. */
  readonly facts?: () => Readonly<Record<string, unknown>>
}

export const APP_STATE_PREFIX = 'app:'
const MAX_DEPTH = 40

/** Writes only the state that changed since the last write. */
export class StateWriter {
  readonly #write: (entry: TranscriptEntry) => void
  readonly #values = new Map<string, unknown>()
  readonly #texts = new Map<string, string | undefined>()
  #files = new Map<string, ReadFileEntry>()
  #source: StateSource | undefined

  constructor(write: (entry: TranscriptEntry) => void) {
    this.#write = write
  }

  track(source: StateSource): void {
    this.#source = source
  }

  /** Saves a value if it has changed; undefined removes it. Values that are not plain data are not saved. */
  save(key: string, value: unknown): void {
    if (this.#values.has(key) && this.#values.get(key) === value) return
    this.#values.set(key, value)
    if (!isPlainData(value, MAX_DEPTH)) return
    const text = JSON.stringify(value)
    if (this.#texts.get(key) === text) return
    this.#texts.set(key, text)
    this.#write({ type: 'state', key, at: Date.now(), ...(value !== undefined && { value }) })
  }

  continueFrom(state: Readonly<Record<string, unknown>>, files: Iterable<readonly [string, ReadFileEntry]>): void {
    for (const [key, value] of Object.entries(state)) this.#texts.set(key, JSON.stringify(value))
    this.#files = new Map(files)
  }

  saveTracked(): void {
    const { readFiles, appState, facts } = this.#source ?? {}
    if (readFiles !== undefined) this.#saveFiles(readFiles)
    if (appState !== undefined) this.#saveAppState(appState())
    for (const [key, value] of Object.entries(facts?.() ?? {})) this.save(key, value)
  }

  #saveAppState(state: Readonly<Record<string, unknown>>): void {
    for (const [key, value] of Object.entries(state)) this.save(`${APP_STATE_PREFIX}${key}`, value)
    for (const key of this.#texts.keys()) {
      if (key.startsWith(APP_STATE_PREFIX) && !(key.slice(APP_STATE_PREFIX.length) in state)) this.save(key, undefined)
    }
  }

  #saveFiles(readFiles: ReadFileState): void {
    const currentFiles = new Map(readFiles.entries())
    const changed = [...currentFiles].filter(([path, entry]) => !isSame(this.#files.get(path), entry))
    const removedPaths = [...this.#files.keys()].filter((path) => !currentFiles.has(path))
    this.#files = currentFiles
    if (changed.length === 0 && removedPaths.length === 0) return
    this.#write({ type: 'read-files', at: Date.now(), ...(removedPaths.length > 0 && { gone: removedPaths }), changed })
  }
}

/**
 * Whether two entries are equal. Entries are never mutated, so comparing identities usually suffices. Those of a resumed
 * session are equal but not identical.
 */
function isSame(entryBefore: ReadFileEntry | undefined, entryAfter: ReadFileEntry): boolean {
  return (
    entryBefore === entryAfter ||
    (entryBefore !== undefined && JSON.stringify(entryBefore) === JSON.stringify(entryAfter))
  )
}

function isPlainData(value: unknown, depth: number): boolean {
  if (value === undefined || value === null) return true
  if (typeof value !== 'object')
    return typeof value !== 'function' && typeof value !== 'symbol' && typeof value !== 'bigint'
  if (depth === 0) return false
  if (Array.isArray(value)) return value.every((item) => isPlainData(item, depth - 1))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  return isRecord(value) && Object.values(value).every((item) => isPlainData(item, depth - 1))
}
