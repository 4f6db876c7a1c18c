import fc from 'fast-check'
import { expect } from 'vitest'
import type { CallRun } from '../../calls/call-run.js'
import type { ToolEvent } from '../../contract/events.js'
import type { ToolUseBlock } from '../../contract/messages.js'
import { createToolRuntime } from '../../runtime/create-tool-runtime.js'
import type { ToolRuntimeOptions } from '../../runtime/options.js'

const HOOK_BEHAVIOURS = ['silent', 'allows', 'denies', 'asks', 'changes', 'breaks', 'throws', 'stops'] as const
const PERMISSION_ANSWERS = ['allow', 'deny', 'change', 'fail', 'never', 'nonsense'] as const
const INTERRUPTIONS = ['abort', 'interrupt', 'discard', 'interrupt, then abort'] as const

/** The external conditions of a call, independent of its tool. */
export interface CallConditions {
  readonly hook: (typeof HOOK_BEHAVIOURS)[number]
  readonly answer: (typeof PERMISSION_ANSWERS)[number]
  readonly isFollowedByPause: boolean
}

/** The calls of one message, and when and how they are interrupted. */
export interface PlannedMessage<P extends CallConditions> {
  readonly calls: readonly P[]
  readonly interruption: 'none' | (typeof INTERRUPTIONS)[number]
  /**
   * The index of the call before which the interruption happens. An index larger than the number of calls delays it by the
   * difference, in turns of the event loop after the last call.
   */
  readonly at: number
  readonly maxConcurrency: number
  readonly scheduling: 'resources' | 'base'
}

/** The tools that calls can name, and the inputs of those calls. */
export interface CallFixture<P extends CallConditions> {
  readonly options: ToolRuntimeOptions
  createBlock(plan: P, index: number): ToolUseBlock
  /** Returns the replacement input that a hook or a user provides. */
  changeInput(plan: P, by: 'hook' | 'user'): Record<string, unknown>
  /** An input that no schema accepts. */
  readonly invalidInput: Record<string, unknown>
}

export function pickMostlyFrom<T>(commonValues: readonly T[], rareValues: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...commonValues) },
    { weight: 1, arbitrary: fc.constantFrom(...rareValues) },
  )
}

export const callConditions = {
  hook: pickMostlyFrom<CallConditions['hook']>(['silent'], HOOK_BEHAVIOURS),
  answer: pickMostlyFrom<CallConditions['answer']>(['allow', 'change'], PERMISSION_ANSWERS),
  isFollowedByPause: fc.boolean(),
}

export function createPlannedMessages<P extends CallConditions>(
  plan: fc.Arbitrary<P>,
  maxTurns = 9,
): fc.Arbitrary<PlannedMessage<P>> {
  return fc.record({
    calls: fc.array(plan, { maxLength: 8 }),
    interruption: pickMostlyFrom<PlannedMessage<P>['interruption']>(['none'], INTERRUPTIONS),
    at: fc.nat(maxTurns),
    maxConcurrency: fc.constantFrom(1, 2, 10),
    scheduling: fc.constantFrom('resources', 'base'),
  })
}

/** Runs a message and asserts that each call has exactly one result, in order, and is queued and ended once. */
export async function expectOneResultEach<P extends CallConditions>(
  fixture: CallFixture<P>,
  message: PlannedMessage<P>,
): Promise<void> {
  const { calls, interruption, at } = message
  const { runtime, run, emitted } = openRun(fixture, message)
  const eventsRead = readAll(run)
  for (const [index, plan] of calls.entries()) {
    if (index === at) interrupt(run, interruption)
    run.add(fixture.createBlock(plan, index))
    if (plan.isFollowedByPause) await new Promise(setImmediate)
  }
  run.end()
  if (at >= calls.length) {
    for (let turn = calls.length; turn < at; turn++) await new Promise(setImmediate)
    interrupt(run, interruption)
  }
  // A user who never answers keeps a call waiting until the run is aborted.
  if (calls.some(({ answer }) => answer === 'never')) setTimeout(() => run.cancel({ type: 'aborted' }), 6)
  const outcomes = await run.outcomes()

  const ids = calls.map((plan, index) => fixture.createBlock(plan, index).id)
  expect(outcomes.map(({ block }) => block.tool_use_id)).toEqual(ids)
  expect(await eventsRead).toEqual(emitted)
  for (const id of ids) expectOneLifecycle(emitted.filter((event) => 'toolUseId' in event && event.toolUseId === id))
  await runtime.dispose()
}

