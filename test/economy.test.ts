import { describe, expect, test } from 'vitest'
import { countRequests } from '../bench/economy/count-requests.mjs'
import {
  compareWithTable,
  computeCachedShare,
  listCounts,
  listTasks,
  MAX_GROWTH,
  type Measured,
  readTable,
} from '../bench/economy/ledger.mjs'
import { playTask } from '../bench/economy/play-task.mjs'

const UPDATE = 'Run node bench/economy.mjs --update "REASON" to accept the new figures.'
/** The long form plays every task with both carriers. */
const isLong = process.env.HAFT_LONG_TESTS === '1'
const NATIVE_TASKS = ['extend-serializer']

const tasks = await listTasks()
const table = await readTable()

describe('the ledger', () => {
  test.each(tasks)(`the task %s costs at most ${MAX_GROWTH * 100}% more than the table says`, async (task) => {
    await expectWithinTable(task, 'portable')
  })

  test.each(isLong ? tasks : NATIVE_TASKS)('so does %s if the provider defers', async (task) => {
    await expectWithinTable(task, 'native')
  })

  test('has at least six tasks of 20 to 60 requests', () => {
    expect(tasks.length).toBeGreaterThanOrEqual(6)
    for (const { requests } of listCounts(table.tasks)) {
      expect(requests).toBeGreaterThanOrEqual(20)
      expect(requests).toBeLessThanOrEqual(60)
    }
  })

  test.each(['portable', 'native'])('at least 92% of all tokens are cached with the %s carrier', (carrier) => {
    expect(computeCachedShare(listCounts(table.tasks, carrier))).toBeGreaterThanOrEqual(0.92)
  })

  test('every change of the table has a reason', () => {
    expect(table.history.length).toBeGreaterThan(0)
    for (const { reason } of table.history) expect(reason.length).toBeGreaterThan(20)
  })
})

async function expectWithinTable(task: string, carrier: 'portable' | 'native'): Promise<void> {
  const measured: Measured = { [task]: { [carrier]: countRequests(await playTask(task, carrier)) } }
  for (const { name, tokens, limit } of compareWithTable(measured, table))
    expect(tokens, `${name}. ${UPDATE}`).toBeLessThanOrEqual(limit)
}

test('a part that is sent again counts as cached while everything before it is the same', () => {
  const message = (text: string) => ({ type: 'user', content: [{ type: 'text', text }] })
  const createRequest = (system: string, ...texts: string[]) => ({
    ...{ conversationId: 'a', tools: [], system: [system], messages: texts.map(message) },
  })

  const grown = countRequests([createRequest('rules', 'one'), createRequest('rules', 'one', 'two')])
  const changed = countRequests([createRequest('rules', 'one'), createRequest('other', 'one', 'two')])

  expect(grown).toMatchObject({ total: 5, cached: 2, largest: 3, first: 2, requests: 2 })
  expect(changed.cached).toBe(0)
})

test('a task that grew by more than the limit, and one that the table does not have, are over it', () => {
  const count = { requests: 1, first: 1, cached: 0, largest: 1, parts: {} }
  const known = { history: [], tasks: { a: { portable: { ...count, total: 1_000 } } } }
  const compare = (task: string, total: number) =>
    compareWithTable({ [task]: { portable: { ...count, total } } }, known).map(({ tokens, limit }) => tokens <= limit)

  expect([compare('a', 1_020), compare('a', 1_021), compare('b', 1)]).toEqual([[true], [false], [false]])
})
