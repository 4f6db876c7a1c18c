/** The kind of agent that works where none is named. */
export const DEFAULT_AGENT_KIND = 'general-purpose'

/** Kinds that change nothing, whoever defines them: they are held to it, so that several can run side by side. */
const READING_AGENT_KINDS: readonly string[] = ['Explore', 'Plan']

/** Letter case does not count, in calls and in rules alike: a rule must not be passed by another spelling. */
export function isSameAgentKind(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase()
}

export function isReadingAgentKind(name: string): boolean {
  return READING_AGENT_KINDS.some((kind) => isSameAgentKind(kind, name))
}

export function findAgentKind<Kind extends { readonly name: string }>(
  kinds: readonly Kind[],
  name: string,
): Kind | undefined {
  return kinds.find((kind) => kind.name === name) ?? kinds.find((kind) => isSameAgentKind(kind.name, name))
}
