import { expect, test } from 'vitest'
import { createFixtureTool, FixtureHost, type FixtureOptions } from './fixture-host.js'

const ALL_STEPS = [
  ...['find', 'parse', 'validate', 'classify', 'pre-hooks', 'permission', 'checkpoint', 'call', 'post-hooks'],
  'serialise',
]

async function recordSteps(options: FixtureOptions, input: unknown = { text: 'x' }) {
  const steps: { name: string; isForward: boolean; waitedMs: number | undefined }[] = []
  const timer = {
    step: (_id: string, name: string, start: number, end: number, waitedMs?: number) =>
      void steps.push({ name, isForward: end >= start, waitedMs }),
  }
  const { block } = await new FixtureHost({ timer, ...options }).run('Echo', input)
  return { names: steps.map(({ name }) => name), steps, block }
}

test('the duration of every step of a call is reported once, in order', async () => {
  const { names, steps } = await recordSteps({})

  expect(names).toEqual(ALL_STEPS)
  expect(steps.every(({ isForward }) => isForward)).toBe(true)
})

test('the duration of asynchronous steps is reported once', async () => {
  const tool = createFixtureTool({
    validateInput: async () => ({ result: true }),
    checkPermissions: async (input) => ({ behavior: 'allow', updatedInput: input }),
  })
  const hooks = { PreToolUse: () => undefined, PostToolUse: () => undefined }

  expect((await recordSteps({ tools: [tool], hooks })).names).toEqual(ALL_STEPS)
})

test('a call that ends early reports only the steps that were run', async () => {
  expect((await recordSteps({}, { text: 5 })).names).toEqual(['find', 'parse'])
  expect((await recordSteps({ deny: ['Echo'] })).names).toEqual(ALL_STEPS.slice(0, 6))
})

test('a failed call reports the duration of its failure hooks', async () => {
  const tool = createFixtureTool({ call: async () => JSON.parse('{') })

  expect((await recordSteps({ tools: [tool] })).names).toEqual([...ALL_STEPS.slice(0, 8), 'failure-hooks'])
})

test('the time that the user took to answer is reported separately', async () => {
  const tool = createFixtureTool({ isReadOnly: () => false })
  const ask = async () => {
    const start = performance.now()
    while (performance.now() - start < 2) {
      // Waits actively, because the measured time must be greater than zero.
    }
    return { behavior: 'allow' } as const
  }

  const { steps } = await recordSteps({ tools: [tool], ask })

  const stepsWithWait = steps.filter(({ waitedMs }) => waitedMs !== undefined).map(({ name }) => name)
  expect(stepsWithWait).toEqual(['permission'])
})

test('a step timer that throws does not affect the call', async () => {
  const timer = {
    step() {
      throw new Error('no')
    },
  }

  expect((await new FixtureHost({ timer }).run('Echo', { text: 'x' })).block.content).toBe('x')
})
