import { join } from 'node:path'
import type { McpServerEntry } from '../../contract/mcp/server-entry.js'
import { readTextFile } from '../files/read-text-file.js'
import { SERVERS_FILE, settingsFileOf } from '../files/settings-files.js'
import { removeJsoncMember, setJsoncValue } from '../jsonc/edit-jsonc.js'
import { findChildAt, parseJsonc } from '../jsonc/parse-jsonc.js'
import { changeSettingsFile, SettingsSaveError } from './change-settings-file.js'

/** Scope of an MCP server: this user in this project, everyone in the project, or this user everywhere. */
export const SERVER_SCOPES = ['local', 'project', 'user'] as const
export type ServerScope = (typeof SERVER_SCOPES)[number]

interface ServerFileRoots {
  /** The real path of the project. */
  readonly projectRoot: string
  readonly home: string
}

const SERVERS_KEY = 'mcpServers'

/** Adds a server to the file of a scope and returns the file. Throws `SettingsSaveError` if the name is taken. */
export async function addServer(
  { scope, name, entry }: { readonly scope: ServerScope; readonly name: string; readonly entry: McpServerEntry },
  roots: ServerFileRoots,
): Promise<string> {
  const [file] = listFiles(scope, roots)
  if (file === undefined) throw new SettingsSaveError('the home folder is not a project; use --scope user.')
  const edit = (text: string) => {
    if (hasServer(text, name))
      throw new SettingsSaveError(`${file} already contains a server ${name}; remove it first.`)
    return setJsoncValue(text || '{}\n', [SERVERS_KEY, name], entry)
  }
  await changeSettingsFile(file, edit, optionsFor(scope, roots))
  return file
}

/** Removes a server from the files of a scope and returns the changed files. */
export async function removeServer(
  { scope, name }: { readonly scope: ServerScope; readonly name: string },
  roots: ServerFileRoots,
): Promise<readonly string[]> {
  const changedFiles: string[] = []
  for (const file of listFiles(scope, roots)) {
    const { kind } = await readTextFile(file)
    if (kind === 'absent') continue
    const edit = (text: string) => (text === '' ? text : removeJsoncMember(text, [SERVERS_KEY, name]))
    if (await changeSettingsFile(file, edit, optionsFor(scope, roots))) changedFiles.push(file)
  }
  return changedFiles
}

/** Returns the scopes that contain a server of this name. */
export async function findScopesWith(name: string, roots: ServerFileRoots): Promise<readonly ServerScope[]> {
  const scopes: ServerScope[] = []
  for (const scope of SERVER_SCOPES) {
    const texts = await Promise.all(listFiles(scope, roots).map((file) => readTextFile(file)))
    if (texts.some((file) => file.kind === 'text' && hasServer(file.text, name))) scopes.push(scope)
  }
  return scopes
}

/**
 * Lists the files of a scope. New servers go to the first file. Home is not a project, so `project` and `local` have no files
 * there.
 */
function listFiles(scope: ServerScope, roots: ServerFileRoots): readonly string[] {
  if (scope === 'user') return [settingsFileOf('userSettings', roots)]
  if (roots.projectRoot === roots.home) return []
  if (scope === 'local') return [settingsFileOf('localSettings', roots)]
  return [join(roots.projectRoot, SERVERS_FILE), settingsFileOf('projectSettings', roots)]
}

function hasServer(text: string, name: string): boolean {
  const { root } = parseJsonc(text)
  const servers = root && findChildAt(root, SERVERS_KEY)
  return servers !== undefined && findChildAt(servers, name) !== undefined
}

function optionsFor(scope: ServerScope, { projectRoot }: ServerFileRoots) {
  return { ...(scope !== 'user' && { projectRoot }), ...(scope !== 'project' && { mode: 0o600 }) }
}
