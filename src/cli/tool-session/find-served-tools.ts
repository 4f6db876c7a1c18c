import { readFile } from 'node:fs/promises'
import type { Tools } from '../../contract/tool/tool.js'
import { findProjectRoot } from '../../settings/files/find-project-root.js'
import { settingsFiles } from '../../settings/files/settings-files.js'
import type { CommandHost, CommandIo } from '../io/command.js'
import type { ServedValues } from '../options/settings-options.js'

/** The tools of the servers that settings name. Where no file mentions any, nothing is loaded to find that out. */
export async function findServedTools(io: CommandIo, values: ServedValues): Promise<Tools> {
  const host = await io.host()
  if (values['mcp-config'] === undefined && !(await mentionsServers(host))) return []
  const { permittedTools } = await import('./served-tools.js')
  return permittedTools(io, host, values)
}

/** Whether the word is in any of the files; what it means there is for whoever reads them. */
async function mentionsServers(host: CommandHost): Promise<boolean> {
  const cwd = folderOf(host)
  // Whoever stands in a folder that is gone still learns of the built-in tools.
  if (cwd === undefined) return false
  const home = host.homeDir
  const files = settingsFiles({ projectRoot: await findProjectRoot({ cwd, home }), home })
  const texts = await Promise.all(files.map(({ path }) => readFile(path, 'utf8').catch(() => '')))
  return texts.some((text) => text.includes('mcpServers'))
}

function folderOf(host: CommandHost): string | undefined {
  try {
    return host.cwd
  } catch {
    return undefined
  }
}
