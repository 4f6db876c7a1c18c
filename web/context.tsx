import { useEffect, useMemo, useState } from 'preact/hooks'
import type { RequestDetail } from '../src/inspector/data/request-details.js'
import type { RequestRow, SessionRows } from '../src/inspector/data/rows.js'
import {
  computeTotals,
  costOfChange,
  costOfRequest,
  countInputTokens,
  divideTokens,
  type UsageTotals,
} from '../src/inspector/data/totals.js'
import type { PoolTool } from '../src/inspector/workbench.js'
import { exportedSession, getJson, readRequest } from './api.js'
import { formatBytes, formatCost, formatCount, formatTime } from './format.js'
import { GrowthChart, groupClass } from './growth-chart.js'
import { Code } from './view.js'

export interface ContextProps {
  readonly session: string
  readonly rows: SessionRows
  readonly version: number
}

/** Shows what each request contained and cost. */
export function Context({ session, rows, version }: ContextProps) {
  const [agent, setAgent] = useState(0)
  const positions = useMemo(() => {
    return [...rows.requests.keys()].filter((position) => rows.requests[position]?.agent === agent)
  }, [rows, version, agent])
  const [chosen, setChosen] = useState<number | undefined>(undefined)
  const position = chosen !== undefined && positions.includes(chosen) ? chosen : positions.at(-1)
  const request = position === undefined ? undefined : rows.requests[position]
  if (rows.requests.length === 0)
    return <p>This session has no recorded requests. Sessions of older versions recorded only their messages.</p>
  return (
    <div class="page">
      <label>
        Agent{' '}
        <select value={agent} onChange={(event) => setAgent(Number(event.currentTarget.value))}>
          {rows.agents.map(({ id }, index) => (
            <option key={id} value={index}>
              {id}
            </option>
          ))}
        </select>
      </label>
      <section aria-label="Growth of the context">
        <h2>Requests</h2>
        <GrowthChart rows={rows} positions={positions} chosen={position} onChoose={setChosen} />
        <Rewrites rows={rows} agent={agent} />
      </section>
      {request !== undefined && position !== undefined && (
        <RequestPanel key={position} {...{ session, position, request }} number={positions.indexOf(position) + 1} />
      )}
      <Costs rows={rows} version={version} />
    </div>
  )
}

function Rewrites({ rows, agent }: { readonly rows: SessionRows; readonly agent: number }) {
  const rewrites = rows.rewrites.filter((rewrite) => rewrite.agent === agent)
  if (rewrites.length === 0) return <p class="muted">Nothing was cleared or compacted.</p>
  return (
    <ul>
      {rewrites.map(({ at, cause, messagesBefore, messagesAfter }) => (
        <li key={at}>
          {formatTime(at)}: {cause}, {messagesBefore} → {messagesAfter} messages
        </li>
      ))}
    </ul>
  )
}

interface RequestPanelProps {
  readonly session: string
  readonly position: number
  readonly request: RequestRow
  readonly number: number
}

