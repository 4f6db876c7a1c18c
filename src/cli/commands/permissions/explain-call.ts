import { findToolByName } from '../../../contract/tool/identity.js'
import type { Tools } from '../../../contract/tool/tool.js'
import { formatTrace } from '../../../permissions/decide/decision.js'
import type { LoadedSettings } from '../../../settings/load-settings.js'
import { builtInTools } from '../../../tools/index.js'
import type { CommandHost, CommandIo } from '../../io/command.js'
import { EXIT } from '../../io/exit.js'
import { readJsonArgument } from '../../io/read-json-argument.js'
import type { SettingsValues } from '../../options/settings-options.js'
import { hasServers, loadCommandSettings } from '../../tool-session/load-command-settings.js'
import { unknownTool } from '../../tool-session/unknown-tool.js'
import { type Judgement, judgeCall } from './judge-call.js'

/** Prints the permission decision for a call and all its steps. Runs nothing. */
export async function explainCall(
  io: CommandIo,
  { toolName, written, json, values }: { toolName: string; written: string; json: boolean; values: SettingsValues },
): Promise<number> {
  const host = await io.host()
  const input = await readJsonArgument(written, host)
  const settings = await loadCommandSettings(io, host, { values, tools: builtInTools })
  const { permissionContext, projectRoot } = settings
  const isBuiltIn = findToolByName(builtInTools, toolName) !== undefined
  const tools = isBuiltIn ? builtInTools : [...builtInTools, ...(await servedFor(io, host, settings, values))]
  const tool = findToolByName(tools, toolName)
  if (tool === undefined) throw unknownTool(toolName, tools)
  const judgement = await judgeCall({
    toolName,
    tools,
    input,
    permissions: permissionContext,
    cwd: host.cwd,
    projectDir: projectRoot,
    homeDir: host.homeDir,
  })
  const about = { tool: tool.name, mode: permissionContext.mode }
  io.out(json ? `${JSON.stringify(asJson(about, judgement), null, 2)}\n` : asText(about, judgement))
  return EXIT.done
}

/** Uses cached definitions; no server is started. */
async function servedFor(
  io: CommandIo,
  host: CommandHost,
  settings: LoadedSettings,
  { trust }: SettingsValues,
): Promise<Tools> {
  if (!hasServers(settings)) return []
  const { servedTools } = await import('../../tool-session/served-tools.js')
  return servedTools(io, host, { settings, trust, connect: false })
}

interface About {
  readonly tool: string
  readonly mode: string
}

function asJson(about: About, { outcome, readOnly }: Judgement) {
  const { behavior, reason, message, suggestions, trace } = outcome
  return { ...about, behavior, readOnly, reason, message, suggestions, trace }
}

function asText({ tool, mode }: About, { outcome, readOnly }: Judgement): string {
  const { behavior, reason, message, suggestions, trace } = outcome
  const rules = suggestions.flatMap((update) => ('rules' in update ? update.rules : []))
  const { text, rule, source } = reason
  const from = rule === undefined ? '' : ` (${rule}${source === undefined ? '' : `, ${source}`})`
  return [
    `${behavior}: ${tool}, ${readOnly ? 'read-only' : 'not read-only'}, in mode ${mode}`,
    `${reason.type}: ${text}${from}`,
    ...(message === '' || message === text ? [] : [message]),
    ...(rules.length === 0 ? [] : [`Allow it with ${rules.join(', ')}.`]),
    '',
    formatTrace(trace),
    '',
  ].join('\n')
}
