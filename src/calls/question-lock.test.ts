import { expect, test } from 'vitest'
import { QuestionLock } from './questions.js'

const waitForNextTurn = () => new Promise(setImmediate)

function createQuestions() {
  const lock = new QuestionLock()
  const askedNames: string[] = []
  const answers = new Map<string, () => void>()
  const ask = (name: string, signal = new AbortController().signal) =>
    lock.ask(() => {
      askedNames.push(name)
      return new Promise<string>((resolve) => answers.set(name, () => resolve(name)))
    }, signal)
  return { lock, askedNames, ask, answer: (name: string) => answers.get(name)?.() }
}

test('questions are asked one at a time, in order of arrival', async () => {
  const { askedNames, ask, answer } = createQuestions()
  const replies = ['one', 'two', 'three'].map((name) => ask(name))
  for (const [index, name] of ['one', 'two', 'three'].entries()) {
    await waitForNextTurn()
    expect(askedNames).toHaveLength(index + 1)
    answer(name)
  }

  expect(await Promise.all(replies)).toEqual(['one', 'two', 'three'])
})

test('an aborted question, waiting or open, lets the next one start', async () => {
  const { askedNames, ask, answer } = createQuestions()
  const [openController, waitingController] = [new AbortController(), new AbortController()]
  const rejections = Promise.allSettled([ask('one', openController.signal), ask('two', waitingController.signal)])
  const lastReply = ask('three')
  waitingController.abort('two is gone')
  openController.abort('one is gone')

  expect(await rejections).toEqual([
    { status: 'rejected', reason: 'one is gone' },
    { status: 'rejected', reason: 'two is gone' },
  ])
  await waitForNextTurn()
  answer('three')
  expect(await lastReply).toBe('three')
  expect(askedNames).toEqual(['one', 'three'])
})

test('a question that fails, or whose signal is already aborted, leaves the lock free', async () => {
  const { lock, ask, answer, askedNames } = createQuestions()
  await expect(lock.ask(() => Promise.reject(new Error('no screen')), new AbortController().signal)).rejects.toThrow()
  await expect(ask('gone', AbortSignal.abort('gone'))).rejects.toBe('gone')
  const reply = ask('next')
  answer('next')

  expect(await reply).toBe('next')
  expect(askedNames).toEqual(['next'])
})
