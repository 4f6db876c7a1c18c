import { lstat, opendir, readdir } from 'node:fs/promises'
import type { JudgedTarget } from '../../contract/judged-paths.js'
import type { FileChange, FileReadingLimits, FilesPort, GlobLimits } from '../../contract/ports/files.js'
import type { ReadFileState } from '../../contract/ports/read-file-state.js'
import { compareCodeUnits } from '../../shared/compare-code-units.js'
import { toPathBytes, toPathText } from '../../shared/path-bytes.js'
import { resolveLinks } from '../paths/node-path-facts.js'
import { changeMode, moveFile, removeFile } from './change/change-entry.js'
import { createChangeJournal } from './change/change-journal.js'
import { TemporaryFileCleaner } from './change/open-folder.js'
import { writeAll } from './change/write-all.js'
import { writeFile } from './change/write-file.js'
import { hasErrorCode, withFileErrors } from './file-failure.js'
import { toFileStat } from './read/open-regular.js'
import { DEFAULT_GLOB_LIMITS, FILE_READING_LIMITS, readFile, streamFile } from './read/read-file.js'
import { createReadFileState } from './read/read-file-state.js'
import { readLines } from './read/read-lines.js'

/** A path that is changed, and where it led when its permission was decided. */
export interface ChangedPath extends Partial<JudgedTarget> {
  readonly path: string
}

/** Runs a change to these paths, with work before or after it. */
export type RunChange = <T>(paths: readonly ChangedPath[], change: () => Promise<T>) => Promise<T>

export interface FilesOptions {
  /** The user's folder for the journal of changes to several files. */
  readonly journalFolder: string
  readonly readFileState?: ReadFileState
  readonly fileReadingLimits?: FileReadingLimits
  readonly globLimits?: GlobLimits
  /** Called around each change, so that the former state can be saved for undo. */
  readonly runRecordedChange?: RunChange
}

/** Creates the port for the files of this machine. A sub-agent uses the same port with a copy of `readFileState`. */
export function createFiles(options: FilesOptions): FilesPort {
  const { globLimits = DEFAULT_GLOB_LIMITS, runRecordedChange = (_, change) => change() } = options
  const journal = createChangeJournal(options.journalFolder)
  const cleaner = new TemporaryFileCleaner()
  let recovery: Promise<void> | undefined
  /** Rolls back interrupted changes of earlier processes before anything is read or changed. */
  const recover = () => {
    recovery ??= journal.recover().then((isClean) => cleaner.allow(isClean))
    return recovery
  }
  const runChange: RunChange = async (paths, change) => {
    await recover()
    return runRecordedChange(paths, change)
  }
  return {
    readFileState: options.readFileState ?? createReadFileState(),
    fileReadingLimits: options.fileReadingLimits ?? FILE_READING_LIMITS,
    globLimits,
    stat: (path) => withFileErrors(path, () => readStat(path)),
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
    write: (path, content, callOptions = {}) =>
      runChange([{ ...callOptions, path }], () => writeFile(path, content, callOptions, cleaner)),
    writeAll: (changes) => runChange(changes.flatMap(listChangedPaths), () => writeAll(changes, journal, cleaner)),
    remove: (path, callOptions = {}) => runChange([{ ...callOptions, path }], () => removeFile(path, callOptions)),
    move: (from, to, callOptions = {}) =>
      runChange([toChangedEntry(from, callOptions.entryPath), toChangedEntry(to, callOptions.toEntryPath)], () =>
        moveFile(from, to, callOptions),
      ),
    chmod: (path, mode, callOptions = {}) =>
      runChange([{ ...callOptions, path }], () => changeMode(path, mode, callOptions.realPath)),
    list: (path, { limit } = {}) => withFileErrors(path, () => listNames(path, limit)),
    async glob(folder, pattern, callOptions) {
      const { globFiles } = await import('../search/glob-files.js')
      return globFiles(folder, pattern, { limit: globLimits.maxResults, ...callOptions })
    },
  }
}

function listChangedPaths(change: FileChange): readonly ChangedPath[] {
  if (change.kind !== 'move') return [change]
  const { to, toRealPath } = change
  return [change, { path: to, ...(toRealPath !== undefined && { realPath: toRealPath }) }]
}

function toChangedEntry(path: string, entryPath: string | undefined): ChangedPath {
  return { path, ...(entryPath !== undefined && { entryPath }) }
}

async function readStat(path: string) {
  try {
    return toFileStat(await lstat(toPathBytes(path)))
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}

async function listNames(path: string, limit: number | undefined): Promise<readonly string[]> {
  const names = limit === undefined ? await readdir(toPathBytes(path), 'buffer') : await readNames(path, limit)
  return names.map((name) => toPathText(name)).sort(compareCodeUnits)
}

/** Reads names until the limit. The names of a huge folder, read at once, would block the event loop. */
async function readNames(path: string, limit: number): Promise<readonly Buffer[]> {
  const names: Buffer[] = []
  // Latin-1 keeps every byte of a name.
  for await (const { name } of await opendir(toPathBytes(path), { encoding: 'latin1', bufferSize: 256 })) {
    if (names.length >= limit) break
    names.push(Buffer.from(name, 'latin1'))
  }
  return names
}
