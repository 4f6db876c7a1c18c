import { existsSync } from 'node:fs'
import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { getProjectFolder, SessionPaths } from '../../session/transcript/storage/session-paths.js'
import { makeFolder } from '../../system/make-folder.js'
import type { JournalEntry, StoreBody } from '../engine/run-journal.js'

/** Larger files beside a transcript stay on the machine where they were written. */
const MAX_STORED_FILE_BYTES = 16 * 1024 * 1024

/** JSON escapes control characters, so these never occur in a line of a transcript. */
const FOLDER_TOKEN = '\u0001'
const PROJECT_TOKEN = '\u0002'

/**
 * The folder of one run on this machine: the working folder, and a home for the transcript and what is beside it. The journal contains no path of a machine,
 * so that a run can continue in another folder.
 */
export class RunFolder {
  readonly path: string
  readonly runId: string
  readonly #storedFiles = new Set<string>()

  constructor(stateFolder: string, runId: string) {
    this.path = join(stateFolder, 'runs', runId)
    this.runId = runId
  }

  get work(): string {
    return join(this.path, 'work')
  }

  get home(): string {
    return join(this.path, 'home')
  }

  get snapshots(): string {
    return join(this.path, 'snapshots')
  }

  get #session(): SessionPaths {
    return new SessionPaths(getProjectFolder(this.home, this.work), this.runId)
  }

  /** Creates the folders. */
  async create(): Promise<void> {
    makeFolder(this.home)
    await mkdir(this.work, { recursive: true, mode: 0o700 })
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true })
  }

  /** Replaces the paths of this machine in a line for the journal. */
  toPortable(line: string): string {
    return line
      .replaceAll(escapeForJson(this.path), FOLDER_TOKEN)
      .replaceAll(escapeForJson(this.#projectName), PROJECT_TOKEN)
  }

  toLocal(line: string): string {
    return line
      .replaceAll(FOLDER_TOKEN, escapeForJson(this.path))
      .replaceAll(PROJECT_TOKEN, escapeForJson(this.#projectName))
  }

  get #projectName(): string {
    const folder = this.#session.folder
    return folder.slice(folder.lastIndexOf(sep) + 1)
  }

  /**
   * Writes the transcript and its files from the journal. What a process left here is replaced: the journal is what counts. Returns
   * whether there is a transcript to resume.
   */
  async restoreSession(
    entries: readonly JournalEntry[],
    loadBody: (hash: string) => Promise<Buffer>,
  ): Promise<boolean> {
    const session = this.#session
    await Promise.all([
      rm(session.transcript, { force: true }),
      rm(session.lock, { recursive: true, force: true }),
      rm(session.gap, { force: true }),
      rm(session.attached, { recursive: true, force: true }),
    ])
    const linesByAgent = new Map<string | undefined, string[]>()
    for (const entry of entries) {
      if (entry.type === 'line') {
        const lines = linesByAgent.get(entry.agentId) ?? []
        linesByAgent.set(entry.agentId, lines)
        lines.push(this.toLocal(entry.line))
      } else if (entry.type === 'file') {
        const path = join(session.attached, entry.path)
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        await writeFile(path, await loadBody(entry.hash), { mode: 0o600 })
        this.#storedFiles.add(entry.path)
      }
    }
    for (const [agentId, lines] of linesByAgent) {
      const path = agentId === undefined ? session.transcript : session.agentPathOf(agentId)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await appendFile(path, `${lines.join('\n')}\n`, { mode: 0o600 })
    }
    return linesByAgent.has(undefined)
  }

  /** Stores files beside the transcript that are not in the journal yet, such as long results. */
  async collectFiles(storeBody: StoreBody): Promise<readonly JournalEntry[]> {
    const folder = this.#session.resultsFolderOf()
    if (!existsSync(folder)) return []
    const entries: JournalEntry[] = []
    for (const name of await readdir(folder)) {
      const file = join(folder, name)
      const path = relative(this.#session.attached, file)
      if (this.#storedFiles.has(path)) continue
      this.#storedFiles.add(path)
      const found = await stat(file).catch(() => undefined)
      if (found?.isFile() !== true || found.size > MAX_STORED_FILE_BYTES) continue
      entries.push({ type: 'file', path, hash: await storeBody(await readFile(file)) })
    }
    return entries
  }
}

function escapeForJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
