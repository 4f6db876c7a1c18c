import { ruleNamesOf } from '../../contract/tool/rule-names.js'
import type { Tool } from '../../contract/tool/tool.js'
import type { HookEvent } from '../../hooks/config/hook-events.js'
import type { HookRunner, HookRunOptions } from '../../hooks/create-hook-runner.js'
import { createRuleTester } from '../../hooks/create-rule-tester.js'
import { type ContentTest, createContentTest } from '../../permissions/rules/create-content-test.js'
import type { Input, KnownCall } from '../call.js'
import { completeAnalysis } from './analyse-command.js'

/** Returns the hook runner only if a hook matches this event and tool, so that other calls skip the step. */
export function hooksFor(event: HookEvent, { call, tool }: Pick<KnownCall, 'call' | 'tool'>): HookRunner | undefined {
  const { hooks } = call.environment
  return hooks?.hasHooks(event, tool.name, ...otherNamesOf(tool)) === true ? hooks : undefined
}

/** The options of every hook run of a call, in addition to the fields of its event. */
export function hookOptionsFor({ call, tool }: Pick<KnownCall, 'call' | 'tool'>, observedInput: Input): HookRunOptions {
  // The working directory may have changed since the text of the command was analysed.
  const command = call.command?.cwd === call.cwd ? call.command : undefined
  const matchesRule = createRuleTester(tool, observedInput, contentTestOf({ call, tool }, observedInput), command)
  const options = { names: otherNamesOf(tool), matchesRule }
  const { cancellation } = call
  // Hooks also run for a cancelled call, for at most its grace period.
  if (cancellation.reason !== undefined) return { ...options, signal: AbortSignal.timeout(cancellation.graceMs) }
  // The tool may have aborted its own signal, but its hooks must still run.
  return cancellation.signal.aborted ? options : { ...options, signal: cancellation.signal }
}

function contentTestOf({ call, tool }: Pick<KnownCall, 'call' | 'tool'>, input: Input): ContentTest {
  const { pathContext, permissions, decisionPorts } = call.environment
  const callFields = { tool, input, pathContext: { ...pathContext, cwd: call.cwd } }
  const findCall = async () => ({ ...callFields, command: await completeAnalysis({ call, tool, input }) })
  return createContentTest(findCall, permissions(), decisionPorts)
}

const otherNamesByTool = new WeakMap<Tool, readonly string[]>()

/** Further names that a matcher can use for a tool: aliases and the names of its server. */
function otherNamesOf(tool: Tool): readonly string[] {
  let names = otherNamesByTool.get(tool)
  if (names === undefined) {
    names = ruleNamesOf(tool).filter((name) => name !== tool.name)
    otherNamesByTool.set(tool, names)
  }
  return names
}
