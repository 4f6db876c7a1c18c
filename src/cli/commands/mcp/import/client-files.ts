import { join } from 'node:path'
import { parseJsonc, toValue } from '../../../../settings/jsonc/parse-jsonc.js'
import { isRecord } from '../../../../shared/is-record.js'

/** Where a client of another vendor keeps its servers, and in which form. */
export interface ClientFile {
  /** The name for the command line. */
  readonly client: ClientName
  readonly title: string
  readonly path: string
  /** Returns the entries by name. Throws if the file is invalid. */
  read(text: string): Promise<Readonly<Record<string, unknown>>>
}

export const CLIENT_NAMES = ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'codex'] as const
export type ClientName = (typeof CLIENT_NAMES)[number]

interface Machine {
  readonly platform: string
  readonly home: string
  readonly variables: Readonly<Record<string, string | undefined>>
  /** The real path of the project, for servers that a client keeps for this project only. */
  readonly projectRoot: string
}

/** Lists the files of the user's clients. Files of projects are not among them: others may have written those. */
export function listClientFiles({ platform, home, variables, projectRoot }: Machine): readonly ClientFile[] {
  const configFolder = getConfigFolder(platform, home, variables)
  const readServers = async (text: string) => getServers(parseJson(text), 'mcpServers')
  return [
    {
      client: 'claude-desktop',
      title: 'Claude Desktop',
      path: join(configFolder, 'Claude', 'claude_desktop_config.json'),
      read: readServers,
    },
    {
      client: 'claude-code',
      title: 'Claude Code',
      path: join(variables.CLAUDE_CONFIG_DIR ?? home, '.claude.json'),
      async read(text) {
        const config = parseJson(text)
        const projects = isRecord(config) && isRecord(config.projects) ? config.projects : {}
        return { ...getServers(config, 'mcpServers'), ...getServers(projects[projectRoot], 'mcpServers') }
      },
    },
    { client: 'cursor', title: 'Cursor', path: join(home, '.cursor', 'mcp.json'), read: readServers },
    {
      client: 'vscode',
      title: 'VS Code',
      path: join(configFolder, 'Code', 'User', 'mcp.json'),
      read: async (text) => getServers(parseJson(text), 'servers'),
    },
    {
      client: 'codex',
      title: 'Codex',
      path: join(variables.CODEX_HOME ?? join(home, '.codex'), 'config.toml'),
      async read(text) {
        const { parse } = await import('smol-toml')
        return getServers(parse(text), 'mcp_servers')
      },
    },
  ]
}

function getConfigFolder(platform: string, home: string, variables: Machine['variables']): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return variables.APPDATA ?? join(home, 'AppData', 'Roaming')
  return variables.XDG_CONFIG_HOME ?? join(home, '.config')
}

/** Parses JSON with comments. */
function parseJson(text: string): unknown {
  const { root, fault } = parseJsonc(text)
  if (root === undefined || fault !== undefined) throw new Error(fault?.message ?? 'it is empty')
  return toValue(root)
}

function getServers(config: unknown, key: string): Readonly<Record<string, unknown>> {
  return isRecord(config) && isRecord(config[key]) ? config[key] : {}
}
