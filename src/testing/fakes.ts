import type { Answer, AskPort, Question } from '../contract/ports/ask.js'
import type { ClockPort } from '../contract/ports/clock.js'
import { HttpError, type HttpPort, type HttpRequest } from '../contract/ports/http.js'
import type { SearchPort, SearchQuery } from '../contract/ports/search.js'
import type { ConfinementStatus, ShellOutcome, ShellPort, ShellRequest } from '../contract/ports/shell.js'
import type { AppState, StatePort } from '../contract/ports/state.js'
import type { BackgroundTask, TasksPort } from '../contract/ports/tasks.js'

/** Creates a clock whose time advances only through `sleep`, which resolves immediately. */
export function fakeClock(start = 0): ClockPort {
  let now = start
  return {
    now: () => now,
    async sleep(ms, { signal }) {
      if (!signal.aborted) now += ms
    },
  }
}

/** Creates the state of one conversation, in memory. */
export function fakeState(initialState: AppState = {}): StatePort {
  let state = initialState
  return {
    getAppState: () => state,
    setAppState(update) {
      state = update(state)
    },
    setAppStateForTasks(update) {
      state = update(state)
    },
    setInProgressToolUseIDs() {},
    setHasInterruptibleToolInProgress() {},
    addNotification() {},
  }
}

/** Creates a user who answers through the given function. Without one, there is no user to ask. */
export function fakeAsk(answer?: (questions: readonly Question[]) => readonly Answer[] | undefined): AskPort {
  return {
    canAsk: answer !== undefined,
    askQuestions: async (questions) => answer?.(questions),
    handleElicitation: async () => ({ action: 'decline' }),
  }
}

/** The fields of a fake outcome that differ from those of a successful command without output. */
export type FakeOutcome = Partial<Omit<ShellOutcome, 'output'>> & {
  readonly text?: string
  readonly chunks?: readonly string[]
}

/** A shell that runs nothing and remembers its requests. */
export interface FakeShell extends ShellPort {
  /** Every command that was run or started, in order. */
  readonly requests: readonly (ShellRequest & { readonly isStart?: true })[]
}

/** Creates a shell that runs nothing and returns the given outcomes. */
export function fakeShell(
  answer: FakeOutcome | ((request: ShellRequest) => FakeOutcome) = {},
  options: { readonly status?: Partial<ConfinementStatus>; readonly folders?: readonly string[] } = {},
): FakeShell {
  const requests: (ShellRequest & { isStart?: true })[] = []
  const { status, folders } = options
  return {
    requests,
    async run(request, { onOutput }) {
      requests.push(request)
      const { text, chunks = [], ...overrides } = typeof answer === 'function' ? answer(request) : answer
      for (const chunk of chunks) onOutput?.(new TextEncoder().encode(chunk))
      return fakeOutcome(request, text ?? chunks.join(''), overrides)
    },
    async start(request) {
      requests.push({ ...request, isStart: true })
      return { taskId: `task-${requests.length}` }
    },
    confinement: async () => ({ isAvailable: false, reason: 'no sandbox available', byDefault: 'none', ...status }),
    ...(folders !== undefined && { workingFolders: () => folders }),
  }
}

function fakeOutcome(request: ShellRequest, text: string, overrides: Partial<ShellOutcome>): ShellOutcome {
  const size = new TextEncoder().encode(text).length
  return {
    exitCode: 0,
    signal: null,
    timedOut: false,
    cwd: request.cwd,
    output: { text, receivedBytes: size, keptBytes: size, isCut: false },
    confinement: 'none',
    refusals: [],
    ...overrides,
  }
}

/** Fields of a fake response. By default an empty text with status 200. */
export interface FakeResponse {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** An HTTP port that sends nothing and remembers its requests. */
export interface FakeHttp extends HttpPort {
  readonly requests: readonly (HttpRequest & { readonly url: string })[]
}

/**
 * Creates an HTTP port that answers from a table by URL, or through a function. A URL without an answer fails like an unknown
 * host. WebSocket connections fail.
 */
export function fakeHttp(
  answers: Readonly<Record<string, string | FakeResponse>> | ((url: string, request: HttpRequest) => FakeResponse),
): FakeHttp {
  const requests: (HttpRequest & { url: string })[] = []
  const findAnswer = (url: string, request: HttpRequest): FakeResponse => {
    const answer = typeof answers === 'function' ? answers(url, request) : answers[url]
    if (answer === undefined) throw new HttpError('unknown_host', `The fake has no answer for ${url}.`)
    return typeof answer === 'string' ? { body: answer } : answer
  }
  return {
    requests,
    async fetch(url, request = {}) {
      requests.push({ ...request, url })
      const { status = 200, headers = { 'content-type': 'text/plain' }, body = '' } = findAnswer(url, request)
      const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
      const { maxBytes = bytes.length } = request
      return { status, url, headers, body: bytes.subarray(0, maxBytes), isTruncated: bytes.length > maxBytes }
    },
    async openWebSocket(url) {
      throw new HttpError('failed', `The fake cannot open the connection ${url}.`)
    },
  }
}

/** A search port that reads no files and remembers its queries. */
export interface FakeSearch extends SearchPort {
  readonly queries: readonly SearchQuery[]
}

/** Creates a search that finds the given entries, such as `src/a.ts:3:text`. `offset` and `limit` are applied to them. */
export function fakeSearch(entries: readonly string[] | ((query: SearchQuery) => readonly string[]) = []): FakeSearch {
  const queries: SearchQuery[] = []
  return {
    queries,
    async search(query) {
      queries.push(query)
      const { offset = 0, limit } = query
      const found = (typeof entries === 'function' ? entries(query) : entries).slice(offset)
      const shown = found.slice(0, limit)
      return { text: shown.join('\n'), entries: shown.length, more: found.length - shown.length }
    },
  }
}

/** Creates running background tasks with the given output, by task id. */
export function fakeTasks(
  texts: Readonly<Record<string, string>>,
  task: Partial<BackgroundTask> = {},
): TasksPort & { readonly waits: readonly number[] } {
  const waits: number[] = []
  const tasks = new Map(
    Object.keys(texts).map((id): [string, BackgroundTask] => [
      id,
      { id, kind: 'shell', description: `runs ${id}`, status: 'running', ...task },
    ]),
  )
  return {
    waits,
    list: () => [...tasks.values()],
    async output(id, { waitMs = 0 } = {}) {
      waits.push(waitMs)
      const foundTask = tasks.get(id)
      const text = texts[id] ?? ''
      return foundTask && { task: foundTask, text, receivedBytes: text.length }
    },
    peek: (id) => (tasks.has(id) ? (texts[id] ?? '') : undefined),
    async stop(id) {
      const foundTask = tasks.get(id)
      if (foundTask === undefined) return undefined
      const stoppedTask: BackgroundTask = { ...foundTask, status: 'stopped' }
      tasks.set(id, stoppedTask)
      return stoppedTask
    },
    report() {},
    add({ kind, description }) {
      const addedTask: BackgroundTask = { id: `${kind}-${tasks.size + 1}`, kind, description, status: 'running' }
      tasks.set(addedTask.id, addedTask)
      return addedTask
    },
  }
}
