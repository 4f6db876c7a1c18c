import { type FSWatcher, watch } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { reasonOf } from '../shared/reason-of.js'
import { readTextFile } from './files/read-text-file.js'
import { resolveLinks } from './files/resolve-real-path.js'

export interface WatchSettingsOptions {
  /** See `LoadedSettings.files`; none of them has to exist. */
  readonly files: readonly string[]
  /** Called with the files that were created, changed, replaced or deleted. */
  readonly onChange: (files: readonly string[]) => void
  /** Called if a folder cannot be watched or `onChange` throws; only once for the same message. */
  readonly onProblem?: (message: string) => void
  /** Returns a text that changes with the file; its content by default. */
  readonly fingerprint?: (file: string) => Promise<string>
  /** The time without further changes before a change is reported. Continuous writing delays the report by at most a second. */
  readonly debounceMs?: number
}

export interface SettingsWatch {
  close(): Promise<void>
}

const DEFAULT_DEBOUNCE_MS = 100

/** Continuous writing must not delay a change, such as a new deny rule, forever. */
const MAX_WAIT_MS = 1_000

/** Watches settings files. All changes after the returned promise resolves are reported. */
export async function watchSettings(options: WatchSettingsOptions): Promise<SettingsWatch> {
  const watcher = new SettingsWatcher(options)
  await watcher.check()
  return watcher
}

/**
 * Watches folders, not files, because a rename replaces a file. An event only triggers a check: the contents decide
 * what has changed, so missed or duplicate events do no harm.
 */
class SettingsWatcher implements SettingsWatch {
  private watchers: FSWatcher[] = []
  private contents: ReadonlyMap<string, string> | undefined
  private timer: NodeJS.Timeout | undefined
  /** Time of the first event since the last check. */
  private firstEventAt: number | undefined
  private lastCheck: Promise<void> = Promise.resolve()
  private isClosed = false
  private readonly reportedMessages = new Set<string>()

  constructor(private readonly options: WatchSettingsOptions) {}

  /** Renews the watchers, then compares the contents, so that no change between the two is missed. */
  check(): Promise<void> {
    this.lastCheck = this.lastCheck.then(() => this.checkOnce())
    return this.lastCheck
  }

  async close(): Promise<void> {
    this.isClosed = true
    clearTimeout(this.timer)
    await this.lastCheck
    for (const watcher of this.watchers) watcher.close()
    this.watchers = []
  }

  private async checkOnce(): Promise<void> {
    if (this.isClosed) return
    const previousWatchers = this.watchers
    this.watchers = await this.watchFolders()
    for (const watcher of previousWatchers) watcher.close()
    const contentsBefore = this.contents
    const contents = await readContents(this.options.files, this.options.fingerprint)
    this.contents = contents
    if (contentsBefore === undefined || this.isClosed) return
    const changedFiles = this.options.files.filter((file) => contentsBefore.get(file) !== contents.get(file))
    if (changedFiles.length > 0) this.notify(changedFiles)
  }

  /** Watches the folders. Repeats until no new folder appears, because one created during the setup would be missed. */
  private async watchFolders(): Promise<FSWatcher[]> {
    const watchers = new Map<string, FSWatcher | undefined>()
    for (;;) {
      const folders = await findFoldersToWatch(this.options.files)
      const addedFolders = [...folders].filter(([folder, names]) => !watchers.has([folder, ...names].join('\0')))
      if (addedFolders.length === 0) return [...watchers.values()].filter((watcher) => watcher !== undefined)
      for (const [folder, names] of addedFolders)
        watchers.set([folder, ...names].join('\0'), this.watchFolder(folder, names))
    }
  }

  private watchFolder(folder: string, names: ReadonlySet<string>): FSWatcher | undefined {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name === null || names.has(name)) this.scheduleCheck()
      })
      // A deleted folder can end its watcher with an error; its parent is watched too.
      watcher.on('error', () => this.scheduleCheck())
      return watcher
    } catch (error) {
      this.report(`cannot watch ${folder}, so changes there may be missed: ${reasonOf(error)}`)
      return undefined
    }
  }

  /** Calls the listener. An exception in it must not end the watch. */
  private notify(changedFiles: readonly string[]): void {
    try {
      this.options.onChange(changedFiles)
    } catch (error) {
      this.report(`The settings listener failed: ${reasonOf(error)}`)
    }
  }

  private scheduleCheck(): void {
    if (this.isClosed) return
    clearTimeout(this.timer)
    const now = performance.now()
    this.firstEventAt ??= now
    const remainingMs = Math.max(0, this.firstEventAt + MAX_WAIT_MS - now)
    this.timer = setTimeout(
      () => {
        this.firstEventAt = undefined
        void this.check()
      },
      Math.min(this.options.debounceMs ?? DEFAULT_DEBOUNCE_MS, remainingMs),
    )
  }

  private report(message: string): void {
    if (this.reportedMessages.has(message)) return
    this.reportedMessages.add(message)
    this.options.onProblem?.(message)
  }
}

/** Returns the folders to watch, and the relevant names in each. */
async function findFoldersToWatch(files: readonly string[]): Promise<ReadonlyMap<string, Set<string>>> {
  const namesByFolder = new Map<string, Set<string>>()
  for (const file of files) {
    for (const path of new Set([file, await resolveLinks(file)])) await addFolders(path, namesByFolder)
  }
  return namesByFolder
}

/** Adds the nearest two existing ancestors: the upper one reports when the lower one is created or replaced. */
async function addFolders(file: string, namesByFolder: Map<string, Set<string>>): Promise<void> {
  let foundCount = 0
  for (let path = file; foundCount < 2 && dirname(path) !== path; path = dirname(path)) {
    const folder = dirname(path)
    if (!(await isFolder(folder))) continue
    foundCount++
    const names = namesByFolder.get(folder) ?? new Set()
    namesByFolder.set(folder, names.add(basename(path)))
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
}

async function readContents(
  files: readonly string[],
  fingerprint = async (file: string) => JSON.stringify(await readTextFile(file)),
): Promise<ReadonlyMap<string, string>> {
  const entries = files.map(async (file) => [file, await fingerprint(file)] as const)
  return new Map(await Promise.all(entries))
}
