import { expect, test } from 'vitest'
import { QuestionOrder } from './questions.js'

const neverAborted = new AbortController().signal
const settle = () => new Promise(setImmediate)

/** Records the questions that are asked. Each waits until the test answers it. */
function createQuestions() {
  const order = new QuestionOrder()
  const askedIndexes: number[] = []
  const answers = new Map<number, (text: string) => void>()
  const ask = (index: number, signal = neverAborted) =>
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
  const { order, askedIndexes, ask, answer } = createQuestions()
  const answers = [2, 0, 1].map((index) => ask(index).finally(() => order.markDecided(index)))
  await settle()
  expect(askedIndexes).toEqual([0])

  for (const index of [0, 1, 2]) {
    answer(index)
    await settle()
  }

  expect(askedIndexes).toEqual([0, 1, 2])
  await expect(Promise.all(answers)).resolves.toEqual(['yes', 'yes', 'yes'])
})

test('a question waits for earlier calls that may still ask', async () => {
  const { order, askedIndexes, ask } = createQuestions()
  ask(2)
  order.markDecided(0)
  await settle()
  expect(askedIndexes).toEqual([])

  order.markDecided(1)
  await settle()
  expect(askedIndexes).toEqual([2])
})

test('a call that was decided can ask about its nested calls at once', async () => {
  const { order, askedIndexes, ask } = createQuestions()
  order.markDecided(0)
  ask(0)
  await settle()

  expect(askedIndexes).toEqual([0])
})

test('a call that is cancelled while it waits does not block later questions', async () => {
  const { order, askedIndexes, ask, answer } = createQuestions()
  const controller = new AbortController()
  const first = ask(0)
  const second = ask(1, controller.signal).finally(() => order.markDecided(1))
  ask(2)

  controller.abort(new Error('gone'))
  await expect(second).rejects.toThrow('gone')
  answer(0)
  await first
  order.markDecided(0)
  await settle()

  expect(askedIndexes).toEqual([0, 2])
})

test('a question is abandoned when its call is cancelled, and the next one is asked', async () => {
  const { order, askedIndexes, ask } = createQuestions()
  const controller = new AbortController()
  const first = ask(0, controller.signal).finally(() => order.markDecided(0))
  ask(1)

  controller.abort(new Error('gone'))

  await expect(first).rejects.toThrow('gone')
  await settle()
  expect(askedIndexes).toEqual([0, 1])
})

test('a call that is already cancelled never asks', async () => {
  const { askedIndexes, ask } = createQuestions()

  await expect(ask(0, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
  expect(askedIndexes).toEqual([])
})

test('a question that fails lets the next one start', async () => {
  const { order, askedIndexes, ask } = createQuestions()
  const failingQuestion = order.ask(
    0,
    () => {
      throw new Error('no screen')
    },
    neverAborted,
  )
  await expect(failingQuestion).rejects.toThrow('no screen')
  order.markDecided(0)
  ask(1)
  await settle()

  expect(askedIndexes).toEqual([1])
})
