import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import {
  createAssistantMessage,
  createSessionHome,
  createUserMessage,
  write,
} from '../../../testing/session-fixture.js'
import { continueLatest, listSessions } from './list-sessions.js'

test('the list contains the sessions of a project, newest first, with the beginning of the first prompt as title', async () => {
  const { home, projectRoot, open } = await createSessionHome()
  const firstTranscript = open()
  write(firstTranscript, createUserMessage(`Explain \u001b[31m${'this '.repeat(100)}`), createAssistantMessage('Yes.'))
  firstTranscript.close()
  const secondTranscript = open()
  write(
    secondTranscript,
    { type: 'attachment', kind: 'instructions', data: {} },
    createUserMessage('Fix it'),
    createAssistantMessage('x'.repeat(100_000)),
  )
  utimesSync(firstTranscript.path ?? '', 1, 1)

  const sessions = await listSessions(home, projectRoot)

  expect(sessions).toMatchObject([
    { id: secondTranscript.sessionId, title: 'Fix it', messages: 2, isOpen: true, cwd: projectRoot },
    { id: firstTranscript.sessionId, messages: 2, isOpen: false, lastAt: 1000 },
  ])
  expect(sessions[1]?.title).toMatch(/^Explain \\u001b\[31mthis .*…$/)
  expect(sessions[1]?.title?.length).toBe(100)
})

test('the list shows a title that was set later', async () => {
  const { home, projectRoot, open } = await createSessionHome()
  const transcript = open()
  write(transcript, createUserMessage('Hello'))
  transcript.setTitle('A better one')
  transcript.close()

  expect(await continueLatest(home, projectRoot)).toMatchObject({ title: 'A better one', messages: 1 })
})

test('the list counts the messages that remain after a rewrite', async () => {
  const { home, projectRoot, open } = await createSessionHome()
  const transcript = open()
  write(transcript, createUserMessage('1'), createAssistantMessage('2'), createUserMessage('3'))
  transcript.log.messagesRewritten([createUserMessage('summary')], 'compaction')

  expect(await continueLatest(home, projectRoot)).toMatchObject({ messages: 1 })
})

test('the list continues counting after a resume, and counts all messages of an older transcript', async () => {
  const { home, projectRoot, open, resume } = await createSessionHome()
  const note = { type: 'attachment', kind: 'instructions', data: {} } as const
  const transcript = open()
  write(transcript, note, createUserMessage('1'), createAssistantMessage('2'))
  transcript.close()
  const resumedSession = await resume(transcript.sessionId)
  write(resumedSession.transcript, note, createUserMessage('3'))
  resumedSession.transcript.close()
  expect(await continueLatest(home, projectRoot)).toMatchObject({ messages: 3 })

  const path = transcript.path ?? ''
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/,"spoken":\d+/g, ''))
  expect(await continueLatest(home, projectRoot)).toMatchObject({ messages: 5 })
  expect((await resume(transcript.sessionId)).messages).toHaveLength(5)
})

test('the list omits files that are not sessions', async () => {
  const { home, projectRoot, open } = await createSessionHome()
  const transcript = open()
  write(transcript, createUserMessage('Hello'))
  const folder = dirname(transcript.path ?? '')
  writeFileSync(join(folder, 'notes.txt'), '')
  writeFileSync(join(folder, '.hidden.jsonl'), '')
  mkdirSync(join(folder, 'folder.jsonl'))
  symlinkSync(transcript.path ?? '', join(folder, 'linked.jsonl'))
  writeFileSync(join(folder, 'garbage.jsonl'), Buffer.from([0, 255, 10, 123]))

  const sessions = await listSessions(home, projectRoot)

  expect(sessions.map(({ id }) => id)).toEqual([transcript.sessionId])
  expect(readFileSync(join(folder, 'garbage.jsonl')).length).toBe(4)
})

test('the list is empty without a home folder or saved sessions', async () => {
  const { home, projectRoot } = await createSessionHome()

  expect(await listSessions(undefined, projectRoot)).toEqual([])
  expect(await continueLatest(home, projectRoot)).toBeUndefined()
})
