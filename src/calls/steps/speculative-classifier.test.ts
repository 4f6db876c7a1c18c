import { expect, test } from 'vitest'
import type { HookFunction } from '../../hooks/config/hook-config.js'
import type { ClassifierAnswer, ClassifierRequest } from '../../permissions/auto-mode/classifier.js'
import type { PermissionAnswer, PermissionQuestion } from '../call-environment.js'
import { createDeferred, createFixtureTool, FixtureHost, type FixtureOptions } from '../fixture-host.js'

interface StartedClassification {
  readonly request: ClassifierRequest
  readonly signal: AbortSignal
  answer(verdict: ClassifierAnswer['verdict']): void
}

/** A host in auto mode whose hooks, classifier and user start when they are called and answer when the test says so. */
function setUp(
  { preHook, requestHook }: { preHook?: boolean; requestHook?: boolean } = {},
  options: FixtureOptions = {},
) {
  const executedInputs: unknown[] = []
  const tool = createFixtureTool({
    name: 'Note',
    isReadOnly: () => false,
    toAutoClassifierInput: (input) => input.text,
    call: async (input) => {
      executedInputs.push(input)
      return { data: 'done' }
    },
  })
  const classifications = createQueue<StartedClassification>()
  const questions = createQueue<{ question: PermissionQuestion; answer(answer: PermissionAnswer): void }>()
  const preHooks = createQueue<(answer: object) => void>()
  const requestHooks = createQueue<(answer: object) => void>()
  const createHook = (queue: Queue<(answer: object) => void>): HookFunction => {
    return () => {
      const { promise, resolve } = createDeferred<object>()
      queue.push(resolve)
      return promise
    }
  }
  const paths = {
    look: (path: string) => ({ realPath: path, isFolder: false, isCaseInsensitive: false }),
  }
  const host = new FixtureHost({
    tools: [tool],
    mode: 'auto',
    hooks: {
      ...(preHook === true && { PreToolUse: createHook(preHooks) }),
      ...(requestHook === true && { PermissionRequest: createHook(requestHooks) }),
    },
    decisionPorts: {
      canConfine: () => true,
      paths,
      questionDelayMs: 0,
      classifier: {
        classify(request, { signal }) {
          const { promise, resolve } = createDeferred<ClassifierAnswer>()
          classifications.push({ request, signal, answer: (verdict) => resolve({ verdict, reason: 'its reason' }) })
          return promise
        },
      },
    },
    ask: (question) => {
      const { promise, resolve } = createDeferred<PermissionAnswer>()
      questions.push({ question, answer: resolve })
      return promise
    },
    ...options,
  })
  return { host, executedInputs, classifications, questions, preHooks, requestHooks }
}

interface Queue<T> {
  readonly items: T[]
  push(item: T): void
  next(): Promise<T>
}

/** A list whose next item can be awaited. */
function createQueue<T>(): Queue<T> {
  const items: T[] = []
  const waiters: ((item: T) => void)[] = []
  let readCount = 0
  return {
    items,
    push(item) {
      items.push(item)
      waiters.shift()?.(item)
    },
    next() {
      const item = items[readCount++]
      return item === undefined ? new Promise((resolve) => waiters.push(resolve)) : Promise.resolve(item)
    },
  }
}

const decisionsOf = (host: FixtureHost) =>
  host.events.flatMap((event) => (event.type === 'permission-decided' ? [[event.behavior, event.reason.type]] : []))

test('the classifier runs while PreToolUse hooks run, and its answer is used once they have no opinion', async () => {
  const { host, classifications, preHooks, questions } = setUp({ preHook: true })

  const outcome = host.run('Note', { text: 'x' })
  const endHook = await preHooks.next()
  const classification = await classifications.next()
  classification.answer('allow')
  endHook({})

  expect((await outcome).block.content).toBe('done')
  expect(classifications.items).toHaveLength(1)
  expect(questions.items).toEqual([])
  expect(decisionsOf(host)).toEqual([['allow', 'classifier']])
})

test('the classifier, PermissionRequest hooks and the question are in flight at once', async () => {
  const { host, classifications, preHooks, requestHooks, questions } = setUp({ preHook: true, requestHook: true })

  const outcome = host.run('Note', { text: 'x' })
  const endPreHook = await preHooks.next()
  const classification = await classifications.next()
  endPreHook({})
  const endRequestHook = await requestHooks.next()
  const { question } = await questions.next()

  // Nothing has answered yet.
  expect([classification.signal.aborted, question.signal.aborted]).toEqual([false, false])
  expect(classifications.items).toHaveLength(1)
  classification.answer('allow')
  endRequestHook({})
  expect((await outcome).block.content).toBe('done')
  expect(question.signal.aborted).toBe(true)
  expect(decisionsOf(host)).toEqual([['allow', 'classifier']])
})

