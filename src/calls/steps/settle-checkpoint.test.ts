import { expect, test } from 'vitest'
import type { WorkEnd } from '../../contract/ports/tasks.js'
import type { Tool } from '../../contract/tool/tool.js'
import { Cancellation } from '../cancellation.js'
import { createDeferred, createFixtureTool, FixtureHost } from '../fixture-host.js'

async function runCall(members: Partial<Tool>, settle = async (): Promise<void> => {}, cancellation?: Cancellation) {
  const steps: string[] = []
  const checkpoints = {
    save: async (id: string) => void steps.push(`save ${id}`),
    settle: async (id: string, backgroundWork?: Promise<WorkEnd>) => {
      steps.push(`settle ${id}${backgroundWork === undefined ? '' : ' later'}`)
      if (backgroundWork !== undefined) steps.push(`ended ${JSON.stringify(await backgroundWork)}`)
      await settle()
    },
  }
  const call = async () => {
    steps.push('call')
    return { data: 'x' }
  }
  const host = new FixtureHost({
    tools: [createFixtureTool({ isReadOnly: () => false, call, ...members })],
    ask: async () => ({ behavior: 'allow' }),
    ports: { checkpoints },
  })
  const { error } = await host.run('Echo', { text: 'x' }, cancellation === undefined ? {} : { cancellation })
  return { steps, error }
}

test('the checkpoint of a call is settled when the call has ended', async () => {
  expect((await runCall({})).steps).toEqual(['save toolu_1', 'call', 'settle toolu_1'])
})

test('the checkpoint of a failed call is settled, because it may have changed something', async () => {
  const { steps, error } = await runCall({
    call: async () => {
      throw new Error('halfway')
    },
  })

  expect([steps, error?.message]).toEqual([['save toolu_1', 'settle toolu_1'], 'halfway'])
})

test('no checkpoint is settled for a call without one', async () => {
  expect((await runCall({ isReadOnly: () => true })).steps).toEqual(['call'])
})

test('a call succeeds even if its checkpoint cannot be settled', async () => {
  expect((await runCall({}, () => Promise.reject(new Error('disk full')))).error).toBeUndefined()
})

test('the checkpoint of background work is settled when the work ends, and the result does not wait for it', async () => {
  const work = createDeferred<WorkEnd>()

  const { steps } = await runCall({ call: async () => ({ data: 'x', backgroundWork: work.promise }) })
  expect(steps).toEqual(['save toolu_1', 'settle toolu_1 later'])

  work.resolve({ mayLeaveProcesses: true })
  await work.promise
  expect(steps.at(-1)).toBe('ended {"mayLeaveProcesses":true}')
})

test('the checkpoint of an abandoned call is settled when its tool ends', async () => {
  const cancellation = new Cancellation(0)
  const answer = createDeferred<{ data: string }>()
  const call = () => {
    cancellation.cancel({ type: 'aborted' })
    return answer.promise
  }

  const { steps, error } = await runCall({ call }, undefined, cancellation)
  expect([error?.code, steps]).toEqual(['abandoned', ['save toolu_1', 'settle toolu_1 later']])

  answer.resolve({ data: 'late' })
  await expect.poll(() => steps.at(-1)).toBe('ended {}')
})
