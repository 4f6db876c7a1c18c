import { filterToolsByDenyRules } from '../assembly/filter-tools-by-deny-rules.js'
import type { Tools } from '../contract/tool/tool.js'
import { builtInTools } from '../tools/index.js'
import type { CommandIo } from './command.js'
import type { CommandHost } from './command-host.js'
import { loadCommandSettings } from './load-command-settings.js'
import { namesServers } from './names-servers.js'
import type { ServedValues } from './served-options.js'

/** Tools of the servers of these settings, without those that a rule denies. */
export async function permittedTools(io: CommandIo, host: CommandHost, values: ServedValues): Promise<Tools> {
  const settings = await loadCommandSettings(io, host, { values, tools: builtInTools })
  if (!namesServers(settings)) return []
  const { servedTools } = await import('./served-tools.js')
  const served = await servedTools(io, host, { settings, trust: values.trust, connect: values.connect })
  return filterToolsByDenyRules(served, settings.permissionContext)
}
