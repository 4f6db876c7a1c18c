import { join } from 'node:path'
import type { McpServerEntry } from '../../contract/mcp/server-entry.js'
import { readTextFile } from '../files/read-text-file.js'
import { ownSettingsFile, PROJECT_SERVERS_FILE } from '../files/settings-files.js'
import { removeJsoncMember, setJsoncValue } from '../jsonc/edit-jsonc.js'
import { childAt, parseJsonc } from '../jsonc/parse-jsonc.js'
import { changeSettingsFile, SettingsSaveError } from './change-settings-file.js'

/** For whom an MCP server is configured: this person in this project, everyone in the project, this person anywhere. */
export const SERVER_SCOPES = ['local', 'project', 'user'] as const
export type ServerScope = (typeof SERVER_SCOPES)[number]

interface Places {
  /** The real path. */
  readonly projectRoot: string
  readonly home: string
}

const KEY = 'mcpServers'

/** Writes a server to the file of a scope, and gives the file. Throws `SettingsSaveError` where it has one of that name. */
export async function addServer(
  { scope, name, entry }: { readonly scope: ServerScope; readonly name: string; readonly entry: McpServerEntry },
  places: Places,
): Promise<string> {
  const [file] = filesOf(scope, places)
  if (file === undefined) throw new SettingsSaveError('home is no project; a server for it has the scope user.')
  const edit = (text: string) => {
    if (hasServer(text, name)) throw new SettingsSaveError(`${file} has a server ${name} already; remove it first.`)
    return setJsoncValue(text || '{}\n', [KEY, name], entry)
  }
  await changeSettingsFile(file, edit, optionsFor(scope, places))
  return file
}

/** Takes a server out of the files of a scope, and gives those that had it. */
export async function removeServer(
  { scope, name }: { readonly scope: ServerScope; readonly name: string },
  places: Places,
): Promise<readonly string[]> {
  const changed: string[] = []
  for (const file of filesOf(scope, places)) {
    const { kind } = await readTextFile(file)
    if (kind === 'absent') continue
    const edit = (text: string) => (text === '' ? text : removeJsoncMember(text, [KEY, name]))
    if (await changeSettingsFile(file, edit, optionsFor(scope, places))) changed.push(file)
  }
  return changed
}

/** The scopes that have a server of this name. */
export async function scopesWith(name: string, places: Places): Promise<readonly ServerScope[]> {
  const found: ServerScope[] = []
  for (const scope of SERVER_SCOPES) {
    const read = await Promise.all(filesOf(scope, places).map((file) => readTextFile(file)))
    if (read.some((file) => file.kind === 'text' && hasServer(file.text, name))) found.push(scope)
  }
  return found
}

/** New servers go to the first. In home there is no project, so that `project` and `local` have no files of their own. */
function filesOf(scope: ServerScope, places: Places): readonly string[] {
  if (scope === 'user') return [ownSettingsFile('userSettings', places)]
  if (places.projectRoot === places.home) return []
  if (scope === 'local') return [ownSettingsFile('localSettings', places)]
  return [join(places.projectRoot, PROJECT_SERVERS_FILE), ownSettingsFile('projectSettings', places)]
}

function hasServer(text: string, name: string): boolean {
  const { root } = parseJsonc(text)
  const servers = root && childAt(root, KEY)
  return servers !== undefined && childAt(servers, name) !== undefined
}

function optionsFor(scope: ServerScope, { projectRoot }: Places) {
  return { ...(scope !== 'user' && { projectRoot }), ...(scope !== 'project' && { mode: 0o600 }) }
}
