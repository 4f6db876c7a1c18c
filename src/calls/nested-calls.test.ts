import { afterEach, expect, test, vi } from 'vitest'
import type { CanUseTool, Tool } from '../contract/tool/tool.js'
import { fakeClock } from '../testing/fakes.js'
import { Cancellation } from './cancellation.js'
import { createFixtureTool, FixtureHost, type FixtureOptions, waitForever } from './fixture-host.js'

afterEach(() => void vi.useRealTimers())

/** Creates a tool that makes a nested call and returns the decision. */
const createWrapper = (ask: (canUseTool: CanUseTool) => Promise<unknown>) =>
  createFixtureTool({ name: 'Wrap', call: async (_input, _context, canUseTool) => ({ data: await ask(canUseTool) }) })

async function decide(innerTool: Tool, input: unknown, options: FixtureOptions = {}) {
  const host = new FixtureHost({ tools: [innerTool, createWrapper((canUse) => canUse(innerTool, input))], ...options })
  const { block } = await host.run('Wrap', { text: 'x' })
  return { host, decision: JSON.parse(String(block.content).split('\n\n')[0] ?? '') }
}

const NoteTool = createFixtureTool({ name: 'Note', isReadOnly: () => false })

test('an allowed nested call returns its parsed input', async () => {
  const { decision } = await decide(createFixtureTool(), { text: 'a' })

  expect(decision).toEqual({ behavior: 'allow', updatedInput: { text: 'a' } })
})

test('a nested call is parsed, validated and decided like any other call', async () => {
  const refusingTool = createFixtureTool({
    validateInput: () => ({ result: false, message: 'Not that.', errorCode: 1 }),
  })

  expect((await decide(createFixtureTool(), { text: 5 })).decision.message).toContain('text: expected string')
  expect((await decide(refusingTool, { text: 'a' })).decision.message).toBe('Not that.')
  expect((await decide(NoteTool, { text: 'a' }, { deny: ['Note'] })).decision.message).toContain(
    'denies this call of Note',
  )
  expect((await decide(NoteTool, { text: 'a' })).decision.message).toContain('There is no user to ask')
})

test('hooks see a nested call and may change its input', async () => {
  const toolNames: unknown[] = []
  const { decision } = await decide(
    createFixtureTool(),
    { text: 'a' },
    {
      hooks: {
        PreToolUse: ({ tool_name }) => {
          toolNames.push(tool_name)
          return tool_name === 'Echo' ? { hookSpecificOutput: { updatedInput: { text: 'b' } } } : undefined
        },
      },
    },
  )

  expect({ toolNames, decision }).toEqual({
    toolNames: ['Wrap', 'Echo'],
    decision: { behavior: 'allow', updatedInput: { text: 'b' } },
  })
})

test('the user is asked about a nested call', async () => {
  const questions: unknown[] = []
  const { decision } = await decide(
    NoteTool,
    { text: 'a' },
    {
      ask: async ({ tool, input }) => {
        questions.push([tool.name, input])
        return { behavior: 'allow' }
      },
    },
  )

  expect({ questions, behavior: decision.behavior }).toEqual({
    questions: [['Note', { text: 'a' }]],
    behavior: 'allow',
  })
})

test('a nested call has the ports of its own tool', async () => {
  let hasClock: unknown
  const clock = fakeClock()
  const innerTool = createFixtureTool({
    needs: ['clock'],
    validateInput: (_: unknown, context: object) => {
      hasClock = 'clock' in context
      return { result: true as const }
    },
  })

  const { decision } = await decide(innerTool, { text: 'a' }, { ports: { clock } })

  expect({ hasClock, behavior: decision.behavior }).toEqual({ hasClock: true, behavior: 'allow' })
  expect((await decide(innerTool, { text: 'a' })).decision.message).toContain('which this host does not provide')
})

test('the files that a nested call will write are saved in a checkpoint', async () => {
  const saves: unknown[] = []
  const writeTool = createFixtureTool({
    name: 'Write',
    resources: () => ({ writes: [{ path: 'a.txt' }] }),
    isReadOnly: () => false,
  })

  await decide(
    writeTool,
    { text: 'a' },
    {
      allow: ['Write'],
      ports: { checkpoints: { save: async (...args) => void saves.push(args), settle: async () => {} } },
    },
  )

  const options = expect.objectContaining({ unknown: false, title: 'Write' })
  expect(saves).toEqual([['toolu_1', ['/project/a.txt'], options]])
})

test('a tool can call another tool that is hidden from the model, if the host has it', async () => {
  const hiddenTool = createFixtureTool({ name: 'Hidden' })
  const outerTool = createWrapper((canUse) => canUse(hiddenTool, { text: 'a' }))

  const knownOutcome = await new FixtureHost({ tools: [outerTool], absentTools: [hiddenTool] }).run('Wrap', {
    text: 'x',
  })
  const unknownOutcome = await new FixtureHost({ tools: [outerTool] }).run('Wrap', { text: 'x' })

  expect(knownOutcome.block.content).toContain('"behavior":"allow"')
  expect(unknownOutcome.block.content).toContain('There is no tool')
})

