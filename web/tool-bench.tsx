import { useEffect, useMemo, useState } from 'preact/hooks'
import type { PageCallEvent } from '../src/inspector/server/page-calls.js'
import type { FoundTool, PageCall, PageQuestion, PoolTool } from '../src/inspector/workbench.js'
import { getJson, postJson, postStream } from './api.js'
import { formatBytes, formatDuration } from './format.js'
import { type FormSchema, JsonControl, SchemaForm } from './schema-form.js'
import { Code, ViewContent } from './view.js'

/** Lists the pool, and calls the chosen tool. */
export function ToolBench() {
  const [pool, setPool] = useState<readonly PoolTool[]>([])
  const [problem, setProblem] = useState('')
  const [filter, setFilter] = useState('')
  const [name, setName] = useState<string | undefined>(undefined)
  useEffect(
    () => void getJson<readonly PoolTool[]>('/api/pool').then(setPool, (error: Error) => setProblem(error.message)),
    [],
  )
  const shown = useMemo(() => {
    return pool.filter(({ definition }) => definition.name.toLowerCase().includes(filter.toLowerCase()))
  }, [pool, filter])
  const tool = pool.find(({ definition }) => definition.name === name)
  return (
    <div class="split">
      <section aria-label="Pool of tools" class="list-pane">
        <label class="field">
          Filter {pool.length} tools
          <input type="search" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
        </label>
        {problem !== '' && <p role="alert">{problem}</p>}
        <ul class="choices">
          {shown.map(({ definition, server, isDeferred, isReadOnly, bytes }) => (
            <li key={definition.name}>
              <button type="button" aria-pressed={definition.name === name} onClick={() => setName(definition.name)}>
                {definition.name}{' '}
                <span class="muted">
                  {[server, isDeferred && 'deferred', isReadOnly === true && 'read-only', formatBytes(bytes)]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
              </button>
            </li>
          ))}
        </ul>
      </section>
      {tool === undefined ? <p class="muted">Choose a tool.</p> : <ToolForm key={tool.definition.name} tool={tool} />}
    </div>
  )
}

interface CallState {
  readonly isRunning: boolean
  readonly question?: PageQuestion | undefined
  readonly call?: PageCall | undefined
  readonly problem?: string | undefined
}

function ToolForm({ tool: { definition } }: { readonly tool: PoolTool }) {
  const [input, setInput] = useState<Readonly<Record<string, unknown>>>({})
  const [isJson, setJson] = useState(false)
  const [state, setState] = useState<CallState>({ isRunning: false })
  const run = async () => {
    setState({ isRunning: true })
    const abort = new AbortController()
    try {
      await postStream(
        '/api/call',
        { tool: definition.name, input },
        (_, data) => {
          const event = data as PageCallEvent
          if (event.type === 'question') setState({ isRunning: true, question: event.question })
          else {
            setState(
              event.type === 'ended'
                ? { isRunning: false, call: event.call }
                : { isRunning: false, problem: event.message },
            )
            abort.abort()
          }
        },
        abort.signal,
      )
    } catch (error) {
      if (!abort.signal.aborted) setState({ isRunning: false, problem: (error as Error).message })
    }
  }
  const answer = (question: PageQuestion, behavior: 'allow' | 'deny', suggestion?: number) => {
    setState({ isRunning: true })
    void postJson('/api/answer', { id: question.id, behavior, ...(suggestion !== undefined && { suggestion }) })
  }
  return (
    <section aria-label={`Tool ${definition.name}`} class="detail-pane">
      <h2>{definition.name}</h2>
      <p class="pre description">{definition.description}</p>
      <details>
        <summary>Definition as the model sees it</summary>
        <Code text={JSON.stringify(definition, undefined, 2)} />
      </details>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <label>
          <input type="checkbox" checked={isJson} onChange={(event) => setJson(event.currentTarget.checked)} /> Edit as
          JSON
        </label>
        {isJson ? (
          <div class="field">
            <label for="input">Input</label>
            <JsonControl
              id="input"
              name="input"
              value={input}
              onChange={(value) => setInput((value ?? {}) as typeof input)}
            />
          </div>
        ) : (
          <SchemaForm schema={definition.input_schema as FormSchema} value={input} onChange={setInput} />
        )}
        <button type="submit" class="primary" disabled={state.isRunning}>
          {state.isRunning ? 'Running…' : `Call ${definition.name}`}
        </button>
      </form>
      {state.question !== undefined && <Question question={state.question} onAnswer={answer} />}
      {state.problem !== undefined && <p role="alert">{state.problem}</p>}
      {state.call !== undefined && <CallResult call={state.call} />}
    </section>
  )
}

interface QuestionProps {
  readonly question: PageQuestion
  readonly onAnswer: (question: PageQuestion, behavior: 'allow' | 'deny', suggestion?: number) => void
}

function Question({ question, onAnswer }: QuestionProps) {
  return (
    <section class="question" role="alertdialog" aria-label="Permission">
      <p class="pre">{question.message}</p>
      {question.preview !== undefined && <Code text={question.preview} />}
      <button type="button" onClick={() => onAnswer(question, 'allow')}>
        Allow once
      </button>
      {question.suggestions.map((suggestion, index) => (
        <button key={index} type="button" onClick={() => onAnswer(question, 'allow', index)}>
          Allow and save {'rules' in suggestion ? suggestion.rules.join(', ') : suggestion.type} (
          {suggestion.destination})
        </button>
      ))}
      <button type="button" onClick={() => onAnswer(question, 'deny')}>
        Deny
      </button>
    </section>
  )
}

function CallResult({ call: { result, view, errorCode, events } }: { readonly call: PageCall }) {
  const times = events.map(({ at }) => at)
  const duration = times.length === 0 ? 0 : Math.max(...times) - Math.min(...times)
  const text = typeof result.content === 'string' ? result.content : JSON.stringify(result.content, undefined, 2)
  return (
    <section aria-label="Result" class="rendered">
      <h3>
        {errorCode ?? 'done'} <span class="muted">{formatDuration(duration)}</span>
      </h3>
      <ViewContent view={view} />
      <details>
        <summary>Result as the model reads it</summary>
        <Code text={text} />
      </details>
    </section>
  )
}

/** Searches the pool as the model does. */
export function SearchPlayground() {
  const [query, setQuery] = useState('')
  const [found, setFound] = useState<readonly FoundTool[] | undefined>(undefined)
  const search = async () => setFound(await postJson<readonly FoundTool[]>('/api/tool-search', { query }))
  return (
    <section aria-label="Tool search" class="page">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void search()
        }}
      >
        <label class="field">
          Query, as the model would write it
          <input type="search" name="query" value={query} onInput={(event) => setQuery(event.currentTarget.value)} />
        </label>
        <button type="submit" class="primary">
          Search
        </button>
      </form>
      {found !== undefined && (
        <table>
          <caption>{found.length === 0 ? 'No tool matches.' : 'Best match first'}</caption>
          <thead>
            <tr>
              <th scope="col">tool</th>
              <th scope="col">score</th>
              <th scope="col">why</th>
              <th scope="col">description</th>
            </tr>
          </thead>
          <tbody>
            {found.map(({ name, score, reasons, description }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="figure">{score === undefined ? 'name' : score.toFixed(2)}</td>
                <td>{reasons.join('; ')}</td>
                <td>{description}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