/**
 * Asserts that a call is queued first, ended last, and started at most once, before any event that only a started call
 * can have.
 */
function expectOneLifecycle(events: readonly ToolEvent[]): void {
  const types = events.map(({ type }) => type)
  expect(types[0]).toBe('call-queued')
  expect(types.at(-1)).toBe('call-ended')
  expect(types.filter((type) => type === 'call-queued' || type === 'call-ended')).toHaveLength(2)
  expect(types.filter((type) => type === 'call-started').length).toBeLessThanOrEqual(1)
  const firstStartedIndex = types.findIndex((type) => STARTED_CALL_EVENTS.has(type))
  if (firstStartedIndex !== -1) expect(types.indexOf('call-started')).toBeLessThan(firstStartedIndex)
}

const STARTED_CALL_EVENTS: ReadonlySet<string> = new Set([
  ...['permission-asked', 'permission-decided', 'call-progressed', 'hook-reported'],
])

function interrupt(run: CallRun, interruption: string): void {
  if (interruption.startsWith('interrupt')) run.interrupt('wait')
  if (interruption.endsWith('abort')) run.cancel({ type: 'aborted' })
  if (interruption === 'discard') setImmediate(() => run.cancel({ type: 'aborted', message: 'broke off' }))
}

async function readAll(run: CallRun): Promise<readonly ToolEvent[]> {
  const events = []
  for await (const event of run) events.push(event)
  return events
}

function openRun<P extends CallConditions>(
  fixture: CallFixture<P>,
  { calls, maxConcurrency, scheduling }: PlannedMessage<P>,
) {
  const emittedEvents: ToolEvent[] = []
  const plans = new Map(calls.map((plan, index) => [fixture.createBlock(plan, index).id, plan]))
  const runtime = createToolRuntime({
    ...fixture.options,
    hooks: {
      PreToolUse: [
        {
          hooks: [
            { type: 'function', run: ({ tool_use_id }) => answerHook(fixture, plans.get(String(tool_use_id)) as P) },
          ],
        },
      ],
      PostToolUse: [{ hooks: [{ type: 'function', run: () => ({ decision: 'block', reason: 'seen' }) }] }],
    },
    ask: ({ toolUseId }) => answerQuestion(fixture, plans.get(toolUseId) as P),
    onEvent: (event) => emittedEvents.push(event),
    scheduling: { ...fixture.options.scheduling, maxConcurrency, rule: scheduling },
  })
  return { runtime, run: runtime.open(), emitted: emittedEvents }
}

function answerHook<P extends CallConditions>(fixture: CallFixture<P>, plan: P): unknown {
  const decide = (permissionDecision: string, updatedInput?: object) => ({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, updatedInput },
  })
  switch (plan.hook) {
    case 'allows':
      return decide('allow')
    case 'denies':
      return decide('deny')
    case 'asks':
      return decide('ask')
    case 'changes':
      return decide('allow', fixture.changeInput(plan, 'hook'))
    case 'breaks':
      return decide('allow', fixture.invalidInput)
    case 'throws':
      throw new Error('hook')
    case 'stops':
      return { continue: false, stopReason: 'enough' }
    default:
      return undefined
  }
}

async function answerQuestion<P extends CallConditions>(
  fixture: CallFixture<P>,
  plan: P,
): Promise<{ behavior: 'allow' | 'deny' }> {
  await new Promise(setImmediate)
  switch (plan.answer) {
    case 'change':
      return { behavior: 'allow', ...{ updatedInput: fixture.changeInput(plan, 'user') } }
    case 'fail':
      throw new Error('no answer')
    case 'never':
      return new Promise(() => {})
    case 'nonsense':
      return 5 as never
    default:
      return { behavior: plan.answer }
  }
}
