export { computeBaseScore, rankByBaseScore } from './base-score.js'
export type { RankedTool, SearchableTool } from './searchable-tool.js'
export { createToolIndex, type ToolIndex } from './tool-index.js'
export { loadLexicon } from './words/load-lexicon.js'
