import type { RequestRow, SessionRows } from '../src/inspector/data/rows.js'
import { costOfRequest, countInputTokens, divideTokens } from '../src/inspector/data/totals.js'
import { formatCost, formatCount } from './format.js'

const GROUP_CLASSES: Readonly<Record<string, string>> = {
  system: 'part-system',
  'built-in tools': 'part-tools',
  'MCP tools': 'part-mcp',
  'deferred tools': 'part-tools',
  instructions: 'part-instructions',
  skills: 'part-instructions',
  prompts: 'part-prompts',
  answers: 'part-answers',
  reasoning: 'part-answers',
  calls: 'part-calls',
  results: 'part-results',
}

/** Returns the class with the colour of a group of parts. */
export function groupClass(group: string): string {
  return GROUP_CLASSES[group] ?? 'part-other'
}

export interface GrowthChartProps {
  readonly rows: SessionRows
  readonly positions: readonly number[]
  readonly chosen: number | undefined
  readonly onChoose: (position: number) => void
}

const MAX_BARS = 400

/** Draws a bar for each request, by part. Of a long session, the last requests are shown. */
export function GrowthChart({ rows, positions, chosen, onChoose }: GrowthChartProps) {
  const shown = positions.slice(-MAX_BARS)
  const requests = shown.flatMap((position) => {
    const request = rows.requests[position]
    return request === undefined ? [] : [{ position, request, ...countInputTokens(request) }]
  })
  const most = Math.max(1, ...requests.map(({ tokens }) => tokens))
  return (
    <ol class="growth" aria-label="Requests by size">
      {requests.map(({ position, request, tokens }, index) => {
        const number = positions.length - shown.length + index + 1
        const changed = request.change === undefined ? '' : `, cache prefix changed: ${request.change}`
        const label = `Request ${number}: ${formatCount(tokens)} tokens, ${formatCost(costOfRequest(request))}${changed}`
        return (
          <li key={position}>
            <button
              type="button"
              class={request.change === undefined ? '' : 'changed'}
              aria-label={label}
              aria-pressed={position === chosen}
              title={label}
              onClick={() => onChoose(position)}
            >
              <span class="stack" style={{ height: `${(100 * tokens) / most}%` }}>
                {sumByClass(request).map(([name, partTokens]) => (
                  <span key={name} class={name} style={{ flexGrow: partTokens }} />
                ))}
              </span>
            </button>
          </li>
        )
      })}
    </ol>
  )
}

function sumByClass(request: RequestRow): readonly (readonly [name: string, tokens: number])[] {
  const sums = new Map<string, number>()
  for (const { group, tokens } of divideTokens(request)) {
    const name = groupClass(group)
    sums.set(name, (sums.get(name) ?? 0) + tokens)
  }
  return [...sums]
}
