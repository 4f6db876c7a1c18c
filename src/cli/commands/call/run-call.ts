import { filterToolsByDenyRules } from '../../../assembly/filter-tools-by-deny-rules.js'
import type { ToolResultBlock } from '../../../contract/messages.js'
import type { Tools } from '../../../contract/tool.js'
import { findToolByName, toolMatchesName } from '../../../contract/tool-identity.js'
import type { CallOutcome } from '../../../execution/execute-call.js'
import type { HaftRuntime } from '../../../runtime/haft-runtime.js'
import { builtInTools } from '../../../tools/index.js'
import { TaskOutputTool } from '../../../tools/task-output/tool.js'
import { askInTerminal } from '../../ask-in-terminal.js'
import type { CommandIo } from '../../command.js'
import type { CommandHost } from '../../command-host.js'
import { EXIT } from '../../exit-codes.js'
import { openToolSession, type ToolSession } from '../../open-tool-session.js'
import { parseOptions } from '../../parse-options.js'
import { readJsonArgument } from '../../read-json-argument.js'
import { resultLine } from '../../result-line.js'
import { SETTINGS_OPTIONS } from '../../settings-options.js'
import { terminalAskPort } from '../../terminal-ask-port.js'
import { unknownTool } from '../../unknown-tool.js'
import { UsageError } from '../../usage-error.js'
import { resultText } from './result-text.js'

const CALL_ID = 'call_1'
/** A hook that says no is as good a refusal as a rule or a person. */
const REFUSALS: ReadonlySet<string | undefined> = new Set(['permission_denied', 'permission_needed', 'hook_blocked'])

/** Calls one tool the way a model does, with the person at the terminal to ask. */
export async function runCall(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, {
    ...SETTINGS_OPTIONS,
    json: { type: 'boolean', default: false },
  })
  const [name, written, ...others] = positionals
  if (name === undefined || written === undefined || others.length > 0)
    throw new UsageError("say which tool to call and with what: haft call TOOL '{…}'.")
  const host = await io.host()
  const input = await readJsonArgument(written, host)
  // Standard input that held the call cannot hold answers, too.
  const canAsk = host.isInteractive && written !== '-'
  const session = await openToolSession(io, host, {
    values,
    tools: toolsFor(name),
    ...(canAsk && { askWith: (settings) => askInTerminal(io, host, settings), askPort: terminalAskPort(io, host) }),
  })
  try {
    const isDenied = requireTool(name, session.runtime)
    const { outcome, block } = await callOnce(session, host, name, input)
    io.out(values.json ? resultLine(block) : resultText(block))
    return host.interruption().exitCode ?? exitCode(outcome, isDenied)
  } finally {
    await session.dispose()
  }
}

/** Whatever a single call leaves running ends with it, so that nobody can read it later and a command must not go on by itself. */
function toolsFor(name: string): Tools {
  return builtInTools.filter((tool) => tool !== TaskOutputTool || toolMatchesName(tool, name))
}

/** Tells whether rules deny the tool as a whole; a name that means nothing is wrong usage. */
function requireTool(name: string, { pool, permissions }: HaftRuntime): boolean {
  if (findToolByName(pool, name) !== undefined) return false
  const tool = findToolByName(builtInTools, name)
  if (tool === undefined) throw unknownTool(name, builtInTools)
  if (filterToolsByDenyRules([tool], permissions).length === 0) return true
  throw new UsageError(`${tool.name} exists, but is switched off here; docs/flags.md tells what switches it.`)
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
  if (outcome === undefined) throw new Error('the call has no outcome')
  const [block = outcome.block] = await runtime.results.settle([outcome])
  return { outcome, block }
}

function exitCode({ error, block }: CallOutcome, isDenied: boolean): number {
  if (isDenied || REFUSALS.has(error?.code)) return EXIT.permission
  return error !== undefined || block.is_error === true ? EXIT.failed : EXIT.done
}