function RequestPanel({ session, position, request, number }: RequestPanelProps) {
  const [detail, setDetail] = useState<RequestDetail | undefined>(undefined)
  useEffect(() => void readRequest(session, position).then(setDetail, () => undefined), [session, position])
  const { tokens, isCounted } = countInputTokens(request)
  const groups = sumGroups(request)
  const { usage } = request
  return (
    <section aria-label={`Request ${number}`}>
      <h2>
        Request {number}: {formatCount(tokens)} tokens {isCounted ? '' : '(estimated) '}· {formatBytes(request.bytes)}
      </h2>
      <p class="muted">
        {request.model} · {formatTime(request.at)} · {((100 * tokens) / request.window).toFixed(1)}% of the window ·
        cost {formatCost(costOfRequest(request))}
        {usage !== undefined &&
          ` · ${formatCount(usage.cacheRead)} tokens from the cache, ${formatCount(usage.output)} out`}
      </p>
      <Prefix request={request} detail={detail} />
      <table>
        <caption class="hidden">Parts of the request</caption>
        <thead>
          <tr>
            <th scope="col">part</th>
            <th scope="col">tokens</th>
            <th scope="col">bytes</th>
            <th scope="col">
              <span class="hidden">share</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ group, tokens: partTokens, bytes }) => (
            <tr key={group}>
              <th scope="row">
                <span class={`swatch ${groupClass(group)}`} aria-hidden="true" /> {group}
              </th>
              <td class="figure">{formatCount(partTokens)}</td>
              <td class="figure">{formatCount(bytes)}</td>
              <td class="bar-cell">
                <div class={`bar ${groupClass(group)}`} style={{ width: `${(100 * bytes) / request.bytes}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">sum</th>
            <td class="figure" id="sum-tokens">
              {formatCount(groups.reduce((sum, group) => sum + group.tokens, 0))}
            </td>
            <td class="figure" id="sum-bytes">
              {formatCount(groups.reduce((sum, group) => sum + group.bytes, 0))}
            </td>
            <td />
          </tr>
        </tfoot>
      </table>
      <Deferred request={request} />
      {detail !== undefined && <Parts detail={detail} />}
    </section>
  )
}

function sumGroups(request: RequestRow): readonly { group: string; tokens: number; bytes: number }[] {
  const sums = new Map<string, { group: string; tokens: number; bytes: number }>()
  for (const { group, tokens, bytes } of divideTokens(request)) {
    const sum = sums.get(group) ?? { group, tokens: 0, bytes: 0 }
    sums.set(group, { group, tokens: sum.tokens + tokens, bytes: sum.bytes + bytes })
  }
  return [...sums.values()]
}

function Prefix({ request, detail }: { readonly request: RequestRow; readonly detail: RequestDetail | undefined }) {
  const { change, keptBytes, previousBytes } = request
  if (previousBytes === undefined) return <p>The first request: nothing was cached before.</p>
  if (change === undefined)
    return (
      <p class="success">Starts like the previous request: its first {formatCount(keptBytes)} bytes are the same.</p>
    )
  const { tokens, costUsd } = costOfChange(request)
  const changes = detail?.changes ?? []
  return (
    <div class="warning">
      <p>
        The cache prefix ends at byte{' '}
        {formatCount(keptBytes + (changes.find(({ firstByte }) => firstByte)?.firstByte ?? 0))}: {change} changed. About{' '}
        {formatCount(tokens)} tokens were sent again, which cost {formatCost(costUsd)} more.
      </p>
      <ul>
        {changes.slice(0, 20).map(({ group, detail: name, kind, firstByte }, index) => (
          <li key={index}>
            {group} {name}: {kind}
            {firstByte !== undefined && `, from its byte ${formatCount(firstByte)}`}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Shows what deferring tools saves: their definitions are not part of the request. */
function Deferred({ request }: { readonly request: RequestRow }) {
  const [pool, setPool] = useState<readonly PoolTool[]>([])
  useEffect(() => {
    if (exportedSession === undefined) getJson<readonly PoolTool[]>('/api/pool').then(setPool, () => undefined)
  }, [])
  const sent = new Set(request.parts.filter(({ group }) => group.endsWith('tools')).map(({ detail }) => detail))
  const deferred = pool.filter(({ definition, isDeferred }) => isDeferred && !sent.has(definition.name))
  if (deferred.length === 0 && request.deferredTools === 0) return null
  const bytes = deferred.reduce((sum, tool) => sum + tool.bytes, 0)
  return (
    <p>
      Deferred tools: {deferred.length + request.deferredTools}. Leaving out the definitions of {deferred.length} tools
      of this folder saves {formatBytes(bytes)}, about {formatCount(bytes / 3.3)} tokens, in each request.
    </p>
  )
}

const MAX_LISTED_PARTS = 500

function Parts({ detail }: { readonly detail: RequestDetail }) {
  const { row, parts, texts } = detail
  const tokens = divideTokens(row, parts)
  return (
    <details>
      <summary>All {parts.length} parts, in the order in which they are sent</summary>
      <ol class="parts">
        {parts.slice(-MAX_LISTED_PARTS).map(({ group, detail: name, bytes, hash }, index) => {
          const text = hash === undefined ? undefined : texts[hash]
          const size = `${formatCount(tokens[index + Math.max(0, parts.length - MAX_LISTED_PARTS)]?.tokens ?? 0)} tokens, ${formatBytes(bytes)}`
          return (
            <li key={index}>
              {text === undefined ? (
                `${group} ${name}: ${size}`
              ) : (
                <details>
                  <summary>{`${group} ${name}: ${size}`}</summary>
                  <Code text={text} />
                </details>
              )}
            </li>
          )
        })}
      </ol>
    </details>
  )
}

function Costs({ rows, version }: { readonly rows: SessionRows; readonly version: number }) {
  const totals = useMemo(() => computeTotals(rows), [rows, version])
  return (
    <section aria-label="Cost">
      <h2>Cost: {describeCost(totals.total)}</h2>
      <div class="columns">
        <UsageTable title="model" rows={totals.models} />
        <UsageTable title="agent" rows={totals.agents} />
        <table>
          <caption>By tool: its definition, calls and results in all requests</caption>
          <thead>
            <tr>
              <th scope="col">tool</th>
              <th scope="col">calls</th>
              <th scope="col">input tokens</th>
              <th scope="col">cost</th>
            </tr>
          </thead>
          <tbody>
            {totals.tools.map(({ tool, calls, inputTokens, inputCostUsd }) => (
              <tr key={tool}>
                <th scope="row">{tool}</th>
                <td class="figure">{calls}</td>
                <td class="figure">{formatCount(inputTokens)}</td>
                <td class="figure">{formatCost(inputCostUsd)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function describeCost({ costUsd, isCostPartial }: Pick<UsageTotals, 'costUsd' | 'isCostPartial'>): string {
  if (isCostPartial && costUsd === 0) return 'unknown'
  return `${isCostPartial ? 'at least ' : ''}${formatCost(costUsd)}`
}

function UsageTable({ title, rows }: { readonly title: string; readonly rows: readonly UsageTotals[] }) {
  return (
    <table>
      <caption>By {title}</caption>
      <thead>
        <tr>
          <th scope="col">{title}</th>
          <th scope="col">requests</th>
          <th scope="col">in</th>
          <th scope="col">from cache</th>
          <th scope="col">out</th>
          <th scope="col">cost</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, requests, usage, ...totals }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="figure">{requests}</td>
            <td class="figure">{formatCount(usage.input + usage.cacheRead + usage.cacheWrite)}</td>
            <td class="figure">{formatCount(usage.cacheRead)}</td>
            <td class="figure">{formatCount(usage.output)}</td>
            <td class="figure">{describeCost(totals)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
