import { lstat, readdir } from 'node:fs/promises'
import type { FileReadingLimits, FilesPort, GlobLimits } from '../../contract/ports/files.js'
import type { ReadFileState } from '../../contract/ports/read-file-state.js'
import { compareCodeUnits } from '../../shared/compare-code-units.js'
import { pathBytes, pathText } from '../../shared/path-bytes.js'
import { resolveLinks } from '../paths/node-path-facts.js'
import { globFiles } from '../search/glob-files.js'
import { changeMode, moveFile, removeFile } from './change/change-entry.js'
import { createChangeJournal } from './change/change-journal.js'
import { TemporaryFileCleaner } from './change/open-folder.js'
import { writeAll } from './change/write-all.js'
import { writeFile } from './change/write-file.js'
import { hasCode, withFileErrors } from './file-failure.js'
import { toFileStat } from './read/open-regular.js'
import { FILE_READING_LIMITS, GLOB_LIMITS, readFile, streamFile } from './read/read-file.js'
import { createReadFileState } from './read/read-file-state.js'
import { readLines } from './read/read-lines.js'

/** Wraps a change to these paths. */
export type AroundChange = <T>(paths: readonly string[], change: () => Promise<T>) => Promise<T>

export interface FilesOptions {
  /** A folder of the user for the journal of changes to several files. */
  readonly journalFolder: string
  readonly readFileState?: ReadFileState
  readonly fileReadingLimits?: FileReadingLimits
  readonly globLimits?: GlobLimits
  /** Saves the former state, so that changes can be undone. */
  readonly around?: AroundChange
}

/** The files of this machine. A sub-agent's port is this one with a copied `readFileState`. */
export function createFiles(options: FilesOptions): FilesPort {
  const { globLimits = GLOB_LIMITS, around = (_, change) => change() } = options
  const journal = createChangeJournal(options.journalFolder)
  const cleaner = new TemporaryFileCleaner()
  let recovery: Promise<void> | undefined
  /** Interrupted changes of earlier processes are rolled back before anything is read or changed. */
  const recover = () => {
    recovery ??= journal.recover().then((isClean) => cleaner.allow(isClean))
    return recovery
  }
  const runChange: AroundChange = async (paths, change) => {
    await recover()
    return around(paths, change)
  }
  return {
    readFileState: options.readFileState ?? createReadFileState(),
    fileReadingLimits: options.fileReadingLimits ?? FILE_READING_LIMITS,
    globLimits,
    stat: (path) => withFileErrors(path, () => statOf(path)),
    realPath: (path) => withFileErrors(path, () => resolveLinks(path)),
    read: async (path, callOptions) => {
      await recover()
      return readFile(path, callOptions)
    },
    async *stream(path, callOptions) {
      await recover()
      yield* streamFile(path, callOptions)
    },
    readLines: async (path, callOptions) => {
      await recover()
      return readLines(path, callOptions)
    },
    write: (path, content, callOptions = {}) => runChange([path], () => writeFile(path, content, callOptions, cleaner)),
    writeAll: (changes) =>
      runChange(
        changes.flatMap((change) => (change.kind === 'move' ? [change.path, change.to] : [change.path])),
        () => writeAll(changes, journal, cleaner),
      ),
    remove: (path, callOptions = {}) => runChange([path], () => removeFile(path, callOptions)),
    move: (from, to) => runChange([from, to], () => moveFile(from, to)),
    chmod: (path, mode) => runChange([path], () => changeMode(path, mode)),
    list: (path) => withFileErrors(path, () => namesIn(path)),
    glob: (folder, pattern, callOptions) =>
      globFiles(folder, pattern, { limit: globLimits.maxResults, ...callOptions }),
  }
}

async function statOf(path: string) {
  try {
    return toFileStat(await lstat(pathBytes(path)))
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}

async function namesIn(path: string): Promise<readonly string[]> {
  const names = await readdir(pathBytes(path), 'buffer')
  return names.map((name) => pathText(name)).sort(compareCodeUnits)
}