test('a tool cannot call a disabled tool', async () => {
  const disabledTool = createFixtureTool({ name: 'Off', isEnabled: () => false })
  const outerTool = createWrapper((canUse) => canUse(disabledTool, { text: 'a' }))

  const { block } = await new FixtureHost({ tools: [outerTool], absentTools: [disabledTool] }).run('Wrap', {
    text: 'x',
  })

  expect(block.content).toContain('switched off')
})

test('a nested call of an unregistered tool is denied, even if a registered tool has its name', async () => {
  const otherEcho = createFixtureTool({ name: 'Echo' })
  const outerTool = createWrapper((canUse) => canUse(otherEcho, { text: 'a' }))

  const { block } = await new FixtureHost({ tools: [outerTool, createFixtureTool()] }).run('Wrap', { text: 'x' })

  expect(block.content).toContain('is not the registered tool of that name')
})

test.each([[null], [undefined], [{}]])('a nested call of %j is denied and does not throw', async (tool) => {
  const outerTool = createWrapper((canUse) => canUse(tool as never, {}))

  const { block } = await new FixtureHost({ tools: [outerTool] }).run('Wrap', { text: 'x' })

  expect(block.content).toContain('"behavior":"deny"')
})

test('an abandoned tool cannot make nested calls', async () => {
  const cancellation = new Cancellation(1)
  let canUse: CanUseTool | undefined
  const questions: unknown[] = []
  const outerTool = createFixtureTool({
    name: 'Wrap',
    call: (_input, _context, canUseTool) => {
      canUse = canUseTool
      queueMicrotask(() => cancellation.cancel({ type: 'interrupted' }))
      return waitForever()
    },
  })
  const host = new FixtureHost({
    tools: [outerTool, NoteTool],
    ask: async (question) => {
      questions.push(question)
      return { behavior: 'allow' }
    },
  })
  await host.run('Wrap', { text: 'x' }, { cancellation })

  expect(await canUse?.(NoteTool, { text: 'a' })).toMatchObject({ behavior: 'deny' })
  expect(questions).toEqual([])
})

test('a tool that has returned cannot make nested calls', async () => {
  let canUse: CanUseTool | undefined
  const outerTool = createFixtureTool({
    name: 'Wrap',
    call: async (_input, _context, canUseTool) => {
      canUse = canUseTool
      return { data: 'done' }
    },
  })
  const innerTool = createFixtureTool()
  await new FixtureHost({ tools: [outerTool, innerTool] }).run('Wrap', { text: 'x' })

  expect(await canUse?.(innerTool, { text: 'a' })).toEqual({
    behavior: 'deny',
    message: 'Wrap has ended and can make no further calls.',
  })
})

test('hook feedback on a nested call is added to the outer result', async () => {
  const innerTool = createFixtureTool()
  const outerTool = createWrapper((canUse) => canUse(innerTool, { text: 'a' }))
  const { block } = await new FixtureHost({
    tools: [outerTool, innerTool],
    hooks: {
      PreToolUse: ({ tool_name }) =>
        tool_name === 'Echo' ? { hookSpecificOutput: { additionalContext: 'Careful.' } } : undefined,
    },
  }).run('Wrap', { text: 'x' })

  expect(block.content).toContain('<hook-feedback>\nCareful.\n</hook-feedback>')
})

/** Runs a tool with a time limit of 100 ms that works, asks, and works again. Each question is answered after 400 ms. */
async function workAndAsk(workMs: number, questionCount: number) {
  vi.useFakeTimers()
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  const tool = createFixtureTool({
    name: 'Wrap',
    timeoutMs: () => 100,
    call: async (_input, _context, canUseTool) => {
      await wait(workMs)
      await Promise.all(Array.from({ length: questionCount }, () => canUseTool(NoteTool, { text: 'a' })))
      await wait(workMs)
      return { data: 'done' }
    },
  })
  let lastAnswer: Promise<unknown> = Promise.resolve()
  const host = new FixtureHost({
    tools: [NoteTool, tool],
    graceMs: 1,
    ask: async () => {
      await wait(400)
      return { behavior: 'allow' }
    },
  })
  const askInTurn = <T>(_call: unknown, ask: () => Promise<T>) => {
    const answer = lastAnswer.then(ask)
    lastAnswer = answer
    return answer
  }
  const outcome = host.run('Wrap', { text: 'x' }, { askInTurn })
  await vi.advanceTimersByTimeAsync(5_000)
  return outcome
}

test.each([[1], [2]])(
  'the time that the user takes for %s questions does not count towards the time limit of the call',
  async (questionCount) => {
    expect((await workAndAsk(40, questionCount)).block.content).toBe('done')
  },
)

test('the time limit of a call resumes when the user has answered its question', async () => {
  expect((await workAndAsk(60, 1)).error?.code).toBe('abandoned')
})
