import type { FilesPort } from '../../contract/ports/files.js'
import type { LspPort } from '../../contract/ports/lsp.js'
import { OnDemand } from './on-demand.js'

/** Language servers, and programs that run after an edit. They are executed, so they must come from trusted settings. */
export interface EditPrograms {
  readonly projectFolder: string
  /** The variables that the programs inherit. Their PATH decides whether programs of the project are found. */
  readonly programEnvironment: () => Readonly<Record<string, string | undefined>>
  /** Whether the programs of the project may run. */
  readonly isProjectTrusted?: boolean | undefined
  readonly workingFolders: () => readonly string[]
  readonly languageServers?: Readonly<Record<string, unknown>> | undefined
  readonly formatters?: Readonly<Record<string, unknown>> | undefined
  readonly onProblem: (problem: string) => void
}

interface OpenedPrograms {
  readonly lsp: LspPort
  readonly aroundEdit: NonNullable<FilesPort['aroundEdit']>
  close(): Promise<void>
}

/**
 * Prepares the programs. The code is loaded with the first request to a server, or with the first edit if the settings name a
 * program.
 */
export function openEditPrograms(options: EditPrograms): OpenedPrograms {
  const { languageServers = {}, formatters = {} } = options
  const hasSettings = Object.keys(languageServers).length + Object.keys(formatters).length > 0
  const programs = new OnDemand(() => loadPrograms(options))
  return {
    lsp: createLspOnDemand(programs, options),
    async aroundEdit(paths, edit, callOptions) {
      // Without settings, only a server that is already running reports diagnostics.
      if (!hasSettings && programs.opened === undefined) return { result: await edit(), report: EMPTY_REPORT }
      const { aroundEdit } = await programs.open()
      return aroundEdit(paths, edit, callOptions)
    },
    close: async () => (await programs.getIfRequested())?.lsp.close(),
  }
}

const EMPTY_REPORT = { notes: [], reformatted: [] }

type LoadedPrograms = Awaited<ReturnType<typeof loadPrograms>>

async function loadPrograms(options: EditPrograms) {
  const { projectFolder, workingFolders, isProjectTrusted: isTrusted = true } = options
  const environment = options.programEnvironment()
  const { languageServers = {}, formatters = {}, onProblem } = options
  const [{ createLsp }, { listServers }, { createServicePort }, { createEditChecks }, { parseFormatters }] =
    await Promise.all([
      import('../../ports/lsp/create-lsp.js'),
      import('../../ports/lsp/server-config.js'),
      import('../../ports/shell/create-service-port.js'),
      import('../../ports/edit-checks/create-edit-checks.js'),
      import('../../ports/edit-checks/formatter.js'),
    ])
  const lsp = createLsp({
    ...{ projectFolder, workingFolders, environment, isTrusted },
    servers: listServers(languageServers, onProblem),
    services: createServicePort(environment),
  })
  const aroundEdit = createEditChecks({
    ...{ folder: projectFolder, environment, lsp },
    formatters: parseFormatters(formatters, onProblem),
  })
  return { lsp, aroundEdit }
}

function createLspOnDemand(programs: OnDemand<LoadedPrograms>, { workingFolders }: EditPrograms): LspPort {
  return {
    workingFolders,
    findProblem: async (path) => (await programs.open()).lsp.findProblem(path),
    request: async (operation, position, callOptions) =>
      (await programs.open()).lsp.request(operation, position, callOptions),
    diagnostics: async (path, callOptions) => (await programs.open()).lsp.diagnostics(path, callOptions),
    status: async () => (await programs.getIfRequested())?.lsp.status() ?? [],
  }
}
