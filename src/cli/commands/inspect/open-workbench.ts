import { toolDefinitions } from '../../../assembly/tool-definitions.js'
import type { PermissionQuestion } from '../../../calls/call-environment.js'
import type { ToolEvent } from '../../../contract/events.js'
import { createPermissionContext, type PermissionMode } from '../../../contract/permission/context.js'
import { parsePermissionRule } from '../../../contract/permission/rule.js'
import { isDeferredTool } from '../../../contract/tool/deferred-tools.js'
import { findToolByName } from '../../../contract/tool/identity.js'
import type { Tool } from '../../../contract/tool/tool.js'
import { parseHookConfig } from '../../../hooks/config/parse-hook-config.js'
import type {
  ConfiguredHook,
  PageAnswer,
  PageCall,
  PageQuestion,
  PoolTool,
  ServerStatus,
  SimulatedDecision,
  SimulatedRules,
  Workbench,
} from '../../../inspector/workbench.js'
import type { ServerState } from '../../../mcp/manager/managed-server.js'
import type { LoadedSettings } from '../../../settings/load-settings.js'
import { builtInTools } from '../../../tools/index.js'
import { describeCall } from '../../../views/call-view.js'
import type { CommandHost, CommandIo } from '../../io/command.js'
import type { SettingsValues } from '../../options/settings-options.js'
import { openToolSession, type ToolSession } from '../../tool-session/open-tool-session.js'
import { findSandboxStatus } from '../../tool-session/sandbox-status.js'
import { judgeCall } from '../permissions/judge-call.js'
import { readCheckpoint } from './read-checkpoint.js'
import { readLogEnd } from './read-log-end.js'
import { searchPool } from './search-pool.js'

/** The tools of this folder, for the inspector. They are opened when the page first needs them. */
export class ToolWorkbench implements Workbench {
  readonly #io: CommandIo
  readonly #host: CommandHost
  readonly #settings: LoadedSettings
  readonly #values: SettingsValues
  readonly #asks = new Map<string, (question: PageQuestion) => Promise<PageAnswer>>()
  readonly #events = new Map<string, ToolEvent[]>()
  #session: Promise<ToolSession> | undefined
  #openedSession: ToolSession | undefined
  #canConfine: Promise<boolean> | undefined
  #callCount = 0

  constructor(io: CommandIo, host: CommandHost, settings: LoadedSettings, values: SettingsValues) {
    this.#io = io
    this.#host = host
    this.#settings = settings
    this.#values = values
  }

