import { readFile } from 'node:fs/promises'
import type { Tools } from '../../contract/tool/tool.js'
import { findProjectRoot } from '../../settings/files/find-project-root.js'
import { listSettingsFiles } from '../../settings/files/settings-files.js'
import type { CommandHost, CommandIo } from '../io/command.js'
import type { ServedValues } from '../options/served-options.js'

/**
 * Returns the tools of the configured MCP servers. Loads no server code if neither a settings file nor --mcp-config mentions
 * servers.
 */
export async function findServedTools(io: CommandIo, values: ServedValues): Promise<Tools> {
  const host = await io.host()
  if (values['mcp-config'] === undefined && !(await mentionsServers(host))) return []
  const { loadPermittedTools } = await import('./served-tools.js')
  return loadPermittedTools(io, host, values)
}

/** Whether any settings file contains the text `mcpServers`. This check is cheap and may have false positives. */
async function mentionsServers(host: CommandHost): Promise<boolean> {
  const cwd = cwdOf(host)
  if (cwd === undefined) return false
  const home = host.homeDir
  const files = listSettingsFiles({ projectRoot: await findProjectRoot({ cwd, home }), home })
  const texts = await Promise.all(files.map(({ path }) => readFile(path, 'utf8').catch(() => '')))
  return texts.some((text) => text.includes('mcpServers'))
}

function cwdOf(host: CommandHost): string | undefined {
  try {
    return host.cwd
  } catch {
    // The working directory was deleted. The built-in tools can still be listed.
    return undefined
  }
}
