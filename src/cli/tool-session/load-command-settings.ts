import { statSync } from 'node:fs'
import { config } from 'zod/v4/core'
import type { RuleSource } from '../../contract/permission/context.js'
import type { Tools } from '../../contract/tool/tool.js'
import { describeUnmatchableRule, findUnmatchableRules } from '../../permissions/rules/find-unmatchable-rules.js'
import { resolveDirectory } from '../../settings/files/resolve-directory.js'
import { type LoadedSettings, loadSettings } from '../../settings/load-settings.js'
import type { WithheldSettings } from '../../settings/merge/restrict-layers.js'
import { isProjectTrusted } from '../../settings/trust.js'
import type { CommandHost, CommandIo } from '../io/command.js'
import { UsageError } from '../io/exit.js'
import { warn } from '../io/warn.js'
import { type SettingsValues, toPermissionSettings } from '../options/settings-options.js'
import { loadMcpConfigSettings } from './mcp-config-settings.js'
import { TRUST_ADVICE } from './project-trust.js'

/** Maximum number of reported rules that never match. A cloned project could contain any number of them. */
const MAX_REPORTED_RULES = 20

/** Loads the settings of this folder and the command line, and prints their problems. */
export async function loadCommandSettings(
  io: CommandIo,
  host: CommandHost,
  { values, tools }: { values: SettingsValues; tools: Tools },
): Promise<LoadedSettings> {
  // A command checks few inputs, so compiling a parser for each schema would cost more time than it saves. A program
  // that uses the library decides itself.
  if (io.variables === process.env) config({ jitless: true })
  requireFolders(values['add-dir'], host)
  const settings = await readCommandSettings(host, values)
  const flagError = settings.problems.find(({ source, severity }) => source === 'flagSettings' && severity === 'error')
  if (flagError !== undefined) throw new UsageError(flagError.message)
  for (const { message } of settings.problems) warn(io, message)
  for (const withheld of settings.withheld) warn(io, describeWithheld(withheld))
  reportUnmatchable(io, settings, tools)
  return settings
}

/** Reads the settings of this folder and the command line. */
export async function readCommandSettings(
  { cwd, homeDir: home }: CommandHost,
  values: SettingsValues,
): Promise<LoadedSettings> {
  const settings = await loadSettings({
    ...{ cwd, home },
    cliArg: { ...toPermissionSettings(values), ...(await loadMcpConfigSettings(values['mcp-config'], cwd)) },
    ...(values.settings !== undefined && { flagSettings: values.settings }),
    ...(values.settingSources !== undefined && {
      sources: values.settingSources.map((name) => `${name}Settings` as const),
    }),
    isTrusted: (projectRoot) => values.trust || isProjectTrusted(projectRoot, { home }),
  })
  if (values.hasStrictServers !== true) return settings
  return { ...settings, mcpServers: settings.mcpServers.filter(({ source }) => STRICT_SOURCES.has(source)) }
}

const STRICT_SOURCES: ReadonlySet<RuleSource> = new Set(['cliArg', 'policy'])

/** Rejects missing folders at the start. Otherwise the mistake would be visible only when a call is refused. */
function requireFolders(folders: readonly string[] = [], { cwd, homeDir: home }: CommandHost): void {
  for (const folder of folders) {
    const path = resolveDirectory(folder, { base: cwd, home })
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new UsageError(`--add-dir: ${path} is not a folder.`)
  }
}

function describeWithheld({ source, file, reason, keys }: WithheldSettings): string {
  const explanation =
    reason === 'untrusted' ? `the project is not trusted (${TRUST_ADVICE})` : 'forbidden by the managed policy'
  return `${file ?? source}: ${keys.join(', ')} ignored: ${explanation}.`
}

function reportUnmatchable(io: CommandIo, { permissionContext }: LoadedSettings, tools: Tools): void {
  const unmatchableRules = findUnmatchableRules(permissionContext, tools)
  for (const rule of unmatchableRules.slice(0, MAX_REPORTED_RULES)) warn(io, describeUnmatchableRule(rule))
  const unreportedCount = unmatchableRules.length - MAX_REPORTED_RULES
  if (unreportedCount > 0) warn(io, `${unreportedCount} more rules cannot work as written.`)
}

export function hasServers({ mcpServers }: Pick<LoadedSettings, 'mcpServers'>): boolean {
  return mcpServers.some(({ servers }) => Object.keys(servers).length > 0)
}
