import type { ToolPermissionContext } from '../../contract/permission/context.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { type CallFacts, type FactSources, gatherFacts, type JudgedCall } from '../facts/call-facts.js'
import { compileRules, restrictsReading } from './compile-rules.js'
import { matchJudgedPath } from './match-path.js'
import { parsePathPattern } from './path-pattern.js'

/** Whether a call may use a resource that the content of a rule covers. The promise rejects if that is unknown. */
export type ContentTest = (content: string) => Promise<boolean>

/**
 * Creates a test that compares the content of a rule with the paths of a call as a deny rule would: with every spelling, with
 * links followed, and with unclear cases counted as a match. The facts about the call are gathered once, when a rule first
 * needs them.
 */
export function createContentTest(
  findCall: () => MaybePromise<JudgedCall>,
  context: ToolPermissionContext,
  { paths, canConfine }: FactSources,
): ContentTest {
  const rules = { context, restrictsReading: restrictsReading(compileRules(context)) }
  let facts: Promise<CallFacts> | undefined
  return async (content) => {
    facts ??= Promise.resolve(findCall()).then((call) => gatherFacts(call, rules, { paths, canConfine }))
    return contentMayMatch(content, await facts)
  }
}

async function contentMayMatch(content: string, call: CallFacts): Promise<boolean> {
  const touchedPaths = [...call.reads, ...call.writes]
  const isUnjudged = call.problem !== undefined || call.refusal !== undefined
  if (isUnjudged || call.isExternal || call.isOpenEnded || touchedPaths.length === 0)
    throw new Error(`${call.tool.name} does not state everything that the call uses.`)
  const parsedPattern = parsePathPattern(content)
  if ('problem' in parsedPattern) throw new Error(parsedPattern.problem)
  const answers = await Promise.all(touchedPaths.map((path) => matchJudgedPath(parsedPattern.pattern, path, call)))
  return answers.some((answer) => answer !== 'no')
}
