import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  createAssistantMessage,
  createCallMessage,
  createQueuedEvent,
  createResultMessage,
  createSessionHome,
  createStartedEvent,
  createUserMessage,
  write,
} from '../../../testing/session-fixture.js'
import { readSession } from '../read/read-session.js'
import { forkSession } from './fork-session.js'

test('a copy continues separately, and the original is unchanged while another process has it open', async () => {
  const { home, projectRoot, open, resume } = await createSessionHome()
  const first = open()
  write(
    first,
    createUserMessage('Hello'),
    createCallMessage('a'),
    createQueuedEvent('a'),
    createStartedEvent('a'),
    createResultMessage('a'),
  )
  const before = readFileSync(first.path ?? '')

  const paths = await forkSession(first.sessionId, { home, projectRoot })
  const { transcript, messages } = await resume(paths.id)
  write(transcript, createAssistantMessage('In the copy'))
  transcript.close()

  expect(messages).toEqual([createUserMessage('Hello'), createCallMessage('a'), createResultMessage('a')])
  expect(readFileSync(first.path ?? '')).toEqual(before)
  write(first, createAssistantMessage('In the original'))
  first.close()
  expect((await resume(paths.id)).messages.at(-1)).toEqual(createAssistantMessage('In the copy'))
  expect((await resume(first.sessionId)).messages.at(-1)).toEqual(createAssistantMessage('In the original'))
})

test('a copy of a copy uses the results folder that its messages refer to', async () => {
  const { home, projectRoot, open, resume } = await createSessionHome()
  const first = open()
  write(first, createUserMessage('Hello'))
  first.close()

  const copy = await forkSession(first.sessionId, { home, projectRoot })
  const second = await forkSession(copy.id, { home, projectRoot })

  expect(readSession(second).start).toMatchObject({ id: second.id, forkedFrom: copy.id, resultsOf: first.sessionId })
  expect((await resume(second.id)).transcript.resultsFolder).toBe(first.resultsFolder)
})

test('a missing session cannot be copied', async () => {
  const { home, projectRoot } = await createSessionHome()

  await expect(forkSession('nothing', { home, projectRoot })).rejects.toThrow(/no session nothing/)
})
