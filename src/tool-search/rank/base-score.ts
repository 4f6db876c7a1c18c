import type { RankedTool, SearchableTool } from './searchable-tool.js'

const EXACT_PART_SCORES = { mcp: 12, other: 10 }
const CONTAINING_PART_SCORES = { mcp: 6, other: 5 }
const HINT_SCORE = 4
const DESCRIPTION_SCORE = 2

/** Computes the specification's base score, the baseline that the shipped ranker is measured against. */
export function computeBaseScore(tool: SearchableTool, query: string): number {
  const kind = tool.isMcp === true ? 'mcp' : 'other'
  const parts = splitName(tool.name)
  const hint = tool.searchHint?.toLowerCase() ?? ''
  const description = tool.description.toLowerCase()
  let score = 0
  for (const word of new Set(query.toLowerCase().split(/\s+/).filter(Boolean))) {
    if (parts.includes(word)) score += EXACT_PART_SCORES[kind]
    else if (parts.some((part) => part.includes(word))) score += CONTAINING_PART_SCORES[kind]
    if (hint.includes(word)) score += HINT_SCORE
    if (description.includes(word)) score += DESCRIPTION_SCORE
  }
  return score
}

/** Returns the best tools first; equal scores keep the order of the tools. */
export function rankByBaseScore(tools: readonly SearchableTool[], query: string, maxResults: number): RankedTool[] {
  return tools
    .map((tool) => ({ key: tool.key, score: computeBaseScore(tool, query) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxResults)
}

/** Splits a name into words: `mcp__slack__sendMessage` is `mcp`, `slack`, `send`, `message`. */
function splitName(name: string): string[] {
  return name
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[_\s-]+/)
    .filter(Boolean)
}
