import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { readEnvironment } from '../../assembly/read-environment.js'
import type { AskPermission } from '../../calls/call-environment.js'
import type { PermissionUpdate } from '../../contract/permission/result.js'
import type { AskPort } from '../../contract/ports/ask.js'
import type { HistoryPort } from '../../contract/ports/history.js'
import type { Ports } from '../../contract/ports/index.js'
import type { McpPort } from '../../contract/ports/mcp.js'
import type { ModelPort } from '../../contract/ports/model.js'
import type { NotifyOptions } from '../../contract/ports/notify.js'
import type { SchedulePort } from '../../contract/ports/schedule.js'
import type { McpClientState } from '../../contract/tool/context.js'
import { presetInputJSONSchema } from '../../contract/tool/input-json-schema.js'
import type { Tools } from '../../contract/tool/tool.js'
import { parseHookConfig } from '../../hooks/config/parse-hook-config.js'
import type { ConfiguredServer } from '../../mcp/config/server-config.js'
import { canStartInBypass } from '../../permissions/decide/can-start-in-bypass.js'
import { getCheckpointsRoot, isPruningDue, toCheckpointsFolder } from '../../ports/checkpoints/checkpoints-folder.js'
import { toScheduleFolder } from '../../ports/schedule/schedule-folder.js'
import type { ModelSearchOptions } from '../../providers/open-model-search.js'
import { cleanUpResults } from '../../results/clean-up-results.js'
import { createToolRuntime } from '../../runtime/create-tool-runtime.js'
import type { HaftRuntime } from '../../runtime/haft-runtime.js'
import type { HookSettings } from '../../runtime/hooks/hook-settings.js'
import type { McpSetup } from '../../runtime/mcp/mcp-setup.js'
import type { PolicyOptions, ScheduleHostOptions, StorageOptions, ToolRuntimeOptions } from '../../runtime/options.js'
import type { LoadedSettings } from '../../settings/load-settings.js'
import type { HookLayer } from '../../settings/merge/merge-layers.js'
import { savePermissionUpdates } from '../../settings/save/save-permission-updates.js'
import { SettingStore } from '../../settings/setting-store.js'
import { toProjectFolderName } from '../../shared/project-folder-name.js'
import { reasonOf } from '../../shared/reason-of.js'
import { isSecretVariable } from '../../shared/secret-variables.js'
import { excludeMemoryFromCoreDumps, hideInitialVariables } from '../../system/hide-environment.js'
import { builtInTools } from '../../tools/index.js'
import type { CommandHost, CommandIo } from '../io/command.js'
import { asUsageError } from '../io/exit.js'
import { warn } from '../io/warn.js'
import type { SettingsValues } from '../options/settings-options.js'
import { inputSchemas } from './input-schemas.js'
import { browserOf, commandVariablesOf, keyVariablesOf, notifyOptionsOf, workersOf } from './key-variables.js'
import { hasServers, loadCommandSettings, readCommandSettings } from './load-command-settings.js'
import { createModelSearch, webSearchOf } from './web-search.js'

/** The built-in tools and those of servers, with the settings of this folder. */
export interface ToolSession {
  readonly runtime: HaftRuntime
  readonly settings: LoadedSettings
  /** Reads the settings again, and changes those of the user. */
  readonly settingStore: SettingStore
  /** Whether servers were configured at the start. */
  readonly hasServers: boolean
  /** Ends running calls, background tasks and servers, and removes outdated files of earlier runs. */
  dispose(): Promise<void>
}

