import type { InitializeRequest } from '../cli/stream-json/schema/input-schema.js'
import type { Options } from './options.js'

/** Converts options to the arguments of a driven command. Options that Haft does not support are refused there. */
export function toArguments(options: Options): readonly string[] {
  const flags = ['--output-format=stream-json', '--input-format=stream-json', '--verbose']
  const addValue = (name: string, value: string | number | undefined) => {
    if (value !== undefined) flags.push(`--${name}=${value}`)
  }
  const addList = (name: string, values: readonly string[] | undefined) => {
    if (values !== undefined && values.length > 0) addValue(name, values.join(','))
  }
  const addFlag = (name: string, isSet: boolean | undefined) => {
    if (isSet === true) flags.push(`--${name}`)
  }
  addThinking(options, addValue)
  addValue('effort', options.effort)
  addValue('max-turns', options.maxTurns)
  addValue('max-budget-usd', options.maxBudgetUsd)
  addValue('task-budget', options.taskBudget?.total)
  addValue('model', options.model)
  addValue('fallback-model', options.fallbackModel)
  addValue('agent', options.agent)
  addList('betas', options.betas)
  addValue('debug-file', options.debugFile)
  addFlag('debug', options.debug)
  addValue('permission-prompt-tool', toPromptTool(options))
  addValue('permission-mode', options.permissionMode)
  addFlag('allow-dangerously-skip-permissions', options.allowDangerouslySkipPermissions)
  addFlag('continue', options.continue)
  addValue('resume', options.resume)
  addValue('resume-session-at', options.resumeSessionAt)
  addFlag('fork-session', options.forkSession)
  addValue('session-id', options.sessionId)
  addFlag('no-session-persistence', options.persistSession === false)
  addList('allowed-tools', [...(options.allowedTools ?? []), ...toSkillRules(options)])
  addList('disallowed-tools', options.disallowedTools)
  if (options.tools !== undefined) addValue('tools', Array.isArray(options.tools) ? options.tools.join(',') : 'default')
  const servers = listOtherServers(options)
  if (servers.length > 0) addValue('mcp-config', JSON.stringify({ mcpServers: Object.fromEntries(servers) }))
  addFlag('strict-mcp-config', options.strictMcpConfig)
  if (options.settingSources !== undefined) addValue('setting-sources', options.settingSources.join(','))
  addFlag('include-hook-events', options.includeHookEvents)
  addFlag('include-partial-messages', options.includePartialMessages)
  for (const directory of options.additionalDirectories ?? []) addValue('add-dir', directory)
  for (const plugin of options.plugins ?? []) addValue('plugin-dir', plugin.path)
  addValue('settings', toSettings(options))
  for (const [name, value] of Object.entries(options.extraArgs ?? {}))
    flags.push(value === null ? `--${name}` : `--${name}=${value}`)
  return flags
}

function addThinking(
  { thinking, maxThinkingTokens }: Options,
  addValue: (name: string, value: string | number | undefined) => void,
): void {
  if (thinking?.type === 'adaptive' || thinking?.type === 'disabled') addValue('thinking', thinking.type)
  else if (thinking?.type === 'enabled' && thinking.budgetTokens === undefined) addValue('thinking', 'adaptive')
  else addValue('max-thinking-tokens', thinking?.type === 'enabled' ? thinking.budgetTokens : maxThinkingTokens)
}

function toPromptTool({ canUseTool, permissionPromptToolName }: Options): string | undefined {
  if (canUseTool === undefined) return permissionPromptToolName
  if (permissionPromptToolName !== undefined) throw new Error('Use canUseTool or permissionPromptToolName, not both.')
  return 'stdio'
}

function toSkillRules({ skills }: Options): readonly string[] {
  if (skills === undefined) return []
  return skills === 'all' ? ['Skill'] : skills.map((name) => `Skill(${name})`)
}

function listOtherServers({ mcpServers = {} }: Options): readonly (readonly [string, unknown])[] {
  return Object.entries(mcpServers).filter(([, config]) => !('instance' in config))
}

function toSettings({ settings, sandbox }: Options): string | undefined {
  if (sandbox === undefined) return typeof settings === 'object' ? JSON.stringify(settings) : settings
  if (typeof settings === 'string' && !settings.trimStart().startsWith('{'))
    throw new Error('sandbox cannot be combined with a settings file. Put it into the file.')
  const base: unknown = typeof settings === 'string' ? JSON.parse(settings) : settings
  return JSON.stringify({ ...(base as object | undefined), sandbox })
}

type InitializeFields = Omit<InitializeRequest, 'hooks' | 'sdkMcpServers'>

/** Returns the part of the initialize request that consists of data. */
export function toInitialize(options: Options): InitializeFields {
  const { outputFormat, agents, title, skills, forwardSubagentText } = options
  const schema = outputFormat?.type === 'json_schema' ? outputFormat.schema : undefined
  return {
    subtype: 'initialize',
    ...toSystemPrompt(options),
    ...(schema !== undefined && { jsonSchema: { ...schema } }),
    ...(agents !== undefined && { agents: agents as InitializeFields['agents'] }),
    ...(title !== undefined && { title }),
    ...(Array.isArray(skills) && { skills: [...skills] }),
    forwardSubagentText: forwardSubagentText === true,
    // These are refused by the command if they are set.
    ...{ toolAliases: options.toolAliases, planModeInstructions: options.planModeInstructions },
    ...{ promptSuggestions: options.promptSuggestions, agentProgressSummaries: options.agentProgressSummaries },
  }
}

function toSystemPrompt({ systemPrompt }: Options): { systemPrompt?: string[]; appendSystemPrompt?: string } {
  if (systemPrompt === undefined) return { systemPrompt: [''] }
  if (typeof systemPrompt === 'string') return { systemPrompt: [systemPrompt] }
  if (!('type' in systemPrompt)) return { systemPrompt: [...systemPrompt] }
  if (systemPrompt.type === 'preset')
    return systemPrompt.append === undefined ? {} : { appendSystemPrompt: systemPrompt.append }
  const { prompt } = systemPrompt
  return { systemPrompt: typeof prompt === 'string' ? [prompt] : [...prompt] }
}
