import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { type Assembly, createAssembly } from '../assembly/create-assembly.js'
import { readEnvironment } from '../assembly/read-environment.js'
import { registerTools } from '../assembly/register-tools.js'
import type { TimedOutTools } from '../assembly/tool-definitions.js'
import type { ReadRepositories } from '../calls/call-environment.js'
import type { CallRun } from '../calls/call-run.js'
import { QuestionLock } from '../calls/questions.js'
import { DEFAULT_LIMITS, FairLimiter } from '../calls/schedule/fair-limiter.js'
import { feature } from '../contract/build-flags.js'
import type { ToolDefinitionError } from '../contract/errors.js'
import type { ToolEvent } from '../contract/events.js'
import type { DeniedReads } from '../contract/host/denied-reads.js'
import { MAX_SESSION_SPILL_BYTES } from '../contract/limits.js'
import type { ToolPermissionContext } from '../contract/permission/context.js'
import type { IsolatedFolder } from '../contract/runtime.js'
import type { Tool, Tools } from '../contract/tool/tool.js'
import type { HookSession } from '../hooks/config/hook-payload.js'
import type { HookRunner } from '../hooks/create-hook-runner.js'
import type { HookPorts } from '../hooks/run/hook-call.js'
import type { DecisionPorts } from '../permissions/decide/decision-request.js'
import { listWorkingDirectories } from '../permissions/paths/working-directories.js'
import { listDeniedReads } from '../permissions/rules/denied-paths.js'
import { CaseProbe } from '../ports/paths/case-probe.js'
import { createNodePathFacts } from '../ports/paths/node-path-facts.js'
import { findUserGitConfig, type UserGitConfig } from '../ports/sandbox/protect/git-control.js'
import { Spill } from '../results/spill.js'
import type { SecretMasker } from '../shared/secret-masker.js'
import { removeSecretVariables } from '../shared/secret-variables.js'
import { createSystemSearchPath, findProgram } from '../system/find-program.js'
import { openSecretMasker } from '../system/open-secret-masker.js'
import { bindHooksToSession, createHooks } from './hooks/create-hooks.js'
import { createTaskHooks, type TaskHooks } from './hooks/task-hooks.js'
import { createMachinePorts, type MachinePorts } from './machine/machine-ports.js'
import { createRepositoryReader } from './machine/read-repositories.js'
import { createMcp } from './mcp/create-mcp.js'
import { type McpSetup, readMcpSetup } from './mcp/mcp-setup.js'
import { restrictMcp } from './mcp/restrict-mcp.js'
import type { RuntimeMcp } from './mcp/runtime-mcp.js'
import type { EventOrigin, ToolRuntimeOptions } from './options.js'
import { omitsRestricted } from './permissions/hide-restricted.js'
import { toPermissionContext } from './permissions/permission-rules.js'
import { findModeRefusal, PermissionState } from './permissions/permission-state.js'
import { reportRules } from './permissions/report-rules.js'
import { ResultStore } from './result-store.js'
import { PoolIndex } from './tools/pool-index.js'
import { RuntimeSkills } from './tools/runtime-skills.js'
import { omitToolsNeeding } from './tools/tool-catalog.js'
import { readToolSearchSettings, type ToolSearchSettings } from './tools/tool-search-settings.js'

/** The folders that paths and rules are relative to. */
export interface RuntimeFolders {
  readonly startDir: string
  readonly projectDir: string
  readonly homeDir: string
}

/** The services that all agents of a runtime share. */
export interface RuntimeServices {
  readonly options: ToolRuntimeOptions
  readonly baseFolders: RuntimeFolders
  readonly sessionId: string
  readonly tools: Tools
  readonly assembly: Assembly<Tool>
  /** The tools that code in the REPL can call. Created on first use: most runtimes have no REPL. */
  readonly nestedAssembly: () => Assembly<Tool>
  /** Both for sub-agents; undefined if these have the same tools as the main agent. */
  readonly workerAssemblies: () => Pick<RuntimeServices, 'assembly' | 'nestedAssembly'> | undefined
  readonly timedOutTools: TimedOutTools
  readonly mcp: RuntimeMcp | undefined
  readonly hooks: HookRunner | undefined
  readonly machine: MachinePorts
  readonly decisionPorts: DecisionPorts
  readonly readRepositories: ReadRepositories
  readonly caseProbe: CaseProbe
  /** Returns what git reads for every repository. */
  readonly userGitConfig: () => UserGitConfig
  /** Undefined if secrets are not masked. */
  readonly secrets: SecretMasker | undefined
  readonly limiter: FairLimiter
  /** One lock for all agents, because there is one user. */
  readonly questionLock: QuestionLock
  /** The runs that have not settled, so that they can be closed when the runtime is disposed. */
  readonly openRuns: Set<CallRun>
  readonly skills: RuntimeSkills
  readonly toolSearch: ToolSearchSettings
  /** One index for all agents, because most of them have the same tools. */
  readonly toolIndex: PoolIndex
  readonly emit: (event: ToolEvent, source: EventOrigin) => void
  readonly onProblem: (problem: ToolDefinitionError | string) => void
}

