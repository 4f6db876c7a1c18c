import { type FSWatcher, watch } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { reasonOf } from '../shared/reason-of.js'
import { readTextFile } from './files/read-text-file.js'
import { realPath } from './files/real-path.js'

export interface WatchSettingsOptions {
  /** See `LoadedSettings.files`; none of them has to exist. */
  readonly files: readonly string[]
  /** Called with the files that were created, changed, replaced or deleted. */
  readonly onChange: (files: readonly string[]) => void
  /** Told once for each folder that cannot be watched. */
  readonly onProblem?: (message: string) => void
  /** How long it must be quiet before a change is told; where it never is, it is told after a second. */
  readonly debounceMs?: number
}

export interface SettingsWatch {
  close(): Promise<void>
}

const DEFAULT_DEBOUNCE_MS = 100

/** Whoever writes without a pause must not keep a change, such as a new deny, from being told. */
const MAX_WAIT_MS = 1_000

/** Watches settings files. Once it resolves, no later change is missed. */
export async function watchSettings(options: WatchSettingsOptions): Promise<SettingsWatch> {
  const watcher = new SettingsWatcher(options)
  await watcher.look()
  return watcher
}

/**
 * Watches folders, not files: a file replaced by a rename is another file. Every event is only a reason to look again;
 * what changed is told by the contents, so that a missed or doubled event does no harm.
 */
class SettingsWatcher implements SettingsWatch {
  private watchers: FSWatcher[] = []
  private contents: ReadonlyMap<string, string> | undefined
  private timer: NodeJS.Timeout | undefined
  /** When the first event came that nobody has looked at. */
  private waitingSince: number | undefined
  private looking: Promise<void> = Promise.resolve()
  private isClosed = false
  private readonly reported = new Set<string>()

  constructor(private readonly options: WatchSettingsOptions) {}

  /** Watches anew, then compares: what happens in between meets the new watchers. */
  look(): Promise<void> {
    this.looking = this.looking.then(() => this.lookOnce())
    return this.looking
  }

  async close(): Promise<void> {
    this.isClosed = true
    clearTimeout(this.timer)
    await this.looking
    for (const watcher of this.watchers) watcher.close()
    this.watchers = []
  }

  private async lookOnce(): Promise<void> {
    if (this.isClosed) return
    const former = this.watchers
    this.watchers = await this.watchFolders()
    for (const watcher of former) watcher.close()
    const before = this.contents
    const now = await contentsOf(this.options.files)
    this.contents = now
    if (before === undefined || this.isClosed) return
    const changed = this.options.files.filter((file) => before.get(file) !== now.get(file))
    if (changed.length > 0) this.tell(changed)
  }

  /** A folder created while the watchers were set up would be missed: it is looked for again until nothing is new. */
  private async watchFolders(): Promise<FSWatcher[]> {
    const watchers = new Map<string, FSWatcher | undefined>()
    for (;;) {
      const folders = await foldersToWatch(this.options.files)
      const added = [...folders].filter(([folder, names]) => !watchers.has([folder, ...names].join('\0')))
      if (added.length === 0) return [...watchers.values()].filter((watcher) => watcher !== undefined)
      for (const [folder, names] of added) watchers.set([folder, ...names].join('\0'), this.watchFolder(folder, names))
    }
  }

  private watchFolder(folder: string, names: ReadonlySet<string>): FSWatcher | undefined {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name === null || names.has(name)) this.lookSoon()
      })
      // A folder that vanishes can end its watcher with an error; its parent is watched, too.
      watcher.on('error', () => this.lookSoon())
      return watcher
    } catch (error) {
      this.report(`${folder} cannot be watched: ${reasonOf(error)}`)
      return undefined
    }
  }

  /** A listener that throws must not end the watch. */
  private tell(changed: readonly string[]): void {
    try {
      this.options.onChange(changed)
    } catch (error) {
      this.report(`The listener to settings failed: ${reasonOf(error)}`)
    }
  }

  private lookSoon(): void {
    if (this.isClosed) return
    clearTimeout(this.timer)
    const now = performance.now()
    this.waitingSince ??= now
    const longest = Math.max(0, this.waitingSince + MAX_WAIT_MS - now)
    this.timer = setTimeout(
      () => {
        this.waitingSince = undefined
        void this.look()
      },
      Math.min(this.options.debounceMs ?? DEFAULT_DEBOUNCE_MS, longest),
    )
  }

  private report(message: string): void {
    if (this.reported.has(message)) return
    this.reported.add(message)
    this.options.onProblem?.(message)
  }
}

/** The folders whose events matter, and the names in them that do. */
async function foldersToWatch(files: readonly string[]): Promise<ReadonlyMap<string, Set<string>>> {
  const wanted = new Map<string, Set<string>>()
  for (const file of files) {
    for (const path of new Set([file, await realPath(file)])) await addFolders(path, wanted)
  }
  return wanted
}

/** The file's folder and the one above, which tells when that is created or replaced; above, up to one that exists. */
async function addFolders(file: string, wanted: Map<string, Set<string>>): Promise<void> {
  let found = 0
  for (let path = file; found < 2 && dirname(path) !== path; path = dirname(path)) {
    const folder = dirname(path)
    if (!(await isFolder(folder))) continue
    found++
    const names = wanted.get(folder) ?? new Set()
    wanted.set(folder, names.add(basename(path)))
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
}

async function contentsOf(files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const entries = files.map(async (file) => [file, JSON.stringify(await readTextFile(file))] as const)
  return new Map(await Promise.all(entries))
}