test('the classifier is stopped when the user answers first', async () => {
  const { host, classifications, questions } = setUp()

  const outcome = host.run('Note', { text: 'x' })
  const classification = await classifications.next()
  const { answer } = await questions.next()
  answer({ behavior: 'deny' })

  expect((await outcome).error?.code).toBe('permission_denied')
  expect(classification.signal.aborted).toBe(true)
  expect(decisionsOf(host)).toEqual([['deny', 'person']])
})

test('the classifier cannot allow a call that a PreToolUse hook denies or asks about', async () => {
  for (const permissionDecision of ['deny', 'ask'] as const) {
    const { host, executedInputs, classifications, preHooks, questions } = setUp({ preHook: true })
    const outcome = host.run('Note', { text: 'x' })
    const endHook = await preHooks.next()
    const classification = await classifications.next()
    classification.answer('allow')
    endHook({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision } })
    if (permissionDecision === 'ask') (await questions.next()).answer({ behavior: 'deny' })

    expect((await outcome).error?.code).toBe(permissionDecision === 'deny' ? 'hook_blocked' : 'permission_denied')
    expect(executedInputs).toEqual([])
    expect(classification.signal.aborted).toBe(true)
  }
})

test('an answer about an input that a hook then changes does not count', async () => {
  const { host, classifications, preHooks, executedInputs } = setUp({ preHook: true })

  const outcome = host.run('Note', { text: 'harmless' })
  const endHook = await preHooks.next()
  const first = await classifications.next()
  first.answer('allow')
  endHook({ hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { text: 'harmful' } } })
  const second = await classifications.next()
  second.answer('deny')

  expect((await outcome).error?.code).toBe('permission_denied')
  expect([first.request.input, second.request.input]).toEqual(['harmless', 'harmful'])
  expect(executedInputs).toEqual([])
})

test('a PermissionRequest hook that denies counts although the classifier and the user allow the call', async () => {
  for (const by of ['classifier', 'user'] as const) {
    const { host, executedInputs, classifications, requestHooks, questions } = setUp({ requestHook: true })
    const outcome = host.run('Note', { text: 'x' })
    const classification = await classifications.next()
    const endHook = await requestHooks.next()
    const { answer } = await questions.next()
    if (by === 'classifier') classification.answer('allow')
    else answer({ behavior: 'allow' })
    endHook({
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'deny', message: 'no' } },
    })

    expect((await outcome).error?.code).toBe('hook_blocked')
    expect(executedInputs).toEqual([])
  }
})

test('a hook that allows the call withdraws the question', async () => {
  const { host, requestHooks, questions } = setUp({ requestHook: true }, { mode: 'default' })

  const outcome = host.run('Note', { text: 'x' })
  const endHook = await requestHooks.next()
  const { question } = await questions.next()
  endHook({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } } })

  expect((await outcome).block.content).toBe('done')
  expect(question.signal.aborted).toBe(true)
})

test('once the user has begun to answer, the classifier does not allow the call', async () => {
  const { host, executedInputs, classifications, questions } = setUp()

  const outcome = host.run('Note', { text: 'x' })
  const classification = await classifications.next()
  const { question, answer } = await questions.next()
  question.beginAnswer?.()
  classification.answer('allow')
  answer({ behavior: 'deny', message: 'Do not.' })

  expect((await outcome).block.content).toContain('Do not.')
  expect(executedInputs).toEqual([])
})

test('a question that waits for its turn is not asked after the classifier has allowed the call', async () => {
  const { host, classifications, questions } = setUp()
  const turn = createDeferred()

  const outcome = host.run(
    'Note',
    { text: 'x' },
    {
      askInTurn: async (_call, ask) => {
        await turn.promise
        return ask()
      },
    },
  )
  const classification = await classifications.next()
  classification.answer('allow')

  expect((await outcome).block.content).toBe('done')
  turn.resolve()
  expect(questions.items).toEqual([])
})

test('a rule that denies or allows a call starts no classifier', async () => {
  for (const rules of [{ deny: ['Note'] }, { allow: ['Note'] }]) {
    const { host, classifications, preHooks } = setUp({ preHook: true }, rules)
    const outcome = host.run('Note', { text: 'x' })
    ;(await preHooks.next())({})
    await outcome

    expect(classifications.items).toEqual([])
  }
})

test('a cancelled classifier does not count as one that failed', async () => {
  const { host, classifications, preHooks } = setUp({ preHook: true })

  const outcome = host.run('Note', { text: 'x' })
  const endHook = await preHooks.next()
  await classifications.next()
  endHook({ continue: false, stopReason: 'enough' })

  expect((await outcome).error?.code).toBe('hook_blocked')
  expect(host.stops).toEqual([])
})
