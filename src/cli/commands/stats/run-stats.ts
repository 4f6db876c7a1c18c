import { SessionData } from '../../../inspector/data/session-data.js'
import { computeTotals, type SessionTotals, type UsageTotals } from '../../../inspector/data/totals.js'
import { continueLatest } from '../../../session/transcript/read/list-sessions.js'
import { findProjectRoot } from '../../../settings/files/find-project-root.js'
import { toPrintable } from '../../../shared/printable.js'
import type { CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { padText } from '../../io/terminal-text.js'
import { parseOptions } from '../../options/parse-options.js'
import { findNamedSession } from '../inspect/find-named-session.js'

/** Prints the figures of a session: calls, waits, tokens and cost. */
export async function runStats(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, { json: { type: 'boolean', default: false } })
  const [name, ...others] = positionals
  if (others.length > 0) throw new UsageError('expected at most one session: haft stats [SESSION].')
  const host = await io.host()
  const projectRoot = await findProjectRoot({ cwd: host.cwd, home: host.homeDir })
  const session = name ?? (await continueLatest(io.homeDir, projectRoot))?.id
  if (session === undefined) throw new UsageError('no session in this folder. Start one with haft -p "…".')
  const data = new SessionData(findNamedSession(session, { home: io.homeDir, projectRoot }))
  await data.refresh()
  const totals = computeTotals(data.rows)
  const { id, title, agents, requests, rewrites } = data.rows
  const changedPrefixes = requests.filter(({ change }) => change !== undefined).length
  const facts = { session: id, title, agentCount: agents.length, rewrites: rewrites.length, changedPrefixes }
  await host.write(values.json ? `${JSON.stringify({ ...facts, ...totals }, null, 2)}\n` : formatTotals(facts, totals))
  return EXIT.done
}

interface SessionFacts {
  readonly session: string
  readonly title: string | undefined
  readonly rewrites: number
  readonly changedPrefixes: number
}

function formatTotals({ session, title = '', rewrites, changedPrefixes }: SessionFacts, totals: SessionTotals): string {
  const { calls, failedCalls, durationMs, total, tools, models, agents, decisions } = totals
  const lines = [
    `${session}  ${toPrintable(title)}`,
    `${calls} calls, ${failedCalls} failed, in ${formatSeconds(durationMs)}`,
    formatUsage(total),
    `cache prefix changed ${changedPrefixes} times; conversation rewritten ${rewrites} times`,
    '',
    ...formatTable(
      ['tool', 'calls', 'failed', 'waited', 'asked', 'ran', 'input tokens', 'cost'],
      tools.map((tool) => [
        toPrintable(tool.tool),
        String(tool.calls),
        String(tool.failed),
        formatSeconds(tool.waitedMs),
        formatSeconds(tool.askedMs),
        formatSeconds(tool.ranMs),
        String(tool.inputTokens),
        formatCost(tool.inputCostUsd),
      ]),
    ),
    '',
    ...[...models, ...agents].map((usage) => `${toPrintable(usage.name)}: ${formatUsage(usage)}`),
    ...(Object.keys(decisions).length === 0 ? [] : ['']),
    ...Object.entries(decisions).map(([decision, count]) => `${decision}: ${count}`),
  ]
  return `${lines.join('\n')}\n`
}

function formatUsage({ requests, usage, costUsd, isCostPartial }: UsageTotals): string {
  const { input, output, cacheRead, cacheWrite } = usage
  const tokens = `${input + cacheRead + cacheWrite} tokens in (${cacheRead} from the cache), ${output} out`
  const cost =
    isCostPartial && costUsd === 0 ? 'cost unknown' : `${isCostPartial ? 'at least ' : ''}${formatCost(costUsd)}`
  return `${requests} requests, ${tokens}, ${cost}`
}

function formatTable(heads: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const allRows = [heads, ...rows]
  const widths = heads.map((_, column) => Math.max(...allRows.map((row) => row[column]?.length ?? 0)))
  return allRows.map((row) => {
    return row
      .map((cell, column) => padText(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  })
}

function formatSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

function formatCost(usd: number): string {
  return `$${usd.toFixed(4)}`
}
