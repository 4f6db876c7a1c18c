import { existsSync, mkdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { mountUntilTestEnd, needsMount, testMount } from '../src/testing/files/mounts.js'
import {
  createAssistantMessage,
  createCallMessage,
  createQueuedEvent,
  createSessionHome,
  createUserMessage,
  write,
} from '../src/testing/session-fixture.js'

testMount(`a session continues in a read-only home folder${needsMount}`, async () => {
  const { home, open, problems } = await createSessionHome()
  mountUntilTestEnd(['-t', 'tmpfs', '-o', 'ro', 'tmpfs', home], home)
  const transcript = open('chosen')
  write(transcript, createUserMessage('Hello'), createAssistantMessage('Hi'))
  transcript.close()

  expect(problems).toEqual([expect.stringMatching(/EROFS/)])
})

testMount(
  `a session on a full disk loses no earlier entry and writes the rest when space is free again${needsMount}`,
  async () => {
    const { home, open, resume, problems } = await createSessionHome()
    mountUntilTestEnd(['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', home], home)
    const transcript = open()
    write(transcript, createUserMessage('Hello'), createCallMessage('a'), createQueuedEvent('a'))
    const { bavail, bsize } = statfsSync(home)
    mkdirSync(join(home, 'ballast'))
    writeFileSync(join(home, 'ballast', 'file'), Buffer.alloc((bavail - 1) * bsize))
    const transcriptBefore = readFileSync(transcript.path ?? '', 'utf8')

    const texts = Array.from({ length: 40 }, (_, turn) => `${turn} ${'x'.repeat(997)}`)
    for (const text of texts) write(transcript, createUserMessage(text))
    expect(problems).toEqual([expect.stringMatching(/ENOSPC/)])
    expect(readFileSync(transcript.path ?? '', 'utf8').startsWith(transcriptBefore)).toBe(true)
    expect(existsSync((transcript.path ?? '').replace('.jsonl', '.gap'))).toBe(true)

    await rm(join(home, 'ballast'), { recursive: true })
    write(transcript, createUserMessage('Room'))
    transcript.close()
    expect(existsSync((transcript.path ?? '').replace('.jsonl', '.gap'))).toBe(false)
    const { messages, transcript: resumedTranscript } = await resume(transcript.sessionId)
    resumedTranscript.close()
    const userContents = messages.flatMap((message) => (message.type === 'user' ? [message.content] : []))
    expect(userContents.filter((content) => typeof content === 'string')).toEqual(['Hello', ...texts, 'Room'])
  },
)
