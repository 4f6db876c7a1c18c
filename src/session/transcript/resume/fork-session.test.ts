import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  assistantMessage,
  callMessage,
  queuedEvent,
  resultMessage,
  sessionHome,
  startedEvent,
  userMessage,
  write,
} from '../../../testing/session-fixture.js'
import { readSession } from '../read/read-session.js'
import { forkSession } from './fork-session.js'

test('a copy continues separately, and the original is unchanged while another process has it open', async () => {
  const { home, projectRoot, open, resume } = await sessionHome()
  const first = open()
  write(first, userMessage('Hello'), callMessage('a'), queuedEvent('a'), startedEvent('a'), resultMessage('a'))
  const before = readFileSync(first.path ?? '')

  const paths = await forkSession(first.sessionId, { home, projectRoot })
  const { transcript, messages } = await resume(paths.id)
  write(transcript, assistantMessage('In the copy'))
  transcript.close()

  expect(messages).toEqual([userMessage('Hello'), callMessage('a'), resultMessage('a')])
  expect(readFileSync(first.path ?? '')).toEqual(before)
  write(first, assistantMessage('In the original'))
  first.close()
  expect((await resume(paths.id)).messages.at(-1)).toEqual(assistantMessage('In the copy'))
  expect((await resume(first.sessionId)).messages.at(-1)).toEqual(assistantMessage('In the original'))
})

test('a copy of a copy uses the results folder that its messages refer to', async () => {
  const { home, projectRoot, open, resume } = await sessionHome()
  const first = open()
  write(first, userMessage('Hello'))
  first.close()

  const copy = await forkSession(first.sessionId, { home, projectRoot })
  const second = await forkSession(copy.id, { home, projectRoot })

  expect(readSession(second).start).toMatchObject({ id: second.id, forkedFrom: copy.id, resultsOf: first.sessionId })
  expect((await resume(second.id)).transcript.resultsFolder).toBe(first.resultsFolder)
})

test('a missing session cannot be copied', async () => {
  const { home, projectRoot } = await sessionHome()

  await expect(forkSession('nothing', { home, projectRoot })).rejects.toThrow(/no session nothing/)
})