/** Where an agent works. It changes with `cd`, and when the agent moves into a copy of the project. */
export interface AgentLocation {
  cwd: string
  baseFolders: RuntimeFolders
  /** The copy of the project that the agent works in; undefined if it works in the project itself. */
  isolation: IsolatedFolder | undefined
}

/** The parts of the main agent. */
export interface RootAgentParts {
  readonly location: AgentLocation
  readonly permissions: PermissionState
  readonly results: ResultStore
}

/** Creates the services of a runtime and the parts of its main agent, in the order in which they depend on each other. */
export function createServices(options: ToolRuntimeOptions): { services: RuntimeServices; root: RootAgentParts } {
  const { machine: machineOptions = {}, conversation = {}, policy = {} } = options
  const folders = getBaseFolders(options)
  const sessionId = conversation.sessionId ?? randomUUID()
  const onProblem = reportOnce(options.onProblem)
  const emit = guardListener(options.onEvent)
  const variables = machineOptions.env ?? process.env
  const flags = machineOptions.flags ?? readEnvironment(process.env, process.platform).environment
  const tools = registerTools(options.tools, options.onProblem === undefined ? {} : { onProblem })
  const questionLock = new QuestionLock()
  const caseProbe = new CaseProbe()
  const permissions = createPermissions(options, folders, variables, emit)
  reportRules(permissions.context, () => listKnownTools(tools, options), onProblem)
  const location: AgentLocation = { cwd: folders.startDir, baseFolders: folders, isolation: undefined }
  const mcpSetup = options.mcpServers && readMcpSetup(options.mcpServers)
  const mcp = createMcp(options, {
    ...{ setup: mcpSetup, tools, folders, questionLock, onProblem },
    roots: () => listWorkingFolders(permissions.context, location.baseFolders),
    rootsBasis: () => permissions.context.additionalWorkingDirectories,
    permissions: () => permissions.context,
    hooks: () => hooks,
  })
  const hookPorts = { ...createMcpHookPorts(mcp, permissions), ...conversation.hookPorts }
  const inheritedVariables = createInheritedVariables(variables, machineOptions)
  const hooks = createHooks(options, {
    ...{ projectDir: folders.projectDir, sessionId, hookPorts, variables, inheritedVariables },
    ...{ emit, onProblem },
  })
  const secrets =
    machineOptions.maskSecrets === true ? openSecretMasker(variables, machineOptions.hiddenVariables) : undefined
  const session = () => createHookSession(options, sessionId, location.cwd, permissions)
  const results = createResults(options, onProblem)
  const spillBudget = { bytesLeft: MAX_SESSION_SPILL_BYTES }
  let cachedGitConfig: UserGitConfig | undefined
  const userGitConfig = () => (cachedGitConfig ??= findUserGitConfig(folders.homeDir, variables))
  const taskHooks = createTaskHooks(hooks && bindHooksToSession(hooks, session), conversation, onProblem)
  const machine = createMachinePorts(() => ({
    environment: inheritedVariables,
    userGitConfig,
    home: folders.homeDir,
    workingFolders: () => listWorkingFolders(permissions.context, location.baseFolders),
    deniedReads: cacheDeniedReads(permissions, location),
    openOutput: (id) => new Spill({ directory: results.directory, id, budget: spillBudget }),
    secrets,
    tasks: taskHooks,
    sandbox: machineOptions.sandbox,
    allowedPrivateHosts: machineOptions.allowedPrivateHosts,
    editorFiles: machineOptions.editorFiles,
    webSearch: machineOptions.webSearch,
    notify: machineOptions.notify,
    schedule: toScheduleOptions(options, folders),
    session: sessionId,
    proxyVariables: variables,
    browser: machineOptions.browser,
    resultsFolder: () => results.directory,
    projectFolder: folders.projectDir,
    // A language server or formatter is named by the user's settings, and a folder of PATH may belong to the project.
    programEnvironment: () =>
      machineOptions.isProjectTrusted === false
        ? { ...inheritedVariables(), PATH: createSystemSearchPath(inheritedVariables().PATH, folders.projectDir) }
        : inheritedVariables(),
    isProjectTrusted: machineOptions.isProjectTrusted,
    languageServers: machineOptions.languageServers,
    formatters: machineOptions.formatters,
    onProblem,
    checkpoints: toCheckpointsOptions(options, sessionId, onProblem),
    taskBoard: toTaskBoardOptions(options, sessionId, taskHooks),
    teams: toTeamsOptions(options, sessionId),
    workflows: toWorkflowsOptions(options),
  }))
  const shell = () => options.ports?.shell ?? machine.ports.shell
  // Without a board, its tools must not take the place of TodoWrite.
  const hasTaskBoard = (options.storage?.taskBoardDirectory ?? options.ports?.taskBoard) !== undefined
  const baseTools = hasTaskBoard ? tools : (omitToolsNeeding(['taskBoard'])?.(tools) ?? tools)
  const isInstalled = (program: string) => findProgram(program, variables) !== undefined
  let nestedAssembly: Assembly<Tool> | undefined
  let cachedWorkerAssemblies: ReturnType<RuntimeServices['workerAssemblies']>
  const services: RuntimeServices = {
    options,
    baseFolders: folders,
    sessionId,
    tools,
    mcp,
    hooks,
    questionLock,
    secrets,
    caseProbe,
    userGitConfig,
    emit,
    onProblem,
    timedOutTools: new WeakMap(),
    assembly: createAssembly<Tool>({ baseTools, env: flags, isInstalled }),
    nestedAssembly: () => (nestedAssembly ??= createAssembly({ baseTools, env: flags, isInstalled, isNested: true })),
    workerAssemblies() {
      if (!feature('COORDINATOR_MODE') || !flags.HAFT_COORDINATOR_MODE) return undefined
      if (cachedWorkerAssemblies !== undefined) return cachedWorkerAssemblies
      const nestedWorkerAssembly = createAssembly<Tool>({
        baseTools,
        env: flags,
        isInstalled,
        isNested: true,
        isWorker: true,
      })
      cachedWorkerAssemblies = {
        assembly: createAssembly<Tool>({ baseTools, env: flags, isInstalled, isWorker: true }),
        nestedAssembly: () => nestedWorkerAssembly,
      }
      return cachedWorkerAssemblies
    },
    machine,
    decisionPorts: {
      paths: createNodePathFacts(caseProbe),
      skipsDeniedFiles: omitsRestricted,
      canConfine: async () => (await shell()?.confinement())?.isAvailable === true,
      ...policy.decisionPorts,
    },
    readRepositories: createRepositoryReader(variables),
    limiter: new FairLimiter({ ...DEFAULT_LIMITS, ...listServerLimits(mcpSetup), ...options.scheduling?.limits }),
    openRuns: new Set(),
    skills: new RuntimeSkills(conversation.skills),
    toolSearch: readToolSearchSettings(options.toolSearch, flags, variables.HAFT_TOOL_SEARCH, onProblem),
    toolIndex: new PoolIndex(() => [...tools, ...(options.mcpTools?.() ?? [])]),
  }
  return { services, root: { location, permissions, results } }
}

