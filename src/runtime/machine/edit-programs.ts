import type { FilesPort } from '../../contract/ports/files.js'
import type { LspPort } from '../../contract/ports/lsp.js'
import { OnDemand } from './on-demand.js'

/** Programs that run after an edit. They are executed, so they must come from trusted settings. */
export interface EditPrograms {
  readonly projectFolder: string
  /** The variables that the programs inherit. Their PATH decides whether programs of the project are found. */
  readonly programEnvironment?: () => Readonly<Record<string, string | undefined>>
  readonly languageServers?: Readonly<Record<string, unknown>> | undefined
  readonly formatters?: Readonly<Record<string, unknown>> | undefined
  readonly onProblem: (problem: string) => void
}

interface OpenedPrograms {
  readonly lsp?: LspPort
  readonly aroundEdit: NonNullable<FilesPort['aroundEdit']>
  close(): Promise<void>
}

/** Returns undefined if no program is configured. */
export function openEditPrograms(options: EditPrograms): OpenedPrograms | undefined {
  const hasServers = Object.keys(options.languageServers ?? {}).length > 0
  if (!hasServers && Object.keys(options.formatters ?? {}).length === 0) return undefined
  const programs = new OnDemand(() => loadPrograms(options))
  return {
    ...(hasServers && { lsp: createLspOnDemand(programs, options) }),
    async aroundEdit(paths, edit, callOptions) {
      const { aroundEdit } = await programs.open()
      return aroundEdit === undefined
        ? { result: await edit(), report: EMPTY_REPORT }
        : aroundEdit(paths, edit, callOptions)
    },
    close: async () => (await programs.getIfRequested())?.lsp.close(),
  }
}

const EMPTY_REPORT = { notes: [], reformatted: [] }

type LoadedPrograms = Awaited<ReturnType<typeof loadPrograms>>

async function loadPrograms(options: EditPrograms) {
  const { projectFolder: folder } = options
  const environment = options.programEnvironment?.()
  const { languageServers = {}, formatters = {}, onProblem } = options
  const [{ createLsp }, { parseServers }, { createEditChecks }, { parseFormatters }] = await Promise.all([
    import('../../ports/lsp/create-lsp.js'),
    import('../../ports/lsp/server-config.js'),
    import('../../ports/edit-checks/create-edit-checks.js'),
    import('../../ports/edit-checks/formatter.js'),
  ])
  const servers = parseServers(languageServers, onProblem)
  const lsp = createLsp({ folder, environment, servers })
  const aroundEdit = createEditChecks({
    ...{ folder, environment },
    ...(servers.length > 0 && { lsp }),
    formatters: parseFormatters(formatters, onProblem),
  })
  return { lsp, aroundEdit }
}

function createLspOnDemand(programs: OnDemand<LoadedPrograms>, { languageServers = {} }: EditPrograms): LspPort {
  return {
    supports: (path) => programs.opened?.lsp.supports(path) ?? hasServerFor(path, languageServers),
    request: async (operation, position, callOptions) =>
      (await programs.open()).lsp.request(operation, position, callOptions),
    diagnostics: async (path, callOptions) => (await programs.open()).lsp.diagnostics(path, callOptions),
  }
}

/** Reads the settings before they are parsed, so their shape is not known. */
function hasServerFor(path: string, servers: Readonly<Record<string, unknown>>): boolean {
  const extensions = Object.values(servers).flatMap((server) =>
    Object.keys((server as Partial<ServerSettings>)?.extensions ?? {}),
  )
  return extensions.some((extension) => path.endsWith(extension))
}

interface ServerSettings {
  readonly extensions: Readonly<Record<string, string>>
}
