import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { HookFunction } from '../hooks/config/hook-config.js'
import {
  addAll,
  createWritingInput,
  openFixtureRun,
  readCodes,
  readTexts,
  runToEnd,
  settle,
} from '../testing/fixture-call-run.js'
import type { CallRun } from './call-run.js'
import type { FixtureClock } from './fixture-clock.js'
import { createTimedTool, type TimedInput } from './fixture-run.js'

test('results are in call order, even if calls end in another order', async () => {
  const { run, clock } = openFixtureRun()
  addAll(run, [
    { ms: 3, isSafe: true, text: 'slow' },
    { ms: 1, isSafe: true, text: 'quick' },
    { ms: 2, isSafe: true, text: 'middling' },
  ])
  run.end()
  const contents: unknown[] = []
  const readPromise = (async () => {
    for await (const { block } of run.streamOutcomesInOrder()) contents.push(block.content)
  })()
  await runToEnd(clock)
  await readPromise

  expect(contents).toEqual(['slow', 'quick', 'middling'])
  expect(await readTexts(run)).toEqual(contents)
})

test('a message without calls ends at once', async () => {
  const { run } = openFixtureRun()
  run.end()

  expect(await run.outcomes()).toEqual([])
  for await (const event of run) throw new Error(event.type)
})

test('no call can be added to a message that has ended', async () => {
  const { run } = openFixtureRun()
  run.end()

  expect(() => addAll(run, [{}])).toThrow('No call can be added')
})

test('a call starts while the message is still streaming', async () => {
  const { run, clock, started } = openFixtureRun()
  addAll(run, [{ isSafe: true }])
  await runToEnd(clock)

  expect(started).toEqual([0])
  run.end()
  expect(await readTexts(run)).toEqual(['done'])
})

test('concurrency stays within the limit; a limit of 0 becomes 1, and NaN the default of 10', async () => {
  for (const [maxConcurrency, startedCount] of [
    [2, 2],
    [0, 1],
    [Number.NaN, 10],
    [undefined, 10],
  ] as const) {
    const { run, started, clock } = openFixtureRun(
      maxConcurrency === undefined ? {} : { scheduling: { maxConcurrency } },
    )
    addAll(run, Array<TimedInput>(12).fill({ isSafe: true }))
    await settle()

    expect(started).toHaveLength(startedCount)
    run.end()
    await runToEnd(clock)
  }
})

describe('the resources of later calls', () => {
  test('are resolved after an earlier command has ended, because it may have created a link', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-run-')))
    const { run, clock, started } = openFixtureRun({
      cwd: folder,
      makeTools: (time) => [
        createTimedTool(time),
        createTimedTool(time, {
          name: 'Link',
          resources: () => ({ unknown: true }),
          call: async () => {
            symlinkSync('a', join(folder, 'b'))
            return { data: 'linked' }
          },
        }),
      ],
    })
    addAll(run, [{}, createWritingInput('a'), createWritingInput('b'), createWritingInput('c')], ['Link'])
    run.end()
    await settle()

    expect(started).toEqual([0, 1, 3])
    await runToEnd(clock)
    expect(started).toEqual([0, 1, 3, 2])
    rmSync(folder, { recursive: true })
  })

  test('are resolved after a call that may change the working directory, and all calls before it, have ended', async () => {
    const workingDirs: string[] = []
    const { run, clock, started } = openFixtureRun({
      makeTools: (time) => [
        createTimedTool(time, {
          call: async ({ ms = 1 }, { cwd }) => {
            workingDirs.push(cwd)
            await time.sleep(ms)
            return { data: 'done' }
          },
        }),
        createTimedTool(time, {
          name: 'Cd',
          resources: () => ({ reads: [{ path: '/r/other' }], writes: [{ thing: 'shell:cwd' }] }),
          call: async () => ({ data: 'moved', contextModifier: (context) => ({ ...context, cwd: '/r/sub' }) }),
        }),
      ],
    })
    const slowInput = { ms: 5, resources: { reads: [{ path: '/r/slow' }] } }
    addAll(
      run,
      [slowInput, {}, createWritingInput('/r/sub/x'), createWritingInput('x'), createWritingInput('/r/sub/x')],
      ['Timed', 'Cd'],
    )
    run.end()
    await settle()
    expect(started).toEqual([0, 1, 2])

    await runToEnd(clock)
    expect(started).toEqual([0, 1, 2, 3, 4])
    expect(workingDirs).toEqual(['/r', '/r', '/r/sub', '/r/sub'])
  })

  test('are resolved in call order, even if a schema must be loaded first', async () => {
    let load = () => {}
    const schemaLoaded = new Promise<void>((resolve) => {
      load = resolve
    })
    const { run, clock, started } = openFixtureRun({
      makeTools: (time) => {
        const tool = createTimedTool(time)
        const standardSchema = tool.inputSchema['~standard']
        const validate = async (value: unknown) => {
          await schemaLoaded
          return standardSchema.validate(value)
        }
        return [
          tool,
          createTimedTool(time, { name: 'Late', inputSchema: { '~standard': { ...standardSchema, validate } } }),
        ]
      },
    })
    addAll(run, [createWritingInput('/r/x'), createWritingInput('/r/x'), createWritingInput('/r/y')], ['Late'])
    run.end()
    await settle()
    expect(started).toEqual([])

    load()
    await settle()
    expect(started).toEqual([0, 2])
    await runToEnd(clock)
    expect(started).toEqual([0, 2, 1])
  })
})

