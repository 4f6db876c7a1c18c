import type { CallFacts } from './call-facts.js'

/** Tests the content of a rule against the call. Returns undefined if the tool's matcher failed. */
export type CallMatcher = (content: string) => boolean | undefined

const matchers = new WeakMap<CallFacts, Promise<CallMatcher | undefined>>()
const NO_MATCHER: Promise<undefined> = Promise.resolve(undefined)

/** Returns the tool's matcher for this call, which is prepared once; undefined if the tool has none. */
export function matcherOf(call: CallFacts): Promise<CallMatcher | undefined> {
  // Most tools have no matcher, so no cache entry is created for their calls.
  if (call.tool.preparePermissionMatcher === undefined) return NO_MATCHER
  let matcher = matchers.get(call)
  if (matcher === undefined) {
    matcher = prepareMatcher(call)
    matchers.set(call, matcher)
  }
  return matcher
}

async function prepareMatcher({ tool, input, command }: CallFacts): Promise<CallMatcher | undefined> {
  if (tool.preparePermissionMatcher === undefined) return undefined
  try {
    const matches = await tool.preparePermissionMatcher(input, command?.analysis)
    return (content) => runMatcher(matches, content)
  } catch {
    return () => undefined
  }
}

function runMatcher(matches: (content: string) => boolean, content: string): boolean | undefined {
  try {
    const answer: unknown = matches(content)
    return typeof answer === 'boolean' ? answer : undefined
  } catch {
    return undefined
  }
}