  readonly findTool = (name: string): Tool | undefined =>
    findToolByName(builtInTools, name) ?? findToolByName(this.#openedSession?.runtime.nestedPool ?? [], name)

  async listPool(): Promise<readonly PoolTool[]> {
    const { runtime } = await this.#open()
    await (await runtime.mcp())?.settled()
    const { pool, permissions } = runtime
    const { definitions } = await toolDefinitions(pool, { toolPermissionContext: permissions, agentDefinitions: [] })
    return definitions.map((definition): PoolTool => {
      const tool = findToolByName(pool, definition.name)
      return {
        definition,
        bytes: Buffer.byteLength(JSON.stringify(definition)),
        ...(tool?.mcpInfo !== undefined && { server: tool.mcpInfo.serverName }),
        isDeferred: tool !== undefined && isDeferredTool(tool),
        isReadOnly: tool && findReadOnly(tool),
      }
    })
  }

  async search(query: string) {
    const { runtime } = await this.#open()
    return searchPool(await this.listPool(), runtime.pool, query)
  }

  async simulate(toolName: string, input: unknown, rules: SimulatedRules): Promise<SimulatedDecision> {
    for (const rule of [...rules.allow, ...rules.deny, ...rules.ask]) parsePermissionRule(rule)
    this.#canConfine ??= findSandboxStatus(this.#io, this.#settings.sandbox).then(({ isAvailable }) => isAvailable)
    const canConfine = this.#canConfine
    const { outcome, readOnly } = await judgeCall({
      ...{ toolName, input, permissions: this.#toPermissions(rules), cwd: this.#host.cwd },
      ...(this.#openedSession !== undefined && { tools: this.#openedSession.runtime.nestedPool }),
      projectDir: this.#settings.projectRoot,
      homeDir: this.#host.homeDir,
      canConfine: () => canConfine,
    })
    const { behavior, reason, message, trace, suggestions } = outcome
    const suggestedRules = suggestions.flatMap((update) => ('rules' in update ? update.rules : []))
    return { behavior, reason, message, trace, isReadOnly: readOnly, suggestedRules }
  }

  async listServers(): Promise<readonly ServerStatus[]> {
    const { runtime } = await this.#open()
    const servers = await runtime.mcp()
    await servers?.settled()
    return (servers?.states ?? []).map(toServerStatus)
  }

  listHooks(): readonly ConfiguredHook[] {
    return this.#settings.hooks.flatMap(({ source, file, hooks }) => {
      return Object.entries(parseHookConfig(hooks).config).flatMap(([event, configured]) =>
        configured.map(({ label, matcher }) => ({ event, matcher: matcher.text, hook: label, source: file ?? source })),
      )
    })
  }

  readCheckpoint({ id, projectRoot = this.#settings.projectRoot }: SessionRef, toolUseId: string) {
    return readCheckpoint({ session: id, toolUseId, homeDir: this.#host.homeDir, projectRoot })
  }

  async call(
    name: string,
    input: unknown,
    ask: (question: PageQuestion) => Promise<PageAnswer>,
    signal: AbortSignal,
  ): Promise<PageCall> {
    const { runtime } = await this.#open()
    const id = `inspector_${++this.#callCount}`
    const events: ToolEvent[] = []
    this.#asks.set(id, ask)
    this.#events.set(id, events)
    try {
      const run = runtime.open({ signal })
      run.add({ type: 'tool_use', id, name, input })
      run.end()
      const [outcome] = await run.outcomes()
      if (outcome === undefined) throw new Error(`The call of ${name} has no outcome.`)
      const [result = outcome.block] = await runtime.results.settle([outcome])
      const { body } = describeCall(
        {
          ...{ toolName: name, tool: this.findTool(name), input, output: outcome.output },
          state: result.is_error === true ? 'failed' : 'done',
          resultText: typeof result.content === 'string' ? result.content : JSON.stringify(result.content),
        },
        { verbose: true },
      )
      return { result, view: body, errorCode: outcome.error?.code, events: events.map(withoutOutput) }
    } finally {
      this.#asks.delete(id)
      this.#events.delete(id)
    }
  }

  async dispose(): Promise<void> {
    await (await this.#session?.catch(() => undefined))?.dispose()
  }

  #open(): Promise<ToolSession> {
    this.#session ??= openToolSession(this.#io, this.#host, {
      values: this.#values,
      settings: this.#settings,
      startsOnDemand: false,
      askWith: () => (question) => this.#ask(question),
      onEvent: (event) => {
        if ('toolUseId' in event) this.#events.get(event.toolUseId)?.push(event)
      },
    }).then((session) => {
      this.#openedSession = session
      return session
    })
    return this.#session
  }

  async #ask({ toolUseId, tool, message, preview, suggestions }: PermissionQuestion) {
    const ask = this.#asks.get(toolUseId.split('.')[0] ?? '')
    if (ask === undefined) return { behavior: 'unavailable' } as const
    const question = { id: '', toolName: tool.name, message, suggestions, ...(preview !== undefined && { preview }) }
    const { behavior, suggestion } = await ask(question)
    if (behavior === 'deny') return { behavior: 'deny' } as const
    const update = suggestion === undefined ? undefined : suggestions[suggestion]
    return { behavior: 'allow', ...(update !== undefined && { updates: [update] }) } as const
  }

  #toPermissions({ mode, withSettings, allow, deny, ask }: SimulatedRules) {
    const { permissionContext, restrictions } = this.#settings
    const requestedMode = mode as PermissionMode
    const allowedMode = restrictions.forbiddenModes.includes(requestedMode) ? 'default' : requestedMode
    const base = withSettings ? permissionContext : createPermissionContext()
    return createPermissionContext({
      ...base,
      mode: allowedMode,
      alwaysAllowRules: { ...base.alwaysAllowRules, session: [...(base.alwaysAllowRules.session ?? []), ...allow] },
      alwaysDenyRules: { ...base.alwaysDenyRules, session: [...(base.alwaysDenyRules.session ?? []), ...deny] },
      alwaysAskRules: { ...base.alwaysAskRules, session: [...(base.alwaysAskRules.session ?? []), ...ask] },
    })
  }
}

type SessionRef = Parameters<Workbench['readCheckpoint']>[0]

/** Returns whether the tool only reads, or undefined if that depends on the input. */
function findReadOnly(tool: Tool): boolean | undefined {
  try {
    return tool.isReadOnly({})
  } catch {
    // The answer depends on the input.
    return undefined
  }
}

function toServerStatus({ name, status, reason, info, logPath, toolCount, refused }: ServerState): ServerStatus {
  return {
    ...{ name, status, toolCount },
    ...(reason !== undefined && { reason }),
    ...(info?.serverInfo !== undefined && { version: info.serverInfo.version }),
    refused: refused.map(({ name: tool, reason: problem }) => `${tool}: ${problem}`),
    log: logPath === undefined ? '' : readLogEnd(logPath),
  }
}

/** The output of a tool may be any object; the page gets its view. */
function withoutOutput(event: ToolEvent): ToolEvent {
  if (event.type !== 'call-ended') return event
  const { output: _output, ...fields } = event
  return fields
}