describe('a call whose input is changed by a hook', () => {
  /** Hooks that change the input with the text `change`, and delay the input with the text `late`. */
  const createHooks = (to: TimedInput, release = Promise.resolve()) => {
    const run: HookFunction = async ({ tool_input }) => {
      const { text } = tool_input as TimedInput
      if (text === 'late') await release
      if (text !== 'change') return undefined
      return { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { ms: 1, ...to } } }
    }
    return { PreToolUse: [{ hooks: [{ type: 'function' as const, run }] }] }
  }

  test('waits for earlier calls and delays later ones if it uses more resources', async () => {
    const { run, clock, started } = openFixtureRun({
      hooks: createHooks(createWritingInput('/r/b')),
      scheduling: { maxConcurrency: 2 },
    })
    addAll(run, [
      { ...createWritingInput('/r/b'), ms: 5 },
      { ...createWritingInput('/r/a'), text: 'change' },
      createWritingInput('/r/c'),
    ])
    run.end()
    await settle()
    expect(started).toEqual([0])

    await runToEnd(clock)
    expect(started).toEqual([0, 1, 2])
  })

  test('delays later calls that have started but whose tool does not run yet', async () => {
    let release = () => {}
    const releasePromise = new Promise<void>((resolve) => {
      release = resolve
    })
    const { run, clock, started } = openFixtureRun({ hooks: createHooks(createWritingInput('/r/b'), releasePromise) })
    addAll(run, [
      { ...createWritingInput('/r/a'), text: 'change' },
      { ...createWritingInput('/r/b'), text: 'late' },
    ])
    run.end()
    await settle()
    release()
    await settle()
    expect(started).toEqual([0])

    await runToEnd(clock)
    expect(started).toEqual([0, 1])
  })

  test('continues at once if it uses fewer resources', async () => {
    const { run, clock, started } = openFixtureRun({ hooks: createHooks(createWritingInput('/r/a/b')) })
    addAll(run, [
      { ...createWritingInput('/r/b'), ms: 5 },
      { ...createWritingInput('/r/a'), text: 'change' },
      createWritingInput('/r/c'),
    ])
    run.end()
    await settle()

    expect(started).toContain(1)
    await runToEnd(clock)
  })
})

