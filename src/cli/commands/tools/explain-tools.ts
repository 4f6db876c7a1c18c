import {
  DEFAULT_TOOL_SEARCH_MODE,
  type Environment,
  parseToolSearchMode,
  type ToolSearchMode,
} from '../../../contract/flags.js'
import { decideLoading, isDeferredTool, type LoadingCause } from '../../../contract/tool/deferred-tools.js'
import type { Tools } from '../../../contract/tool/tool.js'
import { chooseCarrier } from '../../../tool-search/request/choose-carrier.js'
import {
  DEFAULT_CONTEXT_WINDOW,
  type DeferralDecision,
  decideDeferral,
  expectDeferral,
} from '../../../tool-search/request/decide-deferral.js'
import { estimateDefinitionTokens } from '../../../tool-search/request/estimate-tokens.js'
import type { ListedTool } from './current-pool.js'
import { toToolRow } from './tool-table.js'

interface ExplainOptions {
  readonly pool: readonly ListedTool[]
  readonly servedTools: Tools
  readonly environment: Environment
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly json: boolean
}

/** Explains for each tool whether it is deferred, and whether deferral is active. */
export async function explainTools(
  tools: readonly ListedTool[],
  { pool, servedTools, environment, variables, json }: ExplainOptions,
): Promise<string> {
  if (json) {
    const rows = tools.map((tool) => ({ ...toToolRow(tool), why: describeLoading(tool) }))
    return `${JSON.stringify(rows, null, 2)}\n`
  }
  const width = Math.max(0, ...tools.map(({ name }) => name.length))
  const lines = tools.map((tool) => `${tool.name.padEnd(width)}  ${describeLoading(tool)}`)
  const mode = parseToolSearchMode(variables.HAFT_TOOL_SEARCH ?? '') ?? DEFAULT_TOOL_SEARCH_MODE
  const { reason } = await decideForDefaultWindow(mode, pool, servedTools)
  const { carrier, reason: carrierReason } = chooseCarrier({
    areBetasDisabled: environment.HAFT_DISABLE_EXPERIMENTAL_BETAS,
  })
  return `${[...lines, '', `Mode ${formatMode(mode)}: ${reason}`, `Carrier ${carrier}: ${carrierReason}`].join('\n')}\n`
}

const CAUSE_TEXTS: Readonly<Record<LoadingCause, string>> = {
  'always-load': 'the tool sets alwaysLoad',
  'server-tool': 'it is a tool of an MCP server',
  'finds-tools': 'it searches for the other tools',
  fork: 'a forked agent has the same tools as its parent',
  channel: 'it communicates with the user',
  'should-defer': 'the tool sets shouldDefer',
  default: 'this is the default',
}

function describeLoading(tool: ListedTool): string {
  const { isDeferred, cause } = decideLoading(tool)
  return `${isDeferred ? 'deferred' : 'always loaded'}: ${CAUSE_TEXTS[cause]}`
}

/** Returns the deferral decision for a model with the default context window. */
async function decideForDefaultWindow(
  mode: ToolSearchMode,
  pool: readonly ListedTool[],
  servedTools: Tools,
): Promise<DeferralDecision> {
  const facts = { mode, canSearch: pool.some(({ findsTools }) => findsTools === true) }
  const expectedDecision = expectDeferral(facts)
  if (!expectedDecision.defers || mode.type !== 'tst-auto') return expectedDecision
  return decideDeferral(facts, {
    deferredTokens: await countDeferredTokens(pool, servedTools),
    contextWindow: DEFAULT_CONTEXT_WINDOW,
  })
}

async function countDeferredTokens(pool: readonly ListedTool[], servedTools: Tools): Promise<number> {
  const names = new Set(pool.filter((tool) => isDeferredTool(tool)).map(({ name }) => name))
  const [{ describeTools }, { builtInTools }] = await Promise.all([
    import('./describe-tools.js'),
    import('../../../tools/index.js'),
  ])
  const { definitions } = await describeTools([...builtInTools, ...servedTools].filter(({ name }) => names.has(name)))
  return definitions.reduce((sum, definition) => sum + estimateDefinitionTokens(definition), 0)
}

function formatMode(mode: ToolSearchMode): string {
  return mode.type === 'tst-auto' ? `${mode.type} (${mode.percent}%)` : mode.type
}
