import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { sessionHome, userMessage, write } from '../../../testing/session-fixture.js'
import { forkSession } from '../resume/fork-session.js'
import type { Transcript } from '../write/transcript.js'
import { cleanUpSessions, cleanUpWhenDue } from './clean-up-sessions.js'

const DAY_MS = 24 * 60 * 60 * 1000
const now = Date.now()

/** Sets the time of the last write into the past. */
function age(transcript: Transcript, days: number): void {
  const then = (now - days * DAY_MS) / 1000
  const attached = join(dirname(transcript.path ?? ''), transcript.sessionId)
  const folders = [attached, transcript.resultsFolder ?? ''].filter((folder) => existsSync(folder))
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  for (const path of [transcript.path ?? '', ...files, ...folders.toReversed()]) utimesSync(path, then, then)
}

async function sessions() {
  const fixture = await sessionHome()
  const session = (days: number): Transcript => {
    const transcript = fixture.open()
    write(transcript, userMessage('Hello'))
    mkdirSync(transcript.resultsFolder ?? '', { recursive: true })
    writeFileSync(join(transcript.resultsFolder ?? '', 'a.txt'), 'result')
    transcript.close()
    age(transcript, days)
    return transcript
  }
  const exists = ({ path, resultsFolder }: Transcript) => [existsSync(path ?? ''), existsSync(resultsFolder ?? '')]
  return { ...fixture, session, exists }
}

test('removes only sessions unused for 30 days, and their results', async () => {
  const { home, session, exists } = await sessions()
  const [old, recent] = [session(31), session(29)]

  const { removed, problems } = await cleanUpSessions({ home, now })

  expect([removed, problems]).toEqual([[old.sessionId], []])
  expect([exists(old), exists(recent)]).toEqual([
    [false, false],
    [true, true],
  ])
})

test('uses the period from the settings', async () => {
  const { home, session, exists } = await sessions()
  const [old, recent] = [session(8), session(6)]

  await cleanUpSessions({ home, now, days: 7 })

  expect([exists(old), exists(recent)]).toEqual([
    [false, false],
    [true, true],
  ])
})

test('keeps open sessions of any age, and sessions with newer results', async () => {
  const { home, session, exists, resume } = await sessions()
  const [open, used] = [session(40), session(40)]
  const resumed = await resume(open.sessionId)
  age(open, 40)
  writeFileSync(join(used.resultsFolder ?? '', 'b.txt'), 'new')

  expect((await cleanUpSessions({ home, now })).removed).toEqual([])
  resumed.transcript.close()
  age(open, 40)
  expect((await cleanUpSessions({ home, now })).removed).toEqual([open.sessionId])
  expect(exists(used)).toEqual([true, true])
})

test('keeps the results of a removed session while a copy still needs them', async () => {
  const { home, projectRoot, session, exists } = await sessions()
  const original = session(40)
  const copy = await forkSession(original.sessionId, { home, projectRoot })
  age(original, 40)

  await cleanUpSessions({ home, now })
  expect(exists(original)).toEqual([false, true])

  await cleanUpSessions({ home, now: now + 32 * DAY_MS })
  expect([exists(original), existsSync(copy.transcript)]).toEqual([[false, false], false])
})

test('removes an empty project folder and does not follow symbolic links', async () => {
  const { home, session } = await sessions()
  const old = session(40)
  const other = join(home, 'other')
  mkdirSync(other)
  writeFileSync(join(other, 'file'), '')
  utimesSync(join(other, 'file'), 1, 1)
  symlinkSync(other, join(home, '.haft', 'projects', 'linked'))

  await cleanUpSessions({ home, now })

  expect(existsSync(dirname(old.path ?? ''))).toBe(false)
  expect(statSync(join(other, 'file')).isFile()).toBe(true)
})

test('runs at most once a day', async () => {
  const { home, session, exists } = await sessions()
  expect((await cleanUpWhenDue({ home, now }))?.removed).toEqual([])
  const old = session(40)

  expect(await cleanUpWhenDue({ home, now: now + DAY_MS / 2 })).toBeUndefined()
  expect(exists(old)).toEqual([true, true])
  expect((await cleanUpWhenDue({ home, now: now + DAY_MS }))?.removed).toEqual([old.sessionId])
  expect(await cleanUpWhenDue({ home: undefined })).toBeUndefined()
})
