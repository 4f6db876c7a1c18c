import type { Message } from '../contract/messages.js'
import { discoveredTools, extractDiscoveredToolNames } from '../contract/tool/deferred-tools.js'

/**
 * The messages that go on from others, with what those discovered: a compacted conversation, or the first messages of a
 * sub-agent. What they know already is not told twice.
 */
export function keepDiscoveredTools(before: readonly Message[], after: readonly Message[]): readonly Message[] {
  const known = new Set(extractDiscoveredToolNames(after))
  const lost = extractDiscoveredToolNames(before).filter((name) => !known.has(name))
  return lost.length === 0 ? after : [discoveredTools(lost), ...after]
}
