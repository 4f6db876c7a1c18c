import type { Environment } from '../../../contract/flags.js'
import { isDeferredTool, loadingOf } from '../../../contract/is-deferred-tool.js'
import type { Tools } from '../../../contract/tool.js'
import {
  DEFAULT_TOOL_SEARCH_MODE,
  parseToolSearchMode,
  type ToolSearchMode,
} from '../../../contract/tool-search-mode.js'
import { chooseCarrier } from '../../../tool-search/choose-carrier.js'
import {
  type DeferralDecision,
  decideDeferral,
  expectDeferral,
  USUAL_CONTEXT_WINDOW,
} from '../../../tool-search/decide-deferral.js'
import { definitionTokens } from '../../../tool-search/estimate-tokens.js'
import type { ListedTool } from './listed-tools.js'
import { toolRow } from './tool-row.js'

interface Explained {
  readonly pool: readonly ListedTool[]
  readonly environment: Environment
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly json: boolean
}

/** Why each tool is deferred or not, and whether deferring happens at all. */
export async function explainTools(
  tools: readonly ListedTool[],
  { pool, environment, variables, json }: Explained,
): Promise<string> {
  if (json) {
    const rows = tools.map((tool) => ({ ...toolRow(tool), why: loadingOf(tool).why }))
    return `${JSON.stringify(rows, null, 2)}\n`
  }
  const width = Math.max(0, ...tools.map(({ name }) => name.length))
  const lines = tools.map((tool) => `${tool.name.padEnd(width)}  ${loadingOf(tool).why}`)
  const mode = parseToolSearchMode(variables.HAFT_TOOL_SEARCH ?? '') ?? DEFAULT_TOOL_SEARCH_MODE
  const { reason } = await decide(mode, pool)
  const { carrier, reason: why } = chooseCarrier({ betasDisabled: environment.HAFT_DISABLE_EXPERIMENTAL_BETAS })
  return `${[...lines, '', `Mode ${modeWord(mode)}: ${reason}`, `Carrier ${carrier}: ${why}`].join('\n')}\n`
}

/** As a request to a model with the usual window would decide it. */
async function decide(mode: ToolSearchMode, pool: readonly ListedTool[]): Promise<DeferralDecision> {
  const facts = { mode, canSearch: pool.some(({ name }) => name === 'ToolSearch') }
  const expected = expectDeferral(facts)
  if (!expected.defers || mode.type !== 'tst-auto') return expected
  return decideDeferral(facts, { deferredTokens: await tokensOf(pool), contextWindow: USUAL_CONTEXT_WINDOW })
}

async function tokensOf(pool: readonly ListedTool[]): Promise<number> {
  const names = new Set(pool.filter((tool) => isDeferredTool(tool)).map(({ name }) => name))
  const { describeBuiltIns } = await import('./describe-built-ins.js')
  const { definitions } = await describeBuiltIns((tools: Tools) => tools.filter(({ name }) => names.has(name)))
  return definitions.reduce((sum, definition) => sum + definitionTokens(definition), 0)
}

function modeWord(mode: ToolSearchMode): string {
  return mode.type === 'tst-auto' ? `${mode.type} (${mode.percent}%)` : mode.type
}
