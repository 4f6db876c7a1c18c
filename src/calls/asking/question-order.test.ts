import { expect, test } from 'vitest'
import { QuestionOrder } from './question-order.js'

const never = new AbortController().signal
const settled = () => new Promise(setImmediate)

/** Questions that write down when they are put, and wait until they are answered. */
function questions() {
  const turns = new QuestionOrder()
  const put: number[] = []
  const answers = new Map<number, (text: string) => void>()
  const ask = (index: number, signal = never) =>
    turns.ask(
      index,
      () => {
        put.push(index)
        return new Promise<string>((resolve) => answers.set(index, resolve))
      },
      signal,
    )
  return { turns, put, ask, answer: (index: number) => answers.get(index)?.('yes') }
}

test('questions are put one at a time and in call order', async () => {
  const { turns, put, ask, answer } = questions()
  const asked = [2, 0, 1].map((index) => ask(index).finally(() => turns.decided(index)))
  await settled()
  expect(put).toEqual([0])

  for (const index of [0, 1, 2]) {
    answer(index)
    await settled()
  }

  expect(put).toEqual([0, 1, 2])
  await expect(Promise.all(asked)).resolves.toEqual(['yes', 'yes', 'yes'])
})

test('a question waits for earlier calls that may still come to ask', async () => {
  const { turns, put, ask } = questions()
  ask(2)
  turns.decided(0)
  await settled()
  expect(put).toEqual([])

  turns.decided(1)
  await settled()
  expect(put).toEqual([2])
})

test('a call that is decided asks for its own calls without waiting for itself', async () => {
  const { turns, put, ask } = questions()
  turns.decided(0)
  ask(0)
  await settled()

  expect(put).toEqual([0])
})

test('a call that gives up waiting keeps nobody waiting', async () => {
  const { turns, put, ask, answer } = questions()
  const controller = new AbortController()
  const first = ask(0)
  const second = ask(1, controller.signal).finally(() => turns.decided(1))
  ask(2)

  controller.abort(new Error('gone'))
  await expect(second).rejects.toThrow('gone')
  answer(0)
  await first
  turns.decided(0)
  await settled()

  expect(put).toEqual([0, 2])
})

test('a question that is open when its call is cancelled is left, and the next one put', async () => {
  const { turns, put, ask } = questions()
  const controller = new AbortController()
  const first = ask(0, controller.signal).finally(() => turns.decided(0))
  ask(1)

  controller.abort(new Error('gone'))

  await expect(first).rejects.toThrow('gone')
  await settled()
  expect(put).toEqual([0, 1])
})

test('a question of a call that was cancelled before is never put', async () => {
  const { put, ask } = questions()

  await expect(ask(0, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
  expect(put).toEqual([])
})

test('a question that fails gives its turn on', async () => {
  const { turns, put, ask } = questions()
  const failing = turns.ask(
    0,
    () => {
      throw new Error('no screen')
    },
    never,
  )
  await expect(failing).rejects.toThrow('no screen')
  turns.decided(0)
  ask(1)
  await settled()

  expect(put).toEqual([1])
})
