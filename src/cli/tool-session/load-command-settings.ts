import { statSync } from 'node:fs'
import { config } from 'zod/v4/core'
import type { Tools } from '../../contract/tool/tool.js'
import { findUnmatchableRules } from '../../permissions/rules/find-unmatchable-rules.js'
import { resolveDirectory } from '../../settings/files/resolve-directory.js'
import { type LoadedSettings, loadSettings } from '../../settings/load-settings.js'
import type { WithheldSettings } from '../../settings/merge/restrict-layers.js'
import { isProjectTrusted } from '../../settings/trust.js'
import type { CommandHost, CommandIo } from '../io/command.js'
import { UsageError } from '../io/exit.js'
import { warn } from '../io/warn.js'
import { commandLineSettings, type SettingsValues } from '../options/settings-options.js'
import { mcpConfigSettings } from './mcp-config-settings.js'

// A command checks few inputs, so compiling a parser for each schema would take longer.
config({ jitless: true })

/** A cloned project could contain any number of useless rules. */
const MAX_UNMATCHABLE = 20

/** Loads the settings of this folder and the command line, and prints their problems. */
export async function loadCommandSettings(
  io: CommandIo,
  host: CommandHost,
  { values, tools }: { values: SettingsValues; tools: Tools },
): Promise<LoadedSettings> {
  const home = host.homeDir
  requireFolders(values['add-dir'], host)
  const settings = await loadSettings({
    cwd: host.cwd,
    home,
    cliArg: { ...commandLineSettings(values), ...(await mcpConfigSettings(values['mcp-config'], host.cwd)) },
    ...(values.settings !== undefined && { flagSettings: values.settings }),
    isTrusted: (projectRoot) => values.trust || isProjectTrusted(projectRoot, { home }),
  })
  const broken = settings.problems.find(({ source, severity }) => source === 'flagSettings' && severity === 'error')
  if (broken !== undefined) throw new UsageError(broken.message)
  for (const { message } of settings.problems) warn(io, message)
  for (const withheld of settings.withheld) warn(io, withheldLine(withheld))
  reportUnmatchable(io, settings, tools)
  return settings
}

/** Rejects folders that do not exist at the start: otherwise the mistake would show only when a call is refused. */
function requireFolders(written: readonly string[] = [], { cwd, homeDir: home }: CommandHost): void {
  for (const each of written) {
    const path = resolveDirectory(each, { base: cwd, home })
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new UsageError(`--add-dir: ${path} is not a folder.`)
  }
}

function withheldLine({ source, file, reason, keys }: WithheldSettings): string {
  const why =
    reason === 'untrusted' ? 'the project is not trusted (use --trust for this run)' : 'forbidden by the managed policy'
  return `${file ?? source}: ${keys.join(', ')} ignored: ${why}.`
}

function reportUnmatchable(io: CommandIo, { permissionContext }: LoadedSettings, tools: Tools): void {
  const found = findUnmatchableRules(permissionContext, tools)
  for (const { list, rule, source, problem } of found.slice(0, MAX_UNMATCHABLE))
    warn(io, `the ${list} rule ${JSON.stringify(rule)} (${source}) never matches: ${problem}`)
  const more = found.length - MAX_UNMATCHABLE
  if (more > 0) warn(io, `${more} more rules never match.`)
}

/** Whether the settings contain any MCP server. */
export function hasServers({ mcpServers }: Pick<LoadedSettings, 'mcpServers'>): boolean {
  return mcpServers.some(({ servers }) => Object.keys(servers).length > 0)
}
