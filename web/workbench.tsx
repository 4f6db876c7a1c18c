import { useEffect, useState } from 'preact/hooks'
import type { SessionRows } from '../src/inspector/data/rows.js'
import type { HookRun } from '../src/inspector/data/session-data.js'
import type { ConfiguredHook, ServerStatus } from '../src/inspector/workbench.js'
import { getJson, sessionPath } from './api.js'
import { formatDuration, formatTime } from './format.js'
import { Simulator } from './simulator.js'
import { SearchPlayground, ToolBench } from './tool-bench.js'
import { Code } from './view.js'

const TABS = ['Tools', 'Search', 'Permissions', 'Servers', 'Hooks'] as const

export interface WorkbenchProps {
  readonly session: string | undefined
  readonly rows: SessionRows | undefined
}

/** Tries the tools, rules, servers and hooks of this folder. */
export function Workbench({ session, rows }: WorkbenchProps) {
  const [tab, setTab] = useState<(typeof TABS)[number]>('Tools')
  return (
    <div class="page">
      <fieldset class="toolbar tabs" aria-label="Workbench">
        {TABS.map((name) => (
          <button key={name} type="button" aria-pressed={tab === name} onClick={() => setTab(name)}>
            {name}
          </button>
        ))}
      </fieldset>
      {tab === 'Tools' && <ToolBench />}
      {tab === 'Search' && <SearchPlayground />}
      {tab === 'Permissions' && <Simulator />}
      {tab === 'Servers' && <Servers rows={rows} />}
      {tab === 'Hooks' && <Hooks session={session} />}
    </div>
  )
}

function Servers({ rows }: { readonly rows: SessionRows | undefined }) {
  const [servers, setServers] = useState<readonly ServerStatus[] | undefined>(undefined)
  const [problem, setProblem] = useState('')
  useEffect(
    () =>
      void getJson<readonly ServerStatus[]>('/api/servers').then(setServers, (error: Error) =>
        setProblem(error.message),
      ),
    [],
  )
  if (problem !== '') return <p role="alert">{problem}</p>
  if (servers === undefined) return <p class="muted">Starting the servers…</p>
  if (servers.length === 0) return <p>No MCP servers are configured here. Add one with haft mcp add.</p>
  return (
    <section aria-label="MCP servers">
      {servers.map((server) => (
        <article key={server.name} class="card">
          <h3>
            {server.name}{' '}
            <span class={`behavior ${server.status === 'connected' ? 'allow' : 'ask'}`}>{server.status}</span>{' '}
            <span class="muted">{server.version}</span>
          </h3>
          <p>
            {server.toolCount} tools{describeLatency(server.name, rows)}
          </p>
          {server.reason !== undefined && <p class="warning">{server.reason}</p>}
          {server.refused.length > 0 && (
            <ul class="warning">
              {server.refused.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          )}
          <details>
            <summary>Log</summary>
            <Code text={server.log === '' ? 'The server has written nothing.' : server.log} />
          </details>
        </article>
      ))}
    </section>
  )
}

/** Returns how long the calls of a server took in the open session. */
function describeLatency(server: string, rows: SessionRows | undefined): string {
  const prefix = `mcp__${server.replace(/[^A-Za-z0-9_-]/g, '_')}__`
  const calls = rows?.calls.filter(({ tool }) => tool.startsWith(prefix)) ?? []
  const times = calls.flatMap(({ runAt, ranAt }) => (runAt === undefined || ranAt === undefined ? [] : [ranAt - runAt]))
  if (calls.length === 0) return ''
  const sorted = times.sort((a, b) => a - b)
  const failed = calls.filter(({ errorCode }) => errorCode !== undefined).length
  const latency = sorted.length === 0 ? '' : `, median ${formatDuration(sorted[sorted.length >> 1] ?? 0)}`
  return ` · ${calls.length} calls in this session, ${failed} failed${latency}`
}

function Hooks({ session }: { readonly session: string | undefined }) {
  const [hooks, setHooks] = useState<readonly ConfiguredHook[]>([])
  const [runs, setRuns] = useState<readonly HookRun[]>([])
  useEffect(() => {
    void getJson<readonly ConfiguredHook[]>('/api/hooks').then(setHooks, () => undefined)
    if (session !== undefined)
      void getJson<readonly HookRun[]>(sessionPath(session, 'hooks')).then(setRuns, () => undefined)
  }, [session])
  return (
    <section aria-label="Hooks">
      <h3>Configured</h3>
      {hooks.length === 0 && <p>No hooks are configured here.</p>}
      <ul>
        {hooks.map(({ event, matcher, hook, source }, index) => (
          <li key={index}>
            {event} {matcher !== '' && <code>{matcher}</code>} <code>{hook}</code> <span class="muted">{source}</span>
          </li>
        ))}
      </ul>
      <h3>Last runs in this session</h3>
      {runs.length === 0 && <p>No hook ran.</p>}
      <ul>
        {runs.map(({ at, event, hook, outcome, message }, index) => (
          <li key={index}>
            {formatTime(at)} {event} <code>{hook}</code>: {outcome} {message}
          </li>
        ))}
      </ul>
    </section>
  )
}
