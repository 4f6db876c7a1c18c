import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { FileEvent } from '../../session/hooks/session-hooks.js'
import type { Session } from '../../session/session.js'
import type { SettingsWatch } from '../../settings/watch-settings.js'

export interface WatchFilesOptions {
  readonly session: Session
  /** Relative names in matchers are relative to this folder. */
  readonly cwd: string
  /** Called with warnings of hooks and watch failures. */
  readonly onWarning: (text: string) => void
}

/** How many files the matchers of FileChanged hooks can name. */
const MAX_FILES = 100

/** Runs FileChanged hooks when a file changes that a matcher names. Watches nothing if no matcher names one. */
export async function watchFiles({ session, cwd, onWarning }: WatchFilesOptions): Promise<SettingsWatch | undefined> {
  const { hooks } = session.runtime
  if (hooks?.hasHooks('FileChanged') !== true) return undefined
  const names = [...new Set(hooks.listMatchers('FileChanged').flatMap(listFileNames))]
  if (names.length > MAX_FILES)
    onWarning(`FileChanged hooks name ${names.length} files; only the first ${MAX_FILES} are watched.`)
  const files = names.slice(0, MAX_FILES).map((name) => resolve(cwd, name))
  if (files.length === 0) return undefined
  const { watchSettings } = await import('../../settings/watch-settings.js')
  const existing = new Set<string>()
  for (const file of files) if (await exists(file)) existing.add(file)
  let lastRun: Promise<unknown> = Promise.resolve()
  const runHooks = async (file: string) => {
    const wasThere = existing.has(file)
    const isThere = await exists(file)
    if (!wasThere && !isThere) return
    if (isThere) existing.add(file)
    else existing.delete(file)
    for (const event of await session.fileChanged(file, toFileEvent(wasThere, isThere)))
      if (event.type === 'notice' && event.level === 'warning') onWarning(event.text)
  }
  const watch = await watchSettings({
    files,
    fingerprint: takeFingerprint,
    onChange: (changedFiles) => {
      for (const file of changedFiles) lastRun = lastRun.then(() => runHooks(file))
    },
    onProblem: onWarning,
  })
  return {
    async close() {
      await watch.close()
      await lastRun
    },
  }
}

/** Returns the files that a matcher names: its alternatives without the special characters of expressions. */
function listFileNames(matcher: string): readonly string[] {
  const names = matcher.split('|').map((name) => name.trim().replaceAll('\\.', '.'))
  return names.filter((name) => name !== '' && !/[*+?^$()[\]{}\\\0]/.test(name))
}

function toFileEvent(wasThere: boolean, isThere: boolean): FileEvent {
  if (!isThere) return 'unlink'
  return wasThere ? 'change' : 'add'
}

/** A file of any size counts as changed if its size, time or identity changes; its content is not read. */
async function takeFingerprint(file: string): Promise<string> {
  try {
    const { size, mtimeMs, ino } = await stat(file)
    return `${size} ${mtimeMs} ${ino}`
  } catch {
    return 'absent'
  }
}

async function exists(file: string): Promise<boolean> {
  return (await takeFingerprint(file)) !== 'absent'
}
