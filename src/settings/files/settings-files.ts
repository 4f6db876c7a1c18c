import { join } from 'node:path'
import type { RuleSource } from '../../contract/permission/context.js'

/** The format of a file. Only permissions and hooks are read from `claude` files, only servers from `mcp` files. */
export type SettingsDialect = 'haft' | 'claude' | 'mcp'

export interface SettingsFile {
  readonly source: RuleSource
  readonly path: string
  readonly dialect: SettingsDialect
}

/** The file for the MCP servers of a project, which other agents read as well. */
export const SERVERS_FILE = '.mcp.json'

/** Paths of the managed policy where they differ from Linux. Ordinary users cannot write to these folders. */
const POLICY_PATHS: Partial<Record<NodeJS.Platform, string>> = {
  darwin: '/Library/Application Support/Haft/managed-settings.json',
  win32: 'C:\\Program Files\\Haft\\managed-settings.json',
}

function findPolicyPath(platform: NodeJS.Platform = process.platform): string {
  return POLICY_PATHS[platform] ?? '/etc/haft/managed-settings.json'
}

/** Returns all settings files, highest precedence first. Home is not a project: its files are the user's. */
export function listSettingsFiles({
  projectRoot,
  home,
  policyPath = findPolicyPath(),
}: {
  projectRoot: string
  home: string
  policyPath?: string
}): readonly SettingsFile[] {
  const files: SettingsFile[] = [
    { source: 'policy', path: policyPath, dialect: 'haft' },
    ...listFilesOfLevel('localSettings', projectRoot, 'settings.local.json'),
    ...listFilesOfLevel('projectSettings', projectRoot, 'settings.json'),
    { source: 'projectSettings', path: join(projectRoot, SERVERS_FILE), dialect: 'mcp' },
    ...listFilesOfLevel('userSettings', home, 'settings.json'),
  ]
  const userPaths = new Set(files.filter(({ source }) => source === 'userSettings').map(({ path }) => path))
  return files.filter(({ source, path }) => source === 'userSettings' || !userPaths.has(path))
}

/** Returns the file that permission updates for a destination are saved to. */
export function settingsFileOf(
  source: 'localSettings' | 'projectSettings' | 'userSettings',
  { projectRoot, home }: { projectRoot: string; home: string },
): string {
  const folder = join(source === 'userSettings' ? home : projectRoot, '.haft')
  return join(folder, source === 'localSettings' ? 'settings.local.json' : 'settings.json')
}

/** Returns the folder for approvals, pins and credentials of MCP servers. */
export function getMcpFolder(home: string): string {
  return join(home, '.haft', 'mcp')
}

/** Returns the file with the keys of `haft login`. */
export function getKeysFile(home: string): string {
  return join(home, '.haft', 'keys.json')
}

export function getTrustFile(home: string): string {
  return join(home, '.haft', 'trust.json')
}

function listFilesOfLevel(source: RuleSource, folder: string, name: string): readonly SettingsFile[] {
  return [
    { source, path: join(folder, '.haft', name), dialect: 'haft' },
    { source, path: join(folder, '.claude', name), dialect: 'claude' },
  ]
}
