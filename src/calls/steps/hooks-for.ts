import { ruleNamesOf } from '../../contract/tool/rule-names.js'
import type { Tool } from '../../contract/tool/tool.js'
import type { HookRunner, HookRunOptions } from '../../hooks/create-hook-runner.js'
import { createRuleTester } from '../../hooks/create-rule-tester.js'
import type { HookEvent } from '../../hooks/hook-events.js'
import { type ContentTest, createContentTest } from '../../permissions/rules/create-content-test.js'
import type { CallScope } from '../call-scope.js'
import type { Input } from '../call-states.js'

/** The runner, if it has hooks for this event of the call's tool. */
export function hooksFor(event: HookEvent, { host, tool }: CallScope): HookRunner | undefined {
  if (host.hooks === undefined) return undefined
  return host.hooks.hasHooks(event, tool.name, ...namesOf(tool)) ? host.hooks : undefined
}

/** What every hook run of a call is given beside its fields. */
export function hookOptions(scope: CallScope, observed: Input): HookRunOptions {
  const { tool, control, context } = scope
  const matchesRule = createRuleTester(tool, observed, contentTest(scope, observed))
  const options = { names: namesOf(tool), matchesRule }
  // Of a cancelled call hooks are still told, and have as long as the call itself has to end.
  if (control.reason !== undefined) return { ...options, signal: AbortSignal.timeout(control.graceMs) }
  // A tool may use its own signal up; that must not keep its hooks from running.
  return context.signal.aborted ? options : { ...options, signal: context.signal }
}

function contentTest({ tool, host, around }: CallScope, input: Input): ContentTest {
  const place = { ...host.place, cwd: around.cwd }
  return createContentTest({ tool, input, place }, host.permissions(), host.decisionPorts)
}

const names = new WeakMap<Tool, readonly string[]>()

/** The further names by which a matcher may mean a tool: old names, and those of its server. */
function namesOf(tool: Tool): readonly string[] {
  let known = names.get(tool)
  if (known === undefined) {
    known = ruleNamesOf(tool).filter((name) => name !== tool.name)
    names.set(tool, known)
  }
  return known
}
