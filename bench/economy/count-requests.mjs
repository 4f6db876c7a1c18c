import { estimateDefinitionTokens, estimateTokens } from 'haft/tool-search'

/**
 * What the requests of a session cost. `parts` counts each part every time it is sent; `cached` is what a provider that caches
 * prefixes has already seen.
 * @typedef {{ requests: number, first: number, total: number, cached: number, largest: number, parts: Record<string, number> }} Count
 * @typedef {{ part: string, text: string, tokens: number }} Segment
 */

/** @param {readonly any[]} requests @returns {Count} */
export function countRequests(requests) {
  /** @type {Map<string, readonly Segment[]>} */
  const earlier = new Map()
  /** @type {Record<string, number>} */
  const parts = {}
  const count = { requests: requests.length, first: 0, total: 0, cached: 0, largest: 0 }
  for (const [index, request] of requests.entries()) {
    const segments = segmentsOf(request)
    const before = earlier.get(String(request.conversationId)) ?? []
    earlier.set(String(request.conversationId), segments)
    let isCached = true
    let size = 0
    for (const [position, { part, text, tokens }] of segments.entries()) {
      isCached &&= before[position]?.text === text
      if (isCached) count.cached += tokens
      size += tokens
      parts[part] = (parts[part] ?? 0) + tokens
    }
    if (index === 0) count.first = size
    count.total += size
    count.largest = Math.max(count.largest, size)
  }
  return { ...count, parts: Object.fromEntries(Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1))) }
}

/** Returns the parts of a request in the order in which providers cache them. @param {any} request @returns {Segment[]} */
export function segmentsOf({ tools, system, messages }) {
  const definitions = new Map(tools.map((/** @type {any} */ tool) => [tool.name, tool]))
  const names = new Map()
  return [
    ...tools
      .filter((/** @type {any} */ tool) => tool.defer_loading !== true)
      .map((/** @type {any} */ tool) => ({
        ...segment('tools', JSON.stringify(tool)),
        tokens: estimateDefinitionTokens(tool),
      })),
    ...system.map((/** @type {string} */ text) => segment('system', text)),
    ...messages.flatMap((/** @type {any} */ message, /** @type {number} */ index) =>
      segmentsOfMessage(message, index === 0, { definitions, names }),
    ),
  ]
}

/** @param {any} message @param {boolean} isFirst @param {{ definitions: Map<string, any>, names: Map<string, string> }} known */
function segmentsOfMessage({ type, content }, isFirst, { definitions, names }) {
  if (typeof content === 'string') return [segment(type === 'user' ? 'prompt' : 'answers', content)]
  return content.flatMap((/** @type {any} */ block, /** @type {number} */ index) => {
    if (block.type === 'tool_use') {
      names.set(block.id, block.name)
      return [segment('calls', JSON.stringify([block.name, block.input]))]
    }
    if (block.type === 'tool_result') {
      const part = `result ${names.get(block.tool_use_id)}`
      if (typeof block.content === 'string') return [segment(part, block.content)]
      return block.content.map((/** @type {any} */ each) => {
        if (each.type !== 'tool_reference') return segment(part, each.text ?? '')
        return segment('tools', JSON.stringify(definitions.get(each.tool_name) ?? each))
      })
    }
    if (type === 'assistant') return [segment('answers', block.text ?? block.thinking ?? '')]
    return [segment(isFirst && index === 0 ? 'prompt' : 'announcements', block.text ?? '')]
  })
}

/** @param {string} part @param {string} text */
function segment(part, text) {
  return { part, text, tokens: estimateTokens(text) }
}
