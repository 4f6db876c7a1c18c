import { type KnownCall, toObservableInput } from '../../../calls/call.js'
import { analyseCommandLine } from '../../../calls/steps/analyse-command.js'
import { findInDirectory } from '../../../calls/steps/find-tool.js'
import { parseToolInput } from '../../../calls/steps/parse-input.js'
import { ToolCallError } from '../../../contract/errors.js'
import type { ToolPermissionContext } from '../../../contract/permission/context.js'
import type { Ports } from '../../../contract/ports/index.js'
import type { SettingsPort } from '../../../contract/ports/settings.js'
import { commandOf } from '../../../contract/tool/command-of.js'
import type { Tool, ToolContext, Tools } from '../../../contract/tool/tool.js'
import { decidePermission } from '../../../permissions/decide/decide-permission.js'
import type { PermissionOutcome } from '../../../permissions/decide/decision.js'
import { declaresReadOnly } from '../../../permissions/facts/call-facts.js'
import { createNodePathFacts } from '../../../ports/paths/node-path-facts.js'
import { systemClock } from '../../../ports/system-clock.js'
import { createRepositoryReader } from '../../../runtime/machine/read-repositories.js'
import { omitsRestricted } from '../../../runtime/permissions/hide-restricted.js'
import type { MaybePromise } from '../../../shared/maybe-promise.js'
import { builtInTools } from '../../../tools/index.js'

/** A call to decide about without running it. */
export interface HypotheticalCall {
  readonly toolName: string
  readonly input: unknown
  /** Default: the built-in tools. */
  readonly tools?: Tools
  readonly permissions: ToolPermissionContext
  readonly cwd: string
  /** The folder that rules with a leading slash are relative to. */
  readonly projectDir: string
  readonly homeDir: string
  /** Whether read-only commands would run in a sandbox. */
  readonly canConfine: () => MaybePromise<boolean>
}

export interface CallJudgement {
  readonly outcome: PermissionOutcome
  /** Whether the call is read-only, according to the tool and, for a shell command, to the command analysis. */
  readonly readOnly: boolean
}

type JudgedInput = Pick<KnownCall, 'tool' | 'input'>

const BUILT_IN_TOOLS: Tools = Object.freeze([...builtInTools])
const paths = createNodePathFacts()

/** Decides about a call as the pipeline would, without running it or any hook. Invalid input is denied. */
export async function judgeCall(call: HypotheticalCall): Promise<CallJudgement> {
  const parsedCall = await parseCall(call)
  if ('behavior' in parsedCall) return { outcome: parsedCall, readOnly: false }
  const { tool, input } = parsedCall
  const { cwd, projectDir, homeDir, permissions } = call
  const observedInput = toObservableInput(tool, input)
  const commandLine = commandOf(tool, observedInput)
  const command = commandLine && (await analyseCommandLine(commandLine, { cwd, homeDir, readRepositories }))
  const outcome = await decidePermission(
    {
      tool,
      input: observedInput,
      command,
      permissions,
      toolContext: { ...createToolContext(tool, call), command },
      pathContext: { cwd, startDir: cwd, projectDir, homeDir },
      canAsk: true,
    },
    { paths, skipsDeniedFiles: omitsRestricted, canConfine: call.canConfine },
  )
  const isReadOnly = command?.isReadOnly !== false && declaresReadOnly(tool, input, command)
  return { outcome, readOnly: isReadOnly }
}

/** Shared by all calls, so that each repository is read once. */
const readRepositories = createRepositoryReader(process.env)

async function parseCall({
  toolName,
  input,
  tools = BUILT_IN_TOOLS,
}: HypotheticalCall): Promise<JudgedInput | PermissionOutcome> {
  try {
    const tool = findInDirectory(toolName, { tools })
    return { tool, input: (await parseToolInput(tool, input, { isSchemaSent: () => true })).input }
  } catch (error) {
    if (!(error instanceof ToolCallError)) throw error
    return denyInput(error.message)
  }
}

export function denyInput(text: string): PermissionOutcome {
  return {
    behavior: 'deny',
    reason: { type: 'input', text },
    message: text,
    suggestions: [],
    trace: [{ stage: 'input', outcome: 'deny', text }],
  }
}

/**
 * Creates a context that suffices for the permission check of a tool. A check that needs another port fails, which means "ask".
 */
function createToolContext(tool: Tool, { cwd, permissions, tools = BUILT_IN_TOOLS }: HypotheticalCall): ToolContext {
  const abortController = new AbortController()
  const context = {
    toolUseId: 'hypothetical',
    cwd,
    abortController,
    signal: abortController.signal,
    messages: [],
    options: {
      tools,
      commands: [],
      mainLoopModel: '',
      thinkingConfig: { type: 'disabled' as const },
      mcpClients: [],
      agentDefinitions: [],
    },
    queryTracking: { chainId: 'main', depth: 0 },
  }
  const ports: Partial<Ports> = { clock: systemClock, settings: createReadOnlySettings(permissions) }
  const neededPorts = (tool.needs ?? []).flatMap((port) => (ports[port] === undefined ? [] : [[port, ports[port]]]))
  return { ...context, ...Object.fromEntries(neededPorts) }
}

/** Creates read-only settings, because a hypothetical call must not change anything. */
function createReadOnlySettings(toolPermissionContext: ToolPermissionContext): SettingsPort {
  const refuseChange = async () => {
    throw new ToolCallError('unavailable', 'Settings cannot be changed by a permission check.')
  }
  return { toolPermissionContext, modeBeforePlan: 'default', applyPermissionUpdates: refuseChange }
}