describe('questions', () => {
  const createAskingOptions = (askedIds: string[], answer: () => Promise<{ behavior: 'allow' | 'deny' }>) => ({
    permissions: { mode: 'default' as const, allow: ['Timed'] },
    ask: ({ toolUseId }: { toolUseId: string }) => {
      askedIds.push(toolUseId)
      return answer()
    },
    makeTools: (clock: FixtureClock) => [
      createTimedTool(clock),
      createTimedTool(clock, { name: 'Asks', checkPermissions: () => ({ behavior: 'ask', message: 'May I?' }) }),
    ],
  })
  const allow = async () => ({ behavior: 'allow' as const })

  test('are asked in call order, even if an earlier call must wait for another call', async () => {
    const askedIds: string[] = []
    const { run, clock } = openFixtureRun(createAskingOptions(askedIds, allow))
    addAll(
      run,
      [{ ...createWritingInput('/r/a'), ms: 5 }, createWritingInput('/r/a'), createWritingInput('/r/b')],
      ['Timed', 'Asks', 'Asks'],
    )
    run.end()
    await settle()
    expect(askedIds).toEqual([])

    await runToEnd(clock)
    expect(askedIds).toEqual(['call-1', 'call-2'])
  })

  test('occupy no slot, so that other calls continue', async () => {
    const { run, clock, started } = openFixtureRun({
      ...createAskingOptions([], () => new Promise(() => {})),
      scheduling: { maxConcurrency: 1 },
    })
    addAll(run, [{ isSafe: true }, { isSafe: true }, { isSafe: true }], ['Asks'])
    run.end()
    await runToEnd(clock)
    expect(started).toEqual([1, 2])

    run.cancel({ type: 'aborted' })
    expect(await readCodes(run)).toEqual(['cancelled', 'ok', 'ok'])
  })

  test('are abandoned when their call is cancelled, even if the user interface never answers', async () => {
    const askedIds: string[] = []
    const { run, clock } = openFixtureRun(
      createAskingOptions(askedIds, () => (askedIds.length === 1 ? new Promise(() => {}) : allow())),
    )
    addAll(run, [{ isSafe: true }, { isSafe: true }], ['Asks', 'Asks'])
    run.end()
    await settle()
    expect(askedIds).toEqual(['call-0'])

    run.interrupt()
    expect(await readCodes(run)).toEqual(['cancelled', 'cancelled'])
    await runToEnd(clock)
    expect(askedIds).toEqual(['call-0'])
  })
})

describe('events', () => {
  test('of an abandoned tool are dropped after the end of its call', async () => {
    let reportLate = () => {}
    const { run, events } = openFixtureRun({
      makeTools: (clock) => [
        createTimedTool(clock, {
          call: (_, __, ___, ____, onProgress) => {
            reportLate = () => onProgress?.('late')
            return new Promise(() => {})
          },
        }),
      ],
    })
    addAll(run, [{}])
    await settle()
    run.cancel({ type: 'aborted' })
    run.end()
    expect(await readCodes(run)).toEqual(['abandoned'])
    reportLate()

    expect(events.at(-1)?.type).toBe('call-ended')
  })

  test('are delivered once to each reader, and end with the message', async () => {
    const { run, clock, events } = openFixtureRun()
    addAll(run, [{ isSafe: true }, {}])
    run.end()
    await runToEnd(clock)

    const readEvents = []
    for await (const event of run) readEvents.push(event)

    expect(readEvents).toEqual(events)
  })

  test('let a listener cancel the run that emits them', async () => {
    const listenerState: { run?: CallRun } = {}
    const { runtime } = openFixtureRun({
      onEvent: ({ type }) => type === 'call-started' && listenerState.run?.cancel({ type: 'aborted' }),
    })
    const run = runtime.open()
    listenerState.run = run
    addAll(run, [{}, {}, { isSafe: true }])
    run.end()

    expect(await readCodes(run)).toEqual(['cancelled', 'cancelled', 'cancelled'])
  })
})

test('context modifiers take effect in call order, once all earlier calls have ended', async () => {
  const workingDirs: string[] = []
  const { run, clock, runtime } = openFixtureRun({
    makeTools: (time) => [
      createTimedTool(time, {
        call: async ({ ms = 1, text }, { cwd }) => {
          workingDirs.push(cwd)
          await time.sleep(ms)
          return { data: text, contextModifier: (context) => ({ ...context, cwd: `${context.cwd}/${text}` }) }
        },
      }),
    ],
  })
  addAll(run, [{ isSafe: true, ms: 9, text: 'a' }, { isSafe: true, ms: 1, text: 'b' }, { text: 'c' }, { text: 'd' }])
  run.end()
  await runToEnd(clock)

  expect(workingDirs).toEqual(['/r', '/r', '/r/a/b', '/r/a/b/c'])
  expect(runtime.cwd).toBe('/r/a/b/c/d')
})