/**
 * Returns the variables of programs that the runtime starts. They are filtered with the first program: many runtimes start
 * none.
 */
function createInheritedVariables(
  variables: Variables,
  { hiddenVariables: hiddenNames, passVariables: passedNames }: NonNullable<ToolRuntimeOptions['machine']>,
): () => Variables {
  let inheritedVariables: Variables | undefined
  return () => {
    inheritedVariables ??= removeSecretVariables(variables, { hiddenNames, passedNames })
    return inheritedVariables
  }
}

/** Lists the denied reads again only if the rules have changed. */
function cacheDeniedReads(permissions: PermissionState, location: AgentLocation): () => DeniedReads {
  let context: unknown
  let deniedReads: DeniedReads
  return () => {
    if (context === permissions.context) return deniedReads
    context = permissions.context
    const { baseFolders } = location
    deniedReads = listDeniedReads(permissions.context, { ...baseFolders, cwd: baseFolders.startDir })
    return deniedReads
  }
}

function getBaseFolders({ cwd = process.cwd(), machine = {} }: ToolRuntimeOptions): RuntimeFolders {
  return { startDir: cwd, projectDir: machine.projectDir ?? cwd, homeDir: machine.homeDir ?? homedir() }
}

function createPermissions(
  { permissions, policy = {} }: ToolRuntimeOptions,
  { startDir, projectDir, homeDir }: RuntimeFolders,
  variables: Variables,
  emit: RuntimeServices['emit'],
): PermissionState {
  const { restrictions, saveUpdates, isSandboxed } = policy
  return new PermissionState(toPermissionContext(permissions), {
    folders: { cwd: startDir, projectRoot: projectDir, home: homeDir },
    findModeRefusal: (mode) => findModeRefusal(mode, variables, isSandboxed),
    onMode: (event) => emit(event, {}),
    ...(restrictions !== undefined && { restrictions }),
    ...(saveUpdates !== undefined && { save: saveUpdates }),
  })
}

