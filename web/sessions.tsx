import { useEffect, useMemo, useState } from 'preact/hooks'
import type { SessionRows } from '../src/inspector/data/rows.js'
import type { FoundSession } from '../src/inspector/data/search-sessions.js'
import { computeTotals, type SessionTotals } from '../src/inspector/data/totals.js'
import { download, getJson, readRows, sessionPath } from './api.js'
import { formatCost, formatCount, formatCounted, formatDuration, formatTime } from './format.js'

/** A session in the list. */
export interface ListedSession {
  readonly id: string
  readonly title?: string
  readonly lastAt: number
  readonly messages?: number
  readonly isOpen?: boolean
}

export interface SessionsProps {
  readonly current: string | undefined
  readonly onOpen: (id: string) => void
}

/** Lists the sessions of this project, searches them, and compares or exports them. */
export function Sessions({ current, onOpen }: SessionsProps) {
  const [sessions, setSessions] = useState<readonly ListedSession[]>([])
  const [query, setQuery] = useState('')
  const [found, setFound] = useState<readonly FoundSession[] | undefined>(undefined)
  const [compared, setCompared] = useState<readonly string[]>([])
  const [problem, setProblem] = useState('')
  useEffect(
    () =>
      void getJson<readonly ListedSession[]>('/api/sessions').then(setSessions, (error: Error) =>
        setProblem(error.message),
      ),
    [],
  )
  const search = async () => {
    if (query.trim() === '') setFound(undefined)
    else setFound(await getJson<readonly FoundSession[]>(`/api/search?q=${encodeURIComponent(query)}`))
  }
  const excerpts = new Map(found?.map(({ id, excerpt }) => [id, excerpt]))
  const shown = found === undefined ? sessions : sessions.filter(({ id }) => excerpts.has(id))
  const toggle = (id: string) =>
    setCompared(compared.includes(id) ? compared.filter((other) => other !== id) : [...compared.slice(-1), id])
  return (
    <div class="page">
      <search>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            void search()
          }}
        >
          <label class="field">
            Text or tool
            <input type="search" name="q" value={query} onInput={(event) => setQuery(event.currentTarget.value)} />
          </label>
          <button type="submit">Search</button>
        </form>
      </search>
      {problem !== '' && <p role="alert">{problem}</p>}
      <p class="muted">{formatCounted(shown.length, 'session')}. Choose two to compare them.</p>
      <ul class="sessions">
        {shown.map((session) => (
          <li key={session.id} class="card">
            <button
              type="button"
              class="call-link"
              aria-pressed={session.id === current}
              onClick={() => onOpen(session.id)}
            >
              {session.title ?? session.id}
            </button>
            <p class="muted">
              {session.lastAt > 0 && `${formatTime(session.lastAt)} · `}
              {session.messages !== undefined && formatCounted(session.messages, 'message')}
              {session.isOpen === true && ' · open'} · {session.id}
            </p>
            {excerpts.get(session.id) !== undefined && <p class="pre excerpt">{excerpts.get(session.id)}</p>}
            <div class="toolbar">
              <label>
                <input type="checkbox" checked={compared.includes(session.id)} onChange={() => toggle(session.id)} />{' '}
                compare
              </label>
              <ExportButton
                session={session.id}
                file="export.html"
                name={`haft-${session.id}.html`}
                label="Export HTML"
              />
              <ExportButton
                session={session.id}
                file="export.otlp.json"
                name={`haft-${session.id}.otlp.json`}
                label="Export OpenTelemetry"
              />
            </div>
          </li>
        ))}
      </ul>
      {compared.length === 2 && <Comparison ids={compared} />}
    </div>
  )
}

interface ExportButtonProps {
  readonly session: string
  readonly file: string
  readonly name: string
  readonly label: string
}

function ExportButton({ session, file, name, label }: ExportButtonProps) {
  return (
    <button type="button" onClick={() => void download(sessionPath(session, file), name)}>
      {label}
    </button>
  )
}

function Comparison({ ids }: { readonly ids: readonly string[] }) {
  const [rows, setRows] = useState<readonly SessionRows[]>([])
  useEffect(() => void Promise.all(ids.map(readRows)).then(setRows), [ids.join()])
  const totals = useMemo(() => rows.map(computeTotals), [rows])
  const [first, second] = totals
  if (first === undefined || second === undefined) return null
  return (
    <section aria-label="Comparison">
      <h2>Comparison</h2>
      <table>
        <caption class="hidden">Figures of two sessions</caption>
        <thead>
          <tr>
            <th scope="col">figure</th>
            {rows.map(({ id, title }) => (
              <th key={id} scope="col">
                {title ?? id}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {listFigures(first, second).map(([name, ...values]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {values.map((value, index) => (
                <td key={index} class="figure">
                  {value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function listFigures(first: SessionTotals, second: SessionTotals): readonly (readonly [string, string, string])[] {
  const compare = (name: string, format: (totals: SessionTotals) => string) =>
    [name, format(first), format(second)] as const
  const tools = [...new Set([...first.tools, ...second.tools].filter(({ calls }) => calls > 0).map(({ tool }) => tool))]
  const sumOf = (totals: SessionTotals, key: 'waitedMs' | 'askedMs' | 'ranMs') =>
    formatDuration(totals.tools.reduce((sum, tool) => sum + tool[key], 0))
  return [
    compare('duration', ({ durationMs }) => formatDuration(durationMs)),
    compare('calls', ({ calls }) => formatCount(calls)),
    compare('failed calls', ({ failedCalls }) => formatCount(failedCalls)),
    compare('waited for resources', (totals) => sumOf(totals, 'waitedMs')),
    compare('waited for permission', (totals) => sumOf(totals, 'askedMs')),
    compare('tools ran', (totals) => sumOf(totals, 'ranMs')),
    compare('requests', ({ total }) => formatCount(total.requests)),
    compare('tokens in', ({ total: { usage } }) => formatCount(usage.input + usage.cacheRead + usage.cacheWrite)),
    compare('tokens from the cache', ({ total }) => formatCount(total.usage.cacheRead)),
    compare('tokens out', ({ total }) => formatCount(total.usage.output)),
    compare('cost', ({ total }) => formatCost(total.costUsd)),
    ...tools.map((tool) =>
      compare(`calls of ${tool}`, (totals) => String(totals.tools.find((entry) => entry.tool === tool)?.calls ?? 0)),
    ),
  ]
}
