import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createTemporaryFolder } from '../../../testing/query-fixture.js'
import {
  createAssistantMessage,
  createCallMessage,
  createQueuedEvent,
  createSessionHome,
  createStartedEvent,
  createUserMessage,
  write,
} from '../../../testing/session-fixture.js'
import { openTranscript } from '../write/open-transcript.js'
import { TranscriptFile } from './transcript-file.js'

describe('TranscriptFile', () => {
  test('writes pending lines once and in order when the disk is writable again', async () => {
    const path = join(await createTemporaryFolder(), 'folder', 'lines')
    let isRefusing = true
    const problems: unknown[] = []
    const file = new TranscriptFile({
      path,
      prepare() {
        if (isRefusing) throw new Error('refused')
      },
      onProblem: (error) => problems.push(error),
    })
    for (const line of ['1', '2']) file.append(line)
    expect([existsSync(path), problems.length]).toEqual([false, 2])
    isRefusing = false
    file.append('3')
    file.close()

    expect(readFileSync(path, 'utf8')).toBe('1\n2\n3\n')
  })

  test('limits the pending lines and records how many were dropped', async () => {
    const path = join(await createTemporaryFolder(), 'lines')
    let isRefusing = true
    const file = new TranscriptFile({
      ...{ path, maxPendingChars: 10, onProblem() {} },
      prepare() {
        if (isRefusing) throw new Error('refused')
      },
    })
    for (const line of ['first', 'second', 'third']) file.append(line)
    isRefusing = false
    file.append('4')
    file.close()

    const lines = readFileSync(path, 'utf8').trim().split('\n')
    expect([lines[0], lines[2]]).toEqual(['first', '4'])
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ type: 'lines-lost', count: 2 })
  })

  test('starts a new line after a torn one', async () => {
    const path = join(await createTemporaryFolder(), 'lines')
    writeFileSync(path, 'whole\nto')
    const file = new TranscriptFile({ path, onProblem() {} })
    file.append('next')
    file.append('last')
    file.close()

    expect(readFileSync(path, 'utf8')).toBe('whole\nto\nnext\nlast\n')
  })

  test('does not follow symbolic links', async () => {
    const folder = await createTemporaryFolder()
    writeFileSync(join(folder, 'unchanged'), 'unchanged')
    symlinkSync(join(folder, 'unchanged'), join(folder, 'lines'))
    const problems: unknown[] = []
    const file = new TranscriptFile({ path: join(folder, 'lines'), onProblem: (error) => problems.push(error) })
    file.append('line')
    file.close()

    expect(readFileSync(join(folder, 'unchanged'), 'utf8')).toBe('unchanged')
    expect(problems.length).toBeGreaterThan(0)
  })
})

describe('a session that cannot be saved', () => {
  test('continues without a home folder and reports it once', () => {
    const problems: string[] = []
    const onProblem = (problem: string) => problems.push(problem)
    const transcript = openTranscript({ home: undefined, projectRoot: '/project', cwd: '/project', onProblem })
    write(
      transcript,
      createUserMessage('Hello'),
      createCallMessage('a'),
      createQueuedEvent('a'),
      createStartedEvent('a'),
    )
    transcript.close()

    expect(problems).toEqual(['This session is not saved: there is no home folder.'])
    expect([transcript.path, transcript.resultsFolder]).toEqual([undefined, undefined])
  })

  test('continues if its home is not a folder and reports it once', async () => {
    const { home, open, problems } = await createSessionHome()
    await rm(home, { recursive: true })
    writeFileSync(home, '')
    const transcript = open()
    write(transcript, createUserMessage('Hello'), createAssistantMessage('Hi'))
    expect(problems).toEqual([expect.stringMatching(/^This session cannot be saved in .*ENOTDIR/)])

    await rm(home)
    await mkdir(home)
    write(transcript, createUserMessage('Now?'))
    transcript.close()

    expect(readFileSync(transcript.path ?? '', 'utf8').match(/"message-added"/g)).toHaveLength(3)
    expect(problems).toHaveLength(1)
  })

  test.skipIf(process.getuid?.() === 0)('continues if its home is read-only', async () => {
    const { home, open, problems } = await createSessionHome()
    chmodSync(home, 0o500)
    write(open(), createUserMessage('Hello'))
    chmodSync(home, 0o700)

    expect(problems).toHaveLength(1)
  })
})
