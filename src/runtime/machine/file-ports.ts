import { join } from 'node:path'
import type { EditorFiles } from '../../contract/host/editor-files.js'
import type { CheckpointsPort } from '../../contract/ports/checkpoints.js'
import type { FilesPort } from '../../contract/ports/files.js'
import type { Ports } from '../../contract/ports/index.js'
import type { Checkpoints, CheckpointsOptions } from '../../ports/checkpoints/create-checkpoints.js'
import { DEFAULT_GLOB_LIMITS, FILE_READING_LIMITS } from '../../ports/files/read/read-file.js'
import { createReadFileState } from '../../ports/files/read/read-file-state.js'
import { type EditPrograms, openEditPrograms } from './edit-programs.js'
import { OnDemand } from './on-demand.js'

export interface FilePortsOptions extends EditPrograms {
  /** The user's home folder, which holds the journal of changes to several files. */
  readonly home: string
  readonly editorFiles?: EditorFiles | undefined
  /** Where to save the files that calls overwrite. Without it, nothing is saved. */
  readonly checkpoints?: CheckpointsOptions | undefined
}

/** The ports that read, change and search files on this machine. */
export interface FilePorts {
  readonly ports: Pick<Ports, 'files' | 'search' | 'lsp'> & Partial<Pick<Ports, 'checkpoints'>>
  /** Announces that a call is about to use files, so that the port is loaded in advance. */
  expectAccess(): void
  dispose(): Promise<void>
}

/** Creates the ports. The code of each port is loaded on first use. */
export function createFilePorts(options: FilePortsOptions): FilePorts {
  const { checkpoints: checkpointsOptions, home, editorFiles } = options
  const checkpoints = checkpointsOptions && new OnDemand(() => openCheckpoints(checkpointsOptions))
  const programs = openEditPrograms(options)
  const files = new OnDemand(async () => {
    const { createFiles } = await import('../../ports/files/create-files.js')
    const filesOnDisk = createFiles({
      journalFolder: join(home, '.haft', 'journal'),
      ...(checkpoints && {
        runRecordedChange: async (paths, change) => (await checkpoints.open()).runRecordedChange(paths, change),
      }),
    })
    if (editorFiles === undefined) return filesOnDisk
    const { withUnsavedTexts } = await import('../../ports/files/unsaved-texts.js')
    return withUnsavedTexts(filesOnDisk, editorFiles)
  })
  const search = new OnDemand(async () => (await import('../../ports/search/create-search.js')).createSearch())
  return {
    ports: {
      files: { ...createFilesOnDemand(files), aroundEdit: programs.aroundEdit },
      search: { search: async (query, callOptions) => (await search.open()).search(query, callOptions) },
      ...(checkpoints && { checkpoints: createCheckpointsOnDemand(checkpoints) }),
      lsp: programs.lsp,
    },
    expectAccess() {
      // The call itself reports the error.
      files.open().catch(() => undefined)
    },
    async dispose() {
      await programs.close()
      await (await checkpoints?.getIfRequested())?.close()
    },
  }
}

async function openCheckpoints(options: CheckpointsOptions): Promise<Checkpoints> {
  const { createCheckpoints } = await import('../../ports/checkpoints/create-checkpoints.js')
  return createCheckpoints(options)
}

function createCheckpointsOnDemand(checkpoints: OnDemand<Checkpoints>): CheckpointsPort {
  return {
    save: async (toolUseId, writes, callOptions) => (await checkpoints.open()).save(toolUseId, writes, callOptions),
    settle: async (toolUseId, backgroundWork) => (await checkpoints.open()).settle(toolUseId, backgroundWork),
  }
}

function createFilesOnDemand(files: OnDemand<FilesPort>): FilesPort {
  return {
    readFileState: createReadFileState(),
    fileReadingLimits: FILE_READING_LIMITS,
    globLimits: DEFAULT_GLOB_LIMITS,
    stat: async (path) => (await files.open()).stat(path),
    realPath: async (path) => (await files.open()).realPath(path),
    read: async (path, callOptions) => (await files.open()).read(path, callOptions),
    async *stream(path, callOptions) {
      yield* (await files.open()).stream(path, callOptions)
    },
    readLines: async (path, callOptions) => (await files.open()).readLines(path, callOptions),
    write: async (path, content, callOptions) => (await files.open()).write(path, content, callOptions),
    writeAll: async (changes) => (await files.open()).writeAll(changes),
    remove: async (path, callOptions) => (await files.open()).remove(path, callOptions),
    move: async (from, to, callOptions) => (await files.open()).move(from, to, callOptions),
    chmod: async (path, mode, callOptions) => (await files.open()).chmod(path, mode, callOptions),
    list: async (path, options) => (await files.open()).list(path, options),
    glob: async (folder, pattern, callOptions) => (await files.open()).glob(folder, pattern, callOptions),
  }
}
