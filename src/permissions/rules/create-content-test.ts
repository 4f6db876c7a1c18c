import type { ToolPermissionContext } from '../../contract/permission/context.js'
import type { Tool } from '../../contract/tool/tool.js'
import { type CallFacts, type FactSources, gatherFacts } from '../facts/call-facts.js'
import type { Place } from '../paths/place.js'
import { pathMayMatch } from './match-path.js'
import { parsePathPattern } from './path-pattern.js'

/** Whether a call may touch what the content of a rule covers. Rejects if that is unknown. */
export type ContentTest = (content: string) => Promise<boolean>

/**
 * Creates a test that compares the content of a rule with the paths of a call like a deny rule: by every spelling, with
 * links followed, and with yes as the answer in doubt. The facts about the call are gathered once.
 */
export function createContentTest(
  call: { readonly tool: Tool; readonly input: unknown; readonly place: Place },
  context: ToolPermissionContext,
  { paths, shell }: FactSources,
): ContentTest {
  let gathered: Promise<CallFacts> | undefined
  return async (content) => {
    gathered ??= Promise.resolve(gatherFacts(call, context, { paths, shell }))
    return contentMayMatch(content, await gathered)
  }
}

async function contentMayMatch(content: string, call: CallFacts): Promise<boolean> {
  const touched = [...call.reads, ...call.writes]
  const isUnjudged = call.problem !== undefined || call.refusal !== undefined
  if (isUnjudged || call.isExternal || call.isOpenEnded || touched.length === 0)
    throw new Error(`${call.tool.name} does not state everything that the call touches.`)
  const parsed = parsePathPattern(content)
  if ('problem' in parsed) throw new Error(parsed.problem)
  const answers = await Promise.all(touched.map((path) => pathMayMatch(parsed.pattern, path, call)))
  return answers.some((answer) => answer !== 'no')
}
