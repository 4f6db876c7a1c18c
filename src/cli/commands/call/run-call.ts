import { filterToolsByDenyRules } from '../../../assembly/filter-tools-by-deny-rules.js'
import type { CallOutcome } from '../../../calls/call-outcome.js'
import type { ToolResultBlock } from '../../../contract/messages.js'
import { findToolByName, toolMatchesName } from '../../../contract/tool/identity.js'
import type { Tools } from '../../../contract/tool/tool.js'
import type { HaftRuntime } from '../../../runtime/haft-runtime.js'
import { builtInTools } from '../../../tools/index.js'
import type { CommandHost, CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { formatResult, formatResultLine } from '../../io/format-result.js'
import { readJsonArgument } from '../../io/read-json-argument.js'
import { parseOptions } from '../../options/parse-options.js'
import { SETTINGS_OPTIONS } from '../../options/settings-options.js'
import { askInTerminal, createTerminalAskPort } from '../../tool-session/ask-in-terminal.js'
import { openToolSession, type ToolSession } from '../../tool-session/open-tool-session.js'
import { createUnknownToolError } from '../../tool-session/unknown-tool.js'

const CALL_ID = 'call_1'
/** Error codes that mean a refused permission; a call that a hook blocked counts as refused. */
const REFUSAL_CODES: ReadonlySet<string | undefined> = new Set([
  'permission_denied',
  'permission_needed',
  'hook_blocked',
])

/** Calls one tool as a model would; permission questions are asked in the terminal. */
export async function runCall(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, {
    ...SETTINGS_OPTIONS,
    json: { type: 'boolean', default: false },
  })
  const [name, inputArgument, ...others] = positionals
  if (name === undefined || inputArgument === undefined || others.length > 0)
    throw new UsageError("expected a tool and its input: haft call TOOL '{…}'.")
  const host = await io.host()
  const input = await readJsonArgument(inputArgument, host)
  // If standard input contains the tool's input, it cannot also contain answers to questions.
  const canAsk = host.isInteractive && inputArgument !== '-'
  const waitsForServers = needsAllServers(name)
  const session = await openToolSession(io, host, {
    values,
    tools: toolsFor(name),
    startsOnDemand: !waitsForServers,
    ...(canAsk && {
      askWith: (settings) => askInTerminal(io, host, settings),
      askPort: createTerminalAskPort(io, host),
    }),
  })
  try {
    if (waitsForServers) await (await session.runtime.mcp())?.settled()
    const { outcome, block } = await callOnce(session, host, name, input)
    const isRefused = outcome.error?.code === 'unknown_tool' && (await isDenied(name, session.runtime))
    io.out(values.json ? formatResultLine(block) : formatResult(block))
    return host.interruption().exitCode ?? exitCodeOf(outcome, isRefused)
  } finally {
    await session.dispose()
  }
}

/**
 * Returns the built-in tools without those that read background tasks, which end with the command. The named tool is always
 * included.
 */
function toolsFor(name: string): Tools {
  return builtInTools.filter((tool) => tool.readsTasks !== true || toolMatchesName(tool, name))
}

/** Whether the named tool needs all MCP servers, because it reads from them or searches their tools. */
function needsAllServers(name: string): boolean {
  const { needs = [] } = findToolByName(builtInTools, name) ?? {}
  return needs.includes('mcp') || needs.includes('catalog')
}

/** Whether rules deny a tool that is not in the pool. Throws if the tool is unknown or disabled. */
async function isDenied(name: string, { permissions, mcp }: HaftRuntime): Promise<boolean> {
  const allTools = [...builtInTools, ...((await mcp())?.tools() ?? [])]
  const tool = findToolByName(allTools, name)
  if (tool === undefined) throw createUnknownToolError(name, allTools)
  if (filterToolsByDenyRules([tool], permissions).length === 0) return true
  throw new UsageError(`${tool.name} is disabled here; see docs/flags.md for the flags that enable it.`)
}

async function callOnce(
  { runtime }: ToolSession,
  host: CommandHost,
  name: string,
  input: unknown,
): Promise<{ outcome: CallOutcome; block: ToolResultBlock }> {
  const run = runtime.open({ signal: host.interruption().signal })
  run.add({ type: 'tool_use', id: CALL_ID, name, input })
  run.end()
  const [outcome] = await run.outcomes()
  if (outcome === undefined) throw new Error(`internal error: the call of ${name} has no outcome.`)
  const [block = outcome.block] = await runtime.results.settle([outcome])
  return { outcome, block }
}

function exitCodeOf({ error, block }: CallOutcome, isRefused: boolean): number {
  if (isRefused || REFUSAL_CODES.has(error?.code)) return EXIT.permission
  return error !== undefined || block.is_error === true ? EXIT.failed : EXIT.done
}
