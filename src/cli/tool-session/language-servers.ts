import { findServerProgram } from '../../ports/lsp/find-server.js'
import { listServers } from '../../ports/lsp/server-config.js'

interface ServerSettings {
  readonly languageServers: Readonly<Record<string, unknown>>
  readonly isTrusted: boolean
}

/**
 * Returns the language servers of the settings and the built-in ones: those that can be started here, and the names of the
 * others.
 */
export function findLanguageServers(
  projectFolder: string,
  variables: Readonly<Record<string, string | undefined>>,
  { languageServers, isTrusted }: ServerSettings,
) {
  const servers = listServers(languageServers, () => undefined)
  const search = { servers, projectFolder, environment: variables, isTrusted }
  const installedNames: string[] = []
  const missingNames: string[] = []
  for (const config of servers) {
    const program = findServerProgram(config, projectFolder, search)
    if (program === undefined) missingNames.push(config.name)
    else installedNames.push(`${config.name} (${program.command})`)
  }
  return { installed: installedNames, missing: missingNames }
}

/** Describes the servers that were found, for `/lsp` before the first server is started. */
export function describeFoundServers(...args: Parameters<typeof findLanguageServers>): string {
  const { installed: installedNames } = findLanguageServers(...args)
  const installedText = installedNames.length === 0 ? 'none is installed; see docs/lsp.md' : installedNames.join(', ')
  return `No language server has been started. They start when they are first used. Installed: ${installedText}.`
}
