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
import { findSandboxStatus } from '../../tool-session/sandbox-status.js'
import { createUnknownToolError } from '../../tool-session/unknown-tool.js'
import { type CallJudgement, judgeCall } from './judge-call.js'

/** Prints the permission decision for a call and the steps that led to it. Runs nothing. */
export async function explainCall(
  io: CommandIo,
  {
    toolName,
    inputArgument,
    json,
    values,
  }: { toolName: string; inputArgument: string; json: boolean; values: SettingsValues },
): Promise<number> {
  const host = await io.host()
  const input = await readJsonArgument(inputArgument, host)
  const settings = await loadCommandSettings(io, host, { values, tools: builtInTools })
  const { permissionContext, projectRoot } = settings
  const isBuiltIn = findToolByName(builtInTools, toolName) !== undefined
  const tools = isBuiltIn ? builtInTools : [...builtInTools, ...(await loadToolsOfServers(io, host, settings, values))]
  const tool = findToolByName(tools, toolName)
  if (tool === undefined) throw createUnknownToolError(toolName, tools)
  const judgement = await judgeCall({
    toolName,
    tools,
    input,
    permissions: permissionContext,
    cwd: host.cwd,
    projectDir: projectRoot,
    homeDir: host.homeDir,
    canConfine: async () => (await findSandboxStatus(io, settings.sandbox)).isAvailable,
  })
  const facts = { tool: tool.name, mode: permissionContext.mode }
  io.out(json ? `${JSON.stringify(toJson(facts, judgement), null, 2)}\n` : toText(facts, judgement))
  return EXIT.done
}

/** Returns the tools of MCP servers, from cached definitions; no server is started. */
async function loadToolsOfServers(
  io: CommandIo,
  host: CommandHost,
  settings: LoadedSettings,
  { trust }: SettingsValues,
): Promise<Tools> {
  if (!hasServers(settings)) return []
  const { loadServedTools } = await import('../../tool-session/served-tools.js')
  return loadServedTools(io, host, { settings, trust, shouldConnect: false })
}

interface ExplainedCall {
  readonly tool: string
  readonly mode: string
}

function toJson(facts: ExplainedCall, { outcome, readOnly }: CallJudgement) {
  const { behavior, reason, message, suggestions, trace } = outcome
  return { ...facts, behavior, readOnly, reason, message, suggestions, trace }
}

function toText({ tool, mode }: ExplainedCall, { outcome, readOnly }: CallJudgement): string {
  const { behavior, reason, message, suggestions, trace } = outcome
  const rules = suggestions.flatMap((update) => ('rules' in update ? update.rules : []))
  const { text, rule, source } = reason
  const ruleText = rule === undefined ? '' : ` (${rule}${source === undefined ? '' : `, ${source}`})`
  return [
    `${behavior}: ${tool}, ${readOnly ? 'read-only' : 'not read-only'}, in mode ${mode}`,
    `${reason.type}: ${text}${ruleText}`,
    ...(message === '' || message === text ? [] : [message]),
    ...(rules.length === 0 ? [] : [`To allow this call, add to permissions.allow: ${rules.join(', ')}.`]),
    '',
    formatTrace(trace),
    '',
  ].join('\n')
}
