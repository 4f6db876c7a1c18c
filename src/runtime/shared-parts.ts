import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { type Assembly, createAssembly } from '../assembly/create-assembly.js'
import { readEnvironment } from '../assembly/read-environment.js'
import { registerTools } from '../assembly/register-tools.js'
import { QuestionLock } from '../calls/asking/question-lock.js'
import { OpenRuns } from '../calls/open-runs.js'
import { FairLimiter } from '../calls/schedule/fair-limiter.js'
import type { ToolDefinitionError } from '../contract/errors.js'
import type { ToolEvent } from '../contract/events.js'
import type { McpPort } from '../contract/ports/mcp.js'
import type { Tool, Tools } from '../contract/tool/tool.js'
import type { HookRunner } from '../hooks/create-hook-runner.js'
import type { HookPorts } from '../hooks/run/hook-call.js'
import type { DecisionPorts } from '../permissions/decide/decision-request.js'
import { nodePathFacts } from '../ports/paths/node-path-facts.js'
import { findProgram } from '../system/find-program.js'
import { createHooks } from './create-hooks.js'
import { searchesAroundRestricted } from './hide-restricted.js'
import type { MachinePorts } from './machine/machine-ports.js'
import { type McpSetup, readMcpSetup } from './mcp/mcp-setup.js'
import type { RuntimeMcp } from './mcp/runtime-mcp.js'
import { PoolIndex } from './pool-index.js'
import { DEFAULT_LIMITS } from './resource-kind.js'
import type { EventSource, ToolRuntimeOptions } from './runtime-options.js'
import { RuntimeSkills } from './runtime-skills.js'
import { createShellAnalysis } from './shell-analysis.js'
import { readToolSearchSettings, type ToolSearchSettings } from './tool-search-settings.js'

/** What all agents of a runtime have together. */
export interface SharedParts {
  readonly options: ToolRuntimeOptions
  readonly mcpSetup: McpSetup | undefined
  readonly tools: Tools
  readonly assembly: Assembly<Tool>
  readonly hooks: HookRunner | undefined
  readonly limiter: FairLimiter
  /** There is one person, however many agents have questions. */
  readonly questions: QuestionLock
  readonly openRuns: OpenRuns
  readonly place: { readonly startDir: string; readonly projectDir: string; readonly homeDir: string }
  readonly decisionPorts: DecisionPorts
  readonly machine: MachinePorts
  readonly toolSearch: ToolSearchSettings
  /** One index for all agents: most of them have the same tools. */
  readonly toolIndex: PoolIndex
  readonly mcp: RuntimeMcp | undefined
  readonly skills: RuntimeSkills
  readonly sessionId: string
  readonly emit: (event: ToolEvent, source: EventSource) => void
  readonly onProblem: (problem: ToolDefinitionError | string) => void
}

/** `mcp` gives the servers to hooks that call them; there are none yet when the hooks are made. */
export function createSharedParts(
  options: ToolRuntimeOptions,
  mcp: () => McpPort | undefined,
): Omit<SharedParts, 'machine' | 'mcp'> {
  const startDir = options.cwd ?? process.cwd()
  const place = { startDir, projectDir: options.projectDir ?? startDir, homeDir: options.homeDir ?? homedir() }
  const sessionId = options.sessionId ?? randomUUID()
  const onProblem = tellOnce(options.onProblem)
  const tools = registerTools(options.tools, options.onProblem === undefined ? {} : { onProblem })
  const env = options.environment ?? readEnvironment(process.env, process.platform).environment
  const variables = options.env ?? process.env
  const emit = guarded(options.onEvent)
  const mcpSetup = options.mcpServers && readMcpSetup(options.mcpServers)
  return {
    options,
    mcpSetup,
    tools,
    assembly: createAssembly<Tool>({
      baseTools: tools,
      env,
      isInstalled: (program) => findProgram(program, variables) !== undefined,
    }),
    hooks: createHooks(
      { ...options, hookPorts: { ...hookCalls(mcpSetup, mcp), ...options.hookPorts } },
      { projectDir: place.projectDir, sessionId, emit: (event) => emit(event, {}) },
    ),
    limiter: new FairLimiter({ ...DEFAULT_LIMITS, ...serverLimits(mcpSetup), ...options.limits }),
    questions: new QuestionLock(),
    openRuns: new OpenRuns(),
    place,
    decisionPorts: {
      paths: nodePathFacts(),
      shell: createShellAnalysis({ home: place.homeDir, environment: variables }),
      skipsDeniedFiles: searchesAroundRestricted,
      ...options.decisionPorts,
    },
    toolSearch: readToolSearchSettings(options.toolSearch, env, variables.HAFT_TOOL_SEARCH, onProblem),
    skills: new RuntimeSkills(options.skills),
    toolIndex: new PoolIndex(() => [...tools, ...(options.mcpTools?.() ?? [])]),
    sessionId,
    emit,
    onProblem,
  }
}

/** Hooks may call the servers of the runtime; the port that they get obeys deny rules. */
function hookCalls(setup: McpSetup | undefined, mcp: () => McpPort | undefined): HookPorts {
  if (setup === undefined) return {}
  return {
    async callMcpTool({ server, tool, input, signal }) {
      const port = mcp()
      if (port === undefined) throw new Error('The MCP servers are not there yet.')
      return port.callTool(server, tool, input, { signal })
    },
  }
}

/** How many calls of a server run at once, where its configuration says so. */
function serverLimits(setup: McpSetup | undefined): Record<string, number> {
  const limited = (setup?.servers ?? []).flatMap(({ name, config: { maxConcurrency } }) =>
    maxConcurrency === undefined ? [] : [[`mcp:${name}`, maxConcurrency] as const],
  )
  return Object.fromEntries(limited)
}

/** The same problem comes up with every request; its author needs to hear of it once. */
function tellOnce(tell: ToolRuntimeOptions['onProblem']): (problem: ToolDefinitionError | string) => void {
  const told = new Set<string>()
  return (problem) => {
    const text = typeof problem === 'string' ? problem : problem.message
    if (tell === undefined || told.has(text)) return
    told.add(text)
    tell(problem)
  }
}

function guarded(listener: ToolRuntimeOptions['onEvent']): SharedParts['emit'] {
  return (event, source) => {
    try {
      listener?.(event, source)
    } catch {
      // Who watches calls must not be able to stop them.
    }
  }
}
