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
  const firstTranscript = open()
  write(
    firstTranscript,
    createUserMessage('Hello'),
    createCallMessage('a'),
    createQueuedEvent('a'),
    createStartedEvent('a'),
    createResultMessage('a'),
  )
  const contentBefore = readFileSync(firstTranscript.path ?? '')

  const paths = await forkSession(firstTranscript.sessionId, { home, projectRoot })
  const { transcript, messages } = await resume(paths.id)
  write(transcript, createAssistantMessage('In the copy'))
  transcript.close()

  expect(messages).toEqual([createUserMessage('Hello'), createCallMessage('a'), createResultMessage('a')])
  expect(readFileSync(firstTranscript.path ?? '')).toEqual(contentBefore)
  write(firstTranscript, createAssistantMessage('In the original'))
  firstTranscript.close()
  expect((await resume(paths.id)).messages.at(-1)).toEqual(createAssistantMessage('In the copy'))
  expect((await resume(firstTranscript.sessionId)).messages.at(-1)).toEqual(createAssistantMessage('In the original'))
})

test('a copy of a copy uses the results folder that its messages refer to', async () => {
  const { home, projectRoot, open, resume } = await createSessionHome()
  const firstTranscript = open()
  write(firstTranscript, createUserMessage('Hello'))
  firstTranscript.close()

  const forkedSession = await forkSession(firstTranscript.sessionId, { home, projectRoot })
  const secondFork = await forkSession(forkedSession.id, { home, projectRoot })

  expect(readSession(secondFork).start).toMatchObject({
    id: secondFork.id,
    forkedFrom: forkedSession.id,
    resultsOf: firstTranscript.sessionId,
  })
  expect((await resume(secondFork.id)).transcript.resultsFolder).toBe(firstTranscript.resultsFolder)
})

test('a missing session cannot be copied', async () => {
  const { home, projectRoot } = await createSessionHome()

  await expect(forkSession('nothing', { home, projectRoot })).rejects.toThrow(/no session nothing/)
})