function createResults({ storage = {} }: ToolRuntimeOptions, onProblem: (problem: string) => void): ResultStore {
  const { resultsDirectory } = storage
  return resultsDirectory === undefined
    ? ResultStore.createTemporary()
    : ResultStore.openInFolder(resultsDirectory, onProblem)
}

function toCheckpointsOptions(
  { storage = {} }: ToolRuntimeOptions,
  session: string,
  onProblem: (problem: string) => void,
) {
  const { checkpointsDirectory: folder, onNoCheckpoints, isDurable } = storage
  return folder === undefined ? undefined : { folder, session, isDurable, onProblem: onNoCheckpoints ?? onProblem }
}

function toTaskBoardOptions(
  { storage = {} }: ToolRuntimeOptions,
  session: string,
  { findBoardObjection: findObjection }: TaskHooks,
) {
  const { taskBoardDirectory: folder, isDurable } = storage
  return folder === undefined ? undefined : { folder, session, isDurable, findObjection }
}

function toScheduleOptions({ schedule }: ToolRuntimeOptions, { projectDir: projectRoot }: RuntimeFolders) {
  if (schedule === undefined) return undefined
  const { directory: folder, ...options } = schedule
  return { ...options, folder, projectRoot }
}

function toTeamsOptions({ storage = {} }: ToolRuntimeOptions, session: string) {
  const { teamsDirectory: folder, isDurable } = storage
  return folder === undefined ? undefined : { folder, session, isDurable }
}

function toWorkflowsOptions({ storage = {} }: ToolRuntimeOptions) {
  const { workflowsDirectory: folder, isDurable } = storage
  return folder === undefined ? undefined : { folder, isDurable }
}

/** Creates the session fields that hooks receive. */
export function createHookSession(
  { conversation = {} }: ToolRuntimeOptions,
  sessionId: string,
  cwd: string,
  permissions: PermissionState,
): HookSession {
  const { transcriptPath = '' } = conversation
  return { session_id: sessionId, transcript_path: transcriptPath, cwd, permission_mode: permissions.mode }
}

/** Returns the folders in which commands may work and write. */
export function listWorkingFolders(context: ToolPermissionContext, baseFolders: RuntimeFolders): readonly string[] {
  const { startDir } = baseFolders
  return listWorkingDirectories(context, { ...baseFolders, cwd: startDir }).map((path) => resolve(startDir, path))
}

/** Lets hooks call the runtime's MCP servers. Deny rules apply. */
function createMcpHookPorts(mcp: RuntimeMcp | undefined, permissions: PermissionState): HookPorts {
  if (mcp === undefined) return {}
  const port = restrictMcp(mcp.port, () => permissions.context)
  return { callMcpTool: async ({ server, tool, input, signal }) => port.callTool(server, tool, input, { signal }) }
}

/** Returns the limits of concurrent calls that MCP servers have in their configuration. */
function listServerLimits(setup: McpSetup | undefined): Record<string, number> {
  const limitEntries = (setup?.servers ?? []).flatMap(({ name, config: { maxConcurrency } }) =>
    maxConcurrency === undefined ? [] : [[`mcp:${name}`, maxConcurrency] as const],
  )
  return Object.fromEntries(limitEntries)
}

/** Returns undefined if the tools of the host are not known yet. */
function listKnownTools(tools: Tools, { mcpTools }: ToolRuntimeOptions): Tools | undefined {
  try {
    return mcpTools === undefined ? tools : [...tools, ...mcpTools()]
  } catch {
    // The function may use something that the host creates after the runtime.
    return undefined
  }
}

/**
 * Reports each problem once, because the same problem can occur with every request. Without a handler, it is a warning of
 * the process, which Node.js prints to standard error.
 */
function reportOnce(report: ToolRuntimeOptions['onProblem']): (problem: ToolDefinitionError | string) => void {
  const reportedTexts = new Set<string>()
  return (problem) => {
    const text = typeof problem === 'string' ? problem : problem.message
    if (reportedTexts.has(text)) return
    reportedTexts.add(text)
    if (report === undefined) process.emitWarning(text, 'HaftWarning')
    else report(problem)
  }
}

function guardListener(listener: ToolRuntimeOptions['onEvent']): RuntimeServices['emit'] {
  return (event, source) => {
    try {
      listener?.(event, source)
    } catch {
      // A failing listener must not fail the call.
    }
  }
}

type Variables = Readonly<Record<string, string | undefined>>