export interface ToolSessionOptions {
  readonly values: SettingsValues
  /** Default: all built-in tools. */
  readonly tools?: Tools
  /** Whether an MCP server starts only when one of its tools is called. Otherwise all start with the first request. */
  readonly startsOnDemand?: boolean
  /** Creates the function that answers permission questions. Omit it if there is no user to ask. */
  readonly askWith?: (settings: LoadedSettings) => AskPermission
  readonly askPort?: AskPort
  /** Replaces the schedule of this machine. */
  readonly schedulePort?: SchedulePort
  /** Answers model requests of tools and, with the user's consent, of servers. */
  readonly modelPort?: ModelPort
  /** Called with what web searches of a model's provider used. */
  readonly onUsage?: ModelSearchOptions['onUsage']
  readonly onEvent?: NonNullable<ToolRuntimeOptions['onEvent']>
  /** Whether the caller shows the hook messages of calls. Otherwise they are printed here. */
  readonly showsHookMessages?: boolean
  /** Hooks of the program that drives the session, by event. They run after those of the settings. */
  readonly programHooks?: Readonly<Record<string, readonly unknown[]>> | undefined
  /** Servers in the program that drives the session. They replace those of the settings with the same name. */
  readonly programServers?: readonly ConfiguredServer[] | undefined
  /** Whether servers may be added later. */
  readonly acceptsServers?: boolean
  /** Servers that are already connected. */
  readonly servedServers?: ServedServers
  /** The settings, if the caller has already loaded them. */
  readonly settings?: LoadedSettings
  /** Whether to use simple mode even if `HAFT_SIMPLE` is not set. */
  readonly isBare?: boolean
  /** Shows a notification in the terminal of this process, if there is one. */
  /** The history of the conversation, for the tools that change it. */
  readonly historyPort?: HistoryPort
  readonly showInTerminal?: NotifyOptions['showInTerminal']
  /** Options that the conversation adds, such as its identity and the location of its files. */
  readonly runtimeOptions?: Pick<
    ToolRuntimeOptions,
    'conversation' | 'toolSearch' | 'mcpTools' | 'telemetry' | 'waitUntilRecorded'
  > & {
    readonly policy?: Pick<PolicyOptions, 'decisionPorts'>
    readonly machine?: Pick<NonNullable<ToolRuntimeOptions['machine']>, 'editorFiles'>
    readonly storage?: Pick<
      StorageOptions,
      'resultsDirectory' | 'checkpointsDirectory' | 'taskBoardDirectory' | 'teamsDirectory'
    >
    readonly schedule?: Omit<ScheduleHostOptions, 'directory' | 'workers'>
  }
}

interface ServedServers {
  readonly mcpTools: () => Tools
  readonly mcp: McpPort
  /** The current states of the servers. */
  readonly mcpClients: readonly McpClientState[]
}

/** Loads settings and MCP servers and creates the runtime for a command. */
export async function openToolSession(
  io: CommandIo,
  host: CommandHost,
  {
    values,
    tools = builtInTools,
    startsOnDemand = false,
    askWith,
    askPort = NO_USER,
    modelPort,
    onEvent,
    showsHookMessages = false,
    servedServers,
    isBare = false,
    runtimeOptions = {},
    ...options
  }: ToolSessionOptions,
): Promise<ToolSession> {
  const settings = options.settings ?? (await loadCommandSettings(io, host, { values, tools: builtInTools }))
  refuseUnsafeStart(settings, io, host)
  const variables = isBare ? { ...io.variables, HAFT_SIMPLE: '1' } : io.variables
  const { environment, warnings } = readEnvironment(variables, io.platform)
  for (const warning of warnings) warn(io, warning)
  const keyVariables = keyVariablesOf(settings)
  const webSearch = webSearchOf(io, settings)
  const notify = notifyOptionsOf(io, settings, options.showInTerminal)
  const modelSearch = createModelSearch(io, settings, options.onUsage)
  hideKeys(io, keyVariables)
  const { programServers = [], programHooks = {}, acceptsServers = false } = options
  for (const { path, message } of parseHookConfig(programHooks).problems) warn(io, `hooks.${path}: ${message}`)
  const mcpServers = await loadMcpSetup(io, host, settings, { values, programServers, acceptsServers })
  const resultsFolder =
    runtimeOptions.storage?.resultsDirectory === undefined
      ? await openResultsFolder(host.homeDir, `run-${randomBytes(8).toString('hex')}`)
      : undefined
  const settingStore = new SettingStore({
    load: () => readCommandSettings(host, values),
    home: host.homeDir,
    findModelProblem: (name, current) => findModelProblem(name, current, io),
  })
  presetInputSchemas()
  const runtime = createToolRuntime({
    tools,
    permissions: settings.permissionContext,
    hooks: addHooks(
      joinHookLayers(settings.hooks, (problem) => warn(io, problem)),
      programHooks,
    ),
    ports: {
      ask: askPort,
      ...withoutUndefined({ model: modelPort, history: options.historyPort, schedule: options.schedulePort }),
      ...(modelSearch !== undefined && { webSearch: modelSearch }),
      ...(servedServers !== undefined && { mcp: servedServers.mcp }),
    },
    cwd: host.cwd,
    // Problems of hooks are strings, which `joinHookLayers` has already reported with their files.
    onProblem: (problem) => typeof problem !== 'string' && warn(io, problem.message),
    scheduling: concurrencyOf(io),
    ...(mcpServers !== undefined && { mcpServers: { ...mcpServers, startsOnDemand } }),
    ...(askWith !== undefined && { ask: askWith(settings) }),
    onEvent(event, source) {
      if (event.type === 'hook-reported' && event.forUser !== undefined && !showsHookMessages) warn(io, event.forUser)
      onEvent?.(event, source)
    },
    ...(servedServers !== undefined && { mcpTools: servedServers.mcpTools }),
    ...runtimeOptions,
    policy: {
      restrictions: settings.restrictions,
      isSandboxed: io.variables.HAFT_SANDBOX === '1',
      saveUpdates: (updates) => saveUpdates(updates, settings, io, host),
      ...runtimeOptions.policy,
    },
    machine: {
      sandbox: settings.sandbox,
      allowedPrivateHosts: settings.allowedPrivateHosts,
      ...(webSearch !== undefined && { webSearch }),
      ...(notify !== undefined && { notify }),
      ...browserOf(settings, host.homeDir),
      languageServers: settings.languageServers,
      formatters: settings.formatters,
      env: commandVariablesOf(io, settings),
      hiddenVariables: keyVariables,
      maskSecrets: settings.maskSecrets === true,
      // Variables that the settings set under `env` are meant for commands.
      passVariables: [...settings.passVariables, ...Object.keys(settings.env)],
      homeDir: host.homeDir,
      projectDir: settings.projectRoot,
      isProjectTrusted: settings.isTrusted,
      flags: environment,
      ...runtimeOptions.machine,
    },
    storage: {
      checkpointsDirectory: toCheckpointsFolder(host.homeDir, settings.projectRoot),
      taskBoardDirectory: join(host.homeDir, '.haft', 'tasks', toProjectFolderName(settings.projectRoot)),
      teamsDirectory: join(host.homeDir, '.haft', 'teams', toProjectFolderName(settings.projectRoot)),
      workflowsDirectory: join(host.homeDir, '.haft', 'workflows', toProjectFolderName(settings.projectRoot)),
      onNoCheckpoints: (problem) => warn(io, problem),
      isDurable: settings.fsync === true,
      settings: settingStore,
      ...(resultsFolder !== undefined && { resultsDirectory: resultsFolder.directory }),
      ...runtimeOptions.storage,
    },
    schedule: {
      directory: toScheduleFolder(host.homeDir, settings.projectRoot),
      workers: workersOf(io, settings),
      ...runtimeOptions.schedule,
    },
    conversation: {
      onHookReported: ({ forUser }) => forUser !== undefined && warn(io, forUser),
      onNotification: notificationShower(io, options.showInTerminal),
      ...(servedServers !== undefined && { contextOptions: statesOf(servedServers) }),
      ...runtimeOptions.conversation,
    },
  })
  return {
    runtime,
    settings,
    settingStore,
    hasServers: hasServers(settings) || programServers.length > 0,
    async dispose() {
      await runtime.dispose()
      await resultsFolder?.cleanUp()
      await pruneProjectsWhenDue(getCheckpointsRoot(host.homeDir))
    },
  }
}

