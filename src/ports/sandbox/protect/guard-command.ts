import { type FSWatcher, watch, writeFileSync } from 'node:fs'
import { reasonOf } from '../../../shared/reason-of.js'
import { readRegularText } from '../../../system/read-regular-file.js'
import { lookAt } from '../look-at.js'
import { moveAway } from './move-away.js'
import { listChangedSettings, MAX_CONFIG_BYTES } from './ordinary-settings.js'

/** How often all covered paths are checked while a command runs. */
const CHECK_INTERVAL_MS = 200
/** A check that takes long is repeated less often, so that checks take at most this share of the time. */
const MAX_CHECK_SHARE = 1 / 20

export interface GuardedCommand {
  /** Paths that are covered by mounts, because they must stay hidden or unchanged. */
  readonly closedPaths: readonly string[]
  /** The git configuration files among the closed paths. */
  readonly gitConfigs: readonly string[]
  /** Disables programs that the command has added and git would run, and returns notices about them. */
  readonly disableAdded: () => readonly string[]
  /** Like `disableAdded`, for programs that may exist while the command runs, but not afterwards. */
  readonly disableRemaining: () => readonly string[]
}

/**
 * Checks while a command runs that the mounts over files stay in place. If another program replaces such a file (an editor
 * that saves it, `git config`), the kernel removes the mount in every sandbox. The command is then ended, because it could read
 * or write the new file. Git changes its own configuration with every new branch, so there only other changes end the command.
 */
export class CommandGuard {
  readonly #command: GuardedCommand
  /** The files that were covered when the command started. */
  readonly #identities: ReadonlyMap<string, string>
  readonly #configs = new Map<string, WatchedConfig>()
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #notices = new Set<string>()
  readonly #uncoveredPaths = new Set<string>()
  #isFinished = false
  #timer: NodeJS.Timeout | undefined
  #end: ((notice: string) => void) | undefined

  constructor(command: GuardedCommand) {
    this.#command = command
    this.#identities = new Map(command.closedPaths.map((path) => [path, readIdentity(path)]))
  }

  /** Call this right after the command has started. Calls `end` at most once. */
  start(end: (notice: string) => void): void {
    this.#end = end
    for (const path of this.#command.gitConfigs) this.#configs.set(path, new WatchedConfig(path))
    for (const path of this.#identities.keys()) this.#watch(path)
    this.#checkAll()
  }

  /** Stops watching, checks for the last time, and returns all notices. Further calls return the same notices. */
  finish(): readonly string[] {
    if (this.#isFinished) return [...this.#notices]
    this.#isFinished = true
    clearTimeout(this.#timer)
    this.#end = undefined
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
    this.#check()
    this.#disable(this.#command.disableRemaining)
    return [...this.#notices]
  }

  #checkAll(): void {
    const start = performance.now()
    this.#check()
    const pauseMs = Math.max(CHECK_INTERVAL_MS, (performance.now() - start) / MAX_CHECK_SHARE)
    if (this.#end !== undefined) this.#timer = setTimeout(() => this.#checkAll(), pauseMs).unref()
  }

  #check(): void {
    for (const path of this.#identities.keys()) this.#checkPath(path)
    this.#disable(this.#command.disableAdded)
  }

  #disable(disable: () => readonly string[]): void {
    try {
      for (const notice of disable()) this.#report(notice)
    } catch (error) {
      this.#report(
        `Git may run programs that the command added, because they could not be disabled: ${reasonOf(error)}.`,
      )
    }
  }

  /**
   * Watches a path for changes. If the file system has no notifications, or their limit is reached, only the periodic check
   * remains.
   */
  #watch(path: string): void {
    try {
      this.#watchers.get(path)?.close()
      const watcher = watch(path, { persistent: false }, () => this.#checkPath(path))
      watcher.on('error', () => watcher.close())
      this.#watchers.set(path, watcher)
    } catch {
      this.#watchers.delete(path)
    }
  }

  #checkPath(path: string): void {
    const isUncovered = this.#uncoveredPaths.has(path)
    if (!isUncovered && readIdentity(path) === this.#identities.get(path)) return
    const config = this.#configs.get(path)
    if (config !== undefined) this.#checkConfig(path, config)
    else if (!isUncovered)
      this.#report(
        `Another program replaced ${path} while the command ran, so the sandbox no longer covered it. The command was ended. Tell the user; what the command did with the new file is unknown.`,
      )
    if (!isUncovered && this.#end !== undefined) this.#watch(path)
    this.#uncoveredPaths.add(path)
  }

  #checkConfig(path: string, config: WatchedConfig): void {
    try {
      const notice = config.restore()
      if (notice !== undefined) this.#report(notice)
    } catch (error) {
      this.#report(
        `${path} changed while the command ran, and could not be checked: ${reasonOf(error)}. Tell the user.`,
      )
    }
  }

  #report(notice: string): void {
    this.#notices.add(notice)
    const end = this.#end
    this.#end = undefined
    end?.(notice)
  }
}

/** A git configuration in which only settings of branches may change. */
class WatchedConfig {
  #lastText: string

  constructor(private readonly path: string) {
    this.#lastText = readConfig(path) ?? ''
  }

  /** Restores the last accepted content if other settings have changed, and returns a notice about it. */
  restore(): string | undefined {
    const text = readConfig(this.path)
    if (text === this.#lastText) return undefined
    const changedSettings = text === undefined ? ['unreadable content'] : listChangedSettings(this.#lastText, text)
    if (changedSettings.length === 0) {
      this.#lastText = text ?? ''
      return undefined
    }
    const newName = lookAt(this.path) === undefined ? undefined : moveAway(this.path)
    writeFileSync(this.path, this.#lastText)
    const newFileNote = newName === undefined ? '' : `, and the new one is in ${newName} beside it`
    return `${this.path} was replaced while the command ran, so the sandbox no longer covered it, and settings that decide what git runs changed (${changedSettings.join(', ')}). The command was ended. The previous content was restored${newFileNote}. Tell the user, who may have made the change.`
  }
}

function readConfig(path: string): string | undefined {
  if (lookAt(path) === undefined) return ''
  const readResult = readRegularText(path, { maxBytes: MAX_CONFIG_BYTES, followsLinks: false })
  return readResult.kind === 'found' ? readResult.content : undefined
}

function readIdentity(path: string): string {
  const foundEntry = lookAt(path)
  return foundEntry === undefined ? '' : `${foundEntry.dev}:${foundEntry.ino}`
}
