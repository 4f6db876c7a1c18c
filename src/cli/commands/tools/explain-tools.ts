import {
  DEFAULT_TOOL_SEARCH_MODE,
  type Environment,
  parseToolSearchMode,
  type ToolSearchMode,
} from '../../../contract/flags.js'
import { isDeferredTool, type LoadingCause, loadingOf } from '../../../contract/tool/deferred-tools.js'
import type { Tools } from '../../../contract/tool/tool.js'
import { chooseCarrier } from '../../../tool-search/request/choose-carrier.js'
import {
  DEFAULT_CONTEXT_WINDOW,
  type DeferralDecision,
  decideDeferral,
  expectDeferral,
} from '../../../tool-search/request/decide-deferral.js'
import { definitionTokens } from '../../../tool-search/request/estimate-tokens.js'
import type { ListedTool } from './current-pool.js'
import { toolRow } from './tool-table.js'

interface Explained {
  readonly pool: readonly ListedTool[]
  readonly served: Tools
  readonly environment: Environment
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly json: boolean
}

/** Why each tool is deferred or not, and whether deferring happens at all. */
export async function explainTools(
  tools: readonly ListedTool[],
  { pool, served, environment, variables, json }: Explained,
): Promise<string> {
  if (json) {
    const rows = tools.map((tool) => ({ ...toolRow(tool), why: whyOf(tool) }))
    return `${JSON.stringify(rows, null, 2)}\n`
  }
  const width = Math.max(0, ...tools.map(({ name }) => name.length))
  const lines = tools.map((tool) => `${tool.name.padEnd(width)}  ${whyOf(tool)}`)
  const mode = parseToolSearchMode(variables.HAFT_TOOL_SEARCH ?? '') ?? DEFAULT_TOOL_SEARCH_MODE
  const { reason } = await decide(mode, pool, served)
  const { carrier, reason: why } = chooseCarrier({ betasDisabled: environment.HAFT_DISABLE_EXPERIMENTAL_BETAS })
  return `${[...lines, '', `Mode ${modeWord(mode)}: ${reason}`, `Carrier ${carrier}: ${why}`].join('\n')}\n`
}

const CAUSES: Readonly<Record<LoadingCause, string>> = {
  'always-load': 'it asks for that itself',
  'server-tool': 'tools of servers are',
  'finds-tools': 'it finds the others',
  fork: 'sub-agents begin as their parent does',
  channel: 'it belongs to the channel to the user',
  'should-defer': 'it asks for that itself',
  default: 'nothing asks for another',
}

function whyOf(tool: ListedTool): string {
  const { isDeferred, cause } = loadingOf(tool)
  return `${isDeferred ? 'deferred' : 'always loaded'}: ${CAUSES[cause]}`
}

/** As a request to a model with the usual window would decide it. */
async function decide(mode: ToolSearchMode, pool: readonly ListedTool[], served: Tools): Promise<DeferralDecision> {
  const facts = { mode, canSearch: pool.some(({ findsTools }) => findsTools === true) }
  const expected = expectDeferral(facts)
  if (!expected.defers || mode.type !== 'tst-auto') return expected
  return decideDeferral(facts, { deferredTokens: await tokensOf(pool, served), contextWindow: DEFAULT_CONTEXT_WINDOW })
}

async function tokensOf(pool: readonly ListedTool[], served: Tools): Promise<number> {
  const names = new Set(pool.filter((tool) => isDeferredTool(tool)).map(({ name }) => name))
  const [{ describeTools }, { builtInTools }] = await Promise.all([
    import('./describe-tools.js'),
    import('../../../tools/index.js'),
  ])
  const { definitions } = await describeTools([...builtInTools, ...served].filter(({ name }) => names.has(name)))
  return definitions.reduce((sum, definition) => sum + definitionTokens(definition), 0)
}

function modeWord(mode: ToolSearchMode): string {
  return mode.type === 'tst-auto' ? `${mode.type} (${mode.percent}%)` : mode.type
}
