import type { Answer, AskPort, Question } from '../contract/ports/ask.js'
import type { ClockPort } from '../contract/ports/clock.js'
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
