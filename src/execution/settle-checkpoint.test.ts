import { expect, test } from 'vitest'
import type { Tool } from '../contract/tool.js'
import { FixtureHost, fixtureTool } from './fixture-host.js'

async function told(members: Partial<Tool>, settle = async (): Promise<void> => {}) {
  const steps: string[] = []
  const checkpoints = {
    save: async (id: string) => void steps.push(`save ${id}`),
    settle: (id: string) => {
      steps.push(`settle ${id}`)
      return settle()
    },
  }
  const call = async () => {
    steps.push('call')
    return { data: 'x' }
  }
  const host = new FixtureHost({
    tools: [fixtureTool({ isReadOnly: () => false, call, ...members })],
    ask: async () => ({ behavior: 'allow' }),
    ports: { checkpoints },
  })
  const { error } = await host.run('Echo', { text: 'x' })
  return { steps, error }
}

test('a call that changed something is settled when it has ended', async () => {
  expect((await told({})).steps).toEqual(['save toolu_1', 'call', 'settle toolu_1'])
})

test('so is one that failed, since it may have changed something before', async () => {
  const { steps, error } = await told({
    call: async () => {
      throw new Error('halfway')
    },
  })

  expect([steps, error?.message]).toEqual([['save toolu_1', 'settle toolu_1'], 'halfway'])
})

test('one for which nothing was kept is not', async () => {
  expect((await told({ isReadOnly: () => true })).steps).toEqual(['call'])
})

test('a call is well although nobody could note what it left', async () => {
  expect((await told({}, () => Promise.reject(new Error('disk full')))).error).toBeUndefined()
})
