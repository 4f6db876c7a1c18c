import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createSessionHome, createUserMessage, write } from '../../../testing/session-fixture.js'
import { forkSession } from '../resume/fork-session.js'
import { SessionPaths } from '../storage/session-paths.js'
import type { Transcript } from '../write/transcript.js'
import { cleanUpSessions, cleanUpWhenDue, deleteSession } from './clean-up-sessions.js'
import { listAllSessions } from './list-sessions.js'

const DAY_MS = 24 * 60 * 60 * 1000
const now = Date.now()

/** Sets the time of the last write into the past. */
function setAge(transcript: Transcript, days: number): void {
  const time = (now - days * DAY_MS) / 1000
  const attachedFolder = join(dirname(transcript.path ?? ''), transcript.sessionId)
  const folders = [attachedFolder, transcript.resultsFolder ?? ''].filter((folder) => existsSync(folder))
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  for (const path of [transcript.path ?? '', ...files, ...folders.toReversed()]) utimesSync(path, time, time)
}

async function createFixture() {
  const fixture = await createSessionHome()
  const createSession = (days: number): Transcript => {
    const transcript = fixture.open()
    write(transcript, createUserMessage('Hello'))
    mkdirSync(transcript.resultsFolder ?? '', { recursive: true })
    writeFileSync(join(transcript.resultsFolder ?? '', 'a.txt'), 'result')
    transcript.close()
    setAge(transcript, days)
    return transcript
  }
  const checkExistence = ({ path, resultsFolder }: Transcript) => [
    existsSync(path ?? ''),
    existsSync(resultsFolder ?? ''),
  ]
  return { ...fixture, createSession, existence: checkExistence }
}

test('the clean-up removes only sessions unused for 30 days, and their results', async () => {
  const { home, createSession, existence } = await createFixture()
  const [oldSession, recentSession] = [createSession(31), createSession(29)]

  const { removed, problems } = await cleanUpSessions({ home, now })

  expect([removed, problems]).toEqual([[oldSession.sessionId], []])
  expect([existence(oldSession), existence(recentSession)]).toEqual([
    [false, false],
    [true, true],
  ])
})

test('the clean-up uses the period from the settings', async () => {
  const { home, createSession, existence } = await createFixture()
  const [oldSession, recentSession] = [createSession(8), createSession(6)]

  await cleanUpSessions({ home, now, days: 7 })

  expect([existence(oldSession), existence(recentSession)]).toEqual([
    [false, false],
    [true, true],
  ])
})

test('the clean-up keeps open sessions of any age, and sessions with newer results', async () => {
  const { home, createSession, existence, resume } = await createFixture()
  const [openSession, usedSession] = [createSession(40), createSession(40)]
  const resumedSession = await resume(openSession.sessionId)
  setAge(openSession, 40)
  writeFileSync(join(usedSession.resultsFolder ?? '', 'b.txt'), 'new')

  expect((await cleanUpSessions({ home, now })).removed).toEqual([])
  resumedSession.transcript.close()
  setAge(openSession, 40)
  expect((await cleanUpSessions({ home, now })).removed).toEqual([openSession.sessionId])
  expect(existence(usedSession)).toEqual([true, true])
})

test('the clean-up keeps the results of a removed session while a copy still needs them', async () => {
  const { home, projectRoot, createSession, existence } = await createFixture()
  const originalSession = createSession(40)
  const forkedSession = await forkSession(originalSession.sessionId, { home, projectRoot })
  setAge(originalSession, 40)

  await cleanUpSessions({ home, now })
  expect(existence(originalSession)).toEqual([false, true])

  await cleanUpSessions({ home, now: now + 32 * DAY_MS })
  expect([existence(originalSession), existsSync(forkedSession.transcript)]).toEqual([[false, false], false])
})

test('the clean-up removes an empty project folder and does not follow symbolic links', async () => {
  const { home, createSession } = await createFixture()
  const oldSession = createSession(40)
  const otherFolder = join(home, 'other')
  mkdirSync(otherFolder)
  writeFileSync(join(otherFolder, 'file'), '')
  utimesSync(join(otherFolder, 'file'), 1, 1)
  symlinkSync(otherFolder, join(home, '.haft', 'projects', 'linked'))

  await cleanUpSessions({ home, now })

  expect(existsSync(dirname(oldSession.path ?? ''))).toBe(false)
  expect(statSync(join(otherFolder, 'file')).isFile()).toBe(true)
})

test('the clean-up runs at most once a day', async () => {
  const { home, createSession, existence } = await createFixture()
  await cleanUpWhenDue({ home, now: now - 8 * DAY_MS })
  expect((await cleanUpWhenDue({ home, now }))?.removed).toEqual([])
  const oldSession = createSession(40)

  expect(await cleanUpWhenDue({ home, now: now + DAY_MS / 2 })).toBeUndefined()
  expect(existence(oldSession)).toEqual([true, true])
  expect((await cleanUpWhenDue({ home, now: now + DAY_MS }))?.removed).toEqual([oldSession.sessionId])
  expect(await cleanUpWhenDue({ home: undefined })).toBeUndefined()
})

test('one start with a clock in 2040 removes no session', async () => {
  const { home, createSession, existence } = await createFixture()
  const session = createSession(1)
  await cleanUpWhenDue({ home, now: now - 8 * DAY_MS })
  await cleanUpWhenDue({ home, now: now - DAY_MS })

  expect(await cleanUpWhenDue({ home, now: Date.UTC(2040, 0, 1) })).toBeUndefined()
  await cleanUpWhenDue({ home, now })

  expect(existence(session)).toEqual([true, true])
})

test('a deleted session is gone with its results, unless a fork needs these', async () => {
  const { home, projectRoot, createSession, existence } = await createFixture()
  const [session, forkedSession] = [createSession(1), createSession(1)]
  await forkSession(forkedSession.sessionId, { home, projectRoot })

  await deleteSession(SessionPaths.fromFile(session.path ?? ''))
  await deleteSession(SessionPaths.fromFile(forkedSession.path ?? ''))

  expect([existence(session), existence(forkedSession)]).toEqual([
    [false, false],
    [false, true],
  ])
  expect(await listAllSessions(home)).toMatchObject([{ forkedFrom: forkedSession.sessionId }])
})

test('an open session cannot be deleted', async () => {
  const { open } = await createFixture()
  const transcript = open()
  write(transcript, createUserMessage('Hello'))

  await expect(deleteSession(SessionPaths.fromFile(transcript.path ?? ''))).rejects.toThrow(/open/)

  expect(existsSync(transcript.path ?? '')).toBe(true)
  transcript.close()
})
