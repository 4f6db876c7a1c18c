import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { exportedSession, getJson, takeStartParameters } from './api.js'
import { CallDetail } from './call-detail.js'
import { Context } from './context.js'
import { Conversation } from './conversation.js'
import { formatCounted } from './format.js'
import { useSession } from './session-store.js'
import { type ListedSession, Sessions } from './sessions.js'
import { Timeline } from './timeline.js'
import { Workbench } from './workbench.js'

const PAGES = exportedSession === undefined ? ['timeline', 'context', 'workbench', 'sessions'] : ['timeline', 'context']
const TITLES: Readonly<Record<string, string>> = {
  timeline: 'Timeline',
  context: 'Context',
  workbench: 'Workbench',
  sessions: 'Sessions',
}

const start = takeStartParameters()

function App() {
  const page = usePage()
  const [session, setSession] = useState(start.session)
  const theme = useTheme()
  const { rows, version, problem } = useSession(session)
  useEffect(() => {
    if (session !== undefined) return
    getJson<readonly ListedSession[]>('/api/sessions').then(
      ([latest]) => setSession((current) => current ?? latest?.id),
      () => undefined,
    )
  }, [])
  useEffect(() => {
    document.title = `${rows?.title ?? 'Haft'} – ${TITLES[page]}`
  }, [page, rows?.title])
  const openSession = (id: string) => {
    setSession(id)
    location.hash = '#/timeline'
  }
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to content
      </button>
      <header>
        <h1>
          {rows?.title ?? 'Haft inspector'}{' '}
          {rows !== undefined && rows.endedAt === undefined && exportedSession === undefined && (
            <span class="live">live</span>
          )}
        </h1>
        <nav aria-label="Views">
          {PAGES.map((name) => (
            <a key={name} href={`#/${name}`} aria-current={page === name ? 'page' : undefined}>
              {TITLES[name]}
            </a>
          ))}
        </nav>
      </header>
      <main id="main" tabIndex={-1}>
        {problem !== undefined && <p role="alert">{problem}</p>}
        {page === 'workbench' && <Workbench session={session} rows={rows} />}
        {page === 'sessions' && <Sessions current={session} onOpen={openSession} />}
        {(page === 'timeline' || page === 'context') && (rows === undefined || session === undefined) && (
          <p class="muted">{session === undefined ? 'There is no session in this project yet.' : 'Loading…'}</p>
        )}
        {page === 'timeline' && rows !== undefined && session !== undefined && (
          <TimelinePage key={session} {...{ session, rows, version, theme }} />
        )}
        {page === 'context' && rows !== undefined && session !== undefined && (
          <Context key={session} {...{ session, rows, version }} />
        )}
      </main>
    </>
  )
}

interface TimelinePageProps {
  readonly session: string
  readonly rows: NonNullable<ReturnType<typeof useSession>['rows']>
  readonly version: number
  readonly theme: string
}

function TimelinePage({ session, rows, version, theme }: TimelinePageProps) {
  const [selected, setSelected] = useState<number | undefined>(undefined)
  const [filter, setFilter] = useState('')
  const row = selected === undefined ? undefined : rows.calls[selected]
  return (
    <div class="page">
      <label class="field narrow">
        Highlight calls by tool, text, error or decision
        <input type="search" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
      </label>
      <Timeline {...{ rows, version, selected, filter, theme }} onSelect={setSelected} />
      <p class="muted" aria-live="polite">
        {formatCounted(rows.calls.length, 'call')}, {formatCounted(rows.requests.length, 'request')},{' '}
        {formatCounted(rows.agents.length, 'agent')}
        {row !== undefined && ` · selected: ${row.tool} ${row.summary ?? ''}`}
      </p>
      <div class="split">
        <Conversation {...{ session, rows, version, selected }} onSelect={setSelected} />
        {row === undefined || selected === undefined ? (
          <p class="muted">Choose a call in the timeline or in the conversation.</p>
        ) : (
          <CallDetail
            key={selected}
            session={session}
            position={selected}
            row={row}
            agent={rows.agents[row.agent]?.id ?? ''}
          />
        )}
      </div>
    </div>
  )
}

function usePage(): string {
  const read = () => PAGES.find((page) => location.hash === `#/${page}`) ?? 'timeline'
  const [page, setPage] = useState(read)
  useEffect(() => {
    const update = () => setPage(read())
    addEventListener('hashchange', update)
    return () => removeEventListener('hashchange', update)
  }, [])
  return page
}

/** Returns the colour scheme of the system. The canvas is drawn again when it changes. */
function useTheme(): string {
  const query = matchMedia('(prefers-color-scheme: dark)')
  const [isDark, setDark] = useState(query.matches)
  useEffect(() => {
    const update = () => setDark(query.matches)
    query.addEventListener('change', update)
    return () => query.removeEventListener('change', update)
  }, [])
  return isDark ? 'dark' : 'light'
}

const root = document.getElementById('app')
if (root !== null) render(<App />, root)