/** Prevents programs that Haft starts from reading its keys from /proc. The process of a library user is left alone. */
function hideKeys({ variables }: CommandIo, keyVariables: readonly string[]): void {
  if (variables !== process.env) return
  hideInitialVariables((name, value) => keyVariables.includes(name) || isSecretVariable(name, value))
  excludeMemoryFromCoreDumps()
}

/** Returns why no request can be sent to a model. The providers' code is loaded when it is needed. */
async function findModelProblem(name: string, settings: LoadedSettings, io: CommandIo): Promise<string | undefined> {
  const [{ openModel }, { addStoredKeys }] = await Promise.all([
    import('../../providers/open-model.js'),
    import('./model-access.js'),
  ])
  const opening = addStoredKeys(name, settings, io).then((access) => openModel({ name, ...access, served: true }))
  return opening.then(() => undefined, reasonOf)
}

/** Prepares the configured servers. Loads no server code if there are none. */
async function loadMcpSetup(
  io: CommandIo,
  { homeDir: home }: CommandHost,
  settings: LoadedSettings,
  { values: { trust }, programServers, acceptsServers }: ServerOptions,
): Promise<McpSetup | undefined> {
  if (!hasServers(settings)) {
    if (programServers.length === 0 && !acceptsServers) return undefined
    return { servers: programServers, onProblem: (problem) => warn(io, problem) }
  }
  const { openMcpSetup } = await import('./mcp-setup.js')
  const setup = await openMcpSetup(io, settings, { home, trust })
  const otherServers = setup.servers.filter(({ name }) => !programServers.some((server) => server.name === name))
  return { ...setup, servers: [...otherServers, ...programServers] }
}

interface ServerOptions {
  readonly values: SettingsValues
  readonly programServers: readonly ConfiguredServer[]
  readonly acceptsServers: boolean
}

/** Adds hooks to those of the settings. The runtime leaves invalid ones out. */
function addHooks(
  hooks: Readonly<Record<string, readonly unknown[]>> | undefined,
  added: Readonly<Record<string, readonly unknown[]>>,
): HookSettings | undefined {
  const events = [...new Set([...Object.keys(hooks ?? {}), ...Object.keys(added)])]
  if (events.length === 0) return undefined
  const groups = events.map((event) => [event, [...(hooks?.[event] ?? []), ...(added[event] ?? [])]] as const)
  return Object.fromEntries(groups) as HookSettings
}

