import { expect, test } from 'vitest'
import { QuestionOrder } from './questions.js'

const never = new AbortController().signal
const settled = () => new Promise(setImmediate)

/** Records the questions that are asked. Each waits until the test answers it. */
function questions() {
  const order = new QuestionOrder()
  const askedIndexes: number[] = []
  const answers = new Map<number, (text: string) => void>()
  const ask = (index: number, signal = never) =>
    order.ask(
      index,
      () => {
        askedIndexes.push(index)
        return new Promise<string>((resolve) => answers.set(index, resolve))
      },
      signal,
    )
  return { order, askedIndexes, ask, answer: (index: number) => answers.get(index)?.('yes') }
}

test('questions are asked one at a time and in call order', async () => {
  const { order, askedIndexes, ask, answer } = questions()
  const asked = [2, 0, 1].map((index) => ask(index).finally(() => order.decided(index)))
  await settled()
  expect(askedIndexes).toEqual([0])

  for (const index of [0, 1, 2]) {
    answer(index)
    await settled()
  }

  expect(askedIndexes).toEqual([0, 1, 2])
  await expect(Promise.all(asked)).resolves.toEqual(['yes', 'yes', 'yes'])
})

test('a question waits for earlier calls that may still ask', async () => {
  const { order, askedIndexes, ask } = questions()
  ask(2)
  order.decided(0)
  await settled()
  expect(askedIndexes).toEqual([])

  order.decided(1)
  await settled()
  expect(askedIndexes).toEqual([2])
})

test('a decided call asks for nested calls without waiting for itself', async () => {
  const { order, askedIndexes, ask } = questions()
  order.decided(0)
  ask(0)
  await settled()

  expect(askedIndexes).toEqual([0])
})

test('a call that is cancelled while it waits does not block later questions', async () => {
  const { order, askedIndexes, ask, answer } = questions()
  const controller = new AbortController()
  const first = ask(0)
  const second = ask(1, controller.signal).finally(() => order.decided(1))
  ask(2)

  controller.abort(new Error('gone'))
  await expect(second).rejects.toThrow('gone')
  answer(0)
  await first
  order.decided(0)
  await settled()

  expect(askedIndexes).toEqual([0, 2])
})

test('a question is abandoned when its call is cancelled, and the next one is asked', async () => {
  const { order, askedIndexes, ask } = questions()
  const controller = new AbortController()
  const first = ask(0, controller.signal).finally(() => order.decided(0))
  ask(1)

  controller.abort(new Error('gone'))

  await expect(first).rejects.toThrow('gone')
  await settled()
  expect(askedIndexes).toEqual([0, 1])
})

test('a call that was cancelled before never asks', async () => {
  const { askedIndexes, ask } = questions()

  await expect(ask(0, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
  expect(askedIndexes).toEqual([])
})

test('a question that fails lets the next one start', async () => {
  const { order, askedIndexes, ask } = questions()
  const failing = order.ask(
    0,
    () => {
      throw new Error('no screen')
    },
    never,
  )
  await expect(failing).rejects.toThrow('no screen')
  order.decided(0)
  ask(1)
  await settled()

  expect(askedIndexes).toEqual([1])
})