/** Prunes checkpoints of other projects. Loads the code only if pruning is due. */
async function pruneProjectsWhenDue(root: string): Promise<void> {
  if (!isPruningDue(root)) return
  const { pruneForgottenProjects } = await import('../../ports/checkpoints/prune-when-due.js')
  await pruneForgottenProjects(root)
}

function statesOf(servedServers: ServedServers) {
  return {
    get mcpClients() {
      return servedServers.mcpClients
    },
  }
}

/** For runs without a user: declines every question. */
const NO_USER: AskPort = {
  canAsk: false,
  askQuestions: async () => undefined,
  handleElicitation: async () => ({ action: 'decline' }),
}

function refuseUnsafeStart({ permissionContext }: LoadedSettings, { variables }: CommandIo, { isRoot }: CommandHost) {
  if (permissionContext.mode !== 'bypassPermissions') return
  const answer = canStartInBypass({ isRoot, isSandboxed: variables.HAFT_SANDBOX === '1' })
  if (!answer.canStart) throw asUsageError(new Error(answer.message))
}

/** Saves the updates. If one cannot be saved, it still applies to this run. */
async function saveUpdates(
  updates: readonly PermissionUpdate[],
  { projectRoot, restrictions }: LoadedSettings,
  io: CommandIo,
  { homeDir }: CommandHost,
): Promise<void> {
  try {
    await savePermissionUpdates(updates, { projectRoot, home: homeDir, restrictions })
  } catch (error) {
    warn(io, reasonOf(error))
  }
}

function concurrencyOf(io: CommandIo): { readonly maxConcurrency?: number } {
  const text = io.variables.HAFT_MAX_TOOL_USE_CONCURRENCY
  if (text === undefined || text.trim() === '') return {}
  const maxConcurrency = Number(text)
  if (Number.isInteger(maxConcurrency) && maxConcurrency > 0) return { maxConcurrency }
  warn(io, `invalid HAFT_MAX_TOOL_USE_CONCURRENCY=${text} is ignored; use a positive integer.`)
  return {}
}

function presetInputSchemas(): void {
  for (const tool of builtInTools) {
    const text = inputSchemas[tool.name]
    if (text !== undefined) presetInputJSONSchema(tool, text)
  }
}

/**
 * Joins the hooks of all sources. If several hooks change the same value, the last one wins, so the highest source
 * comes last. Problems are reported with their file.
 */
export function joinHookLayers(
  layers: readonly HookLayer[],
  onProblem: (message: string) => void,
): Readonly<Record<string, readonly unknown[]>> | undefined {
  const joinedHooks = new Map<string, unknown[]>()
  for (const { source, file, hooks } of layers.toReversed()) {
    for (const { path, message } of parseHookConfig(hooks).problems)
      onProblem(`${file ?? source}: hooks.${path} ${message}`)
    for (const [event, groups] of Object.entries(hooks))
      if (Array.isArray(groups)) joinedHooks.set(event, [...(joinedHooks.get(event) ?? []), ...groups])
  }
  return joinedHooks.size === 0 ? undefined : Object.fromEntries(joinedHooks)
}

const MAX_RESULT_AGE_MS = 7 * 24 * 60 * 60 * 1000

/** Opens the folder for long results of a run. It is kept after the run, because a preview refers to the full result. */
async function openResultsFolder(homeDir: string, name: string) {
  const home = await realpath(homeDir).catch(() => homeDir)
  const root = join(home, '.haft', 'results')
  const directory = join(root, name)
  return {
    directory,
    /** Removes old results of other runs if this run saved results. */
    async cleanUp(): Promise<void> {
      if (!existsSync(directory)) return
      await cleanUpResults(root, { now: Date.now(), maxAgeMs: MAX_RESULT_AGE_MS, keptFolders: new Set([name]) })
    },
  }
}

/** Returns what shows the notices of tools: the interactive terminal, or a line on standard error. */
function notificationShower(
  io: CommandIo,
  showInTerminal: ToolSessionOptions['showInTerminal'],
): NonNullable<ToolSessionOptions['showInTerminal']> {
  return showInTerminal ?? (({ title, body }) => warn(io, `${title}: ${body}`))
}

/** Returns the ports that exist. */
function withoutUndefined(ports: { readonly [P in keyof Ports]?: Ports[P] | undefined }): Partial<Ports> {
  return Object.fromEntries(Object.entries(ports).filter(([, port]) => port !== undefined))
}
