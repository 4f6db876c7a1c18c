import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createHeadlessFixture } from './lib/headless-fixture.js'

const { at, writeModel, run } = createHeadlessFixture()

async function createSession(id: string, prompt: string) {
  expect((await run(['-p', prompt, '--session-id', id, ...(await writeModel(['Done.']))])).code).toBe(0)
}

test('sessions are listed, shown, renamed, exported and deleted by the beginning of their id', async () => {
  await createSession('first-session', 'Count the files')
  await createSession('second-session', 'Read the notes')

  const list = await run(['sessions'])
  expect(list.stdout.split('\n').map((line) => line.split(/ {2,}/).at(-1))).toEqual([
    'Read the notes',
    'Count the files',
    '',
  ])
  expect((await run(['sessions', 'show', 'firs'])).stdout).toContain('> Count the files')
  expect((await run(['sessions', 'rename', 'first', ' A new\ntitle '])).stdout).toBe('first-session: A new title\n')
  const rows = JSON.parse((await run(['sessions', 'list', '--json', '--all', '--cost'])).stdout)
  expect(rows).toMatchObject([
    { id: 'first-session', title: 'A new title', tokens: expect.any(Number) },
    { id: 'second-session', title: 'Read the notes' },
  ])
  expect((await run(['sessions', 'list', '--cost'])).stdout).toMatch(/^Total: 2 sessions, \d+ tokens, .*\$\d/m)
  expect((await run(['sessions', 'export', 'first', at('first.html')])).code).toBe(0)
  expect(await readFile(at('first.html'), 'utf8')).toContain('A new title')

  const refused = await run(['sessions', 'delete', 'second'])
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('haft sessions delete second-session --yes'),
  })
  expect((await run(['sessions', 'delete', 'second', '--yes'])).code).toBe(0)
  expect(JSON.parse((await run(['sessions', '--json'])).stdout)).toMatchObject([{ id: 'first-session' }])
})

test('--resume continues a session by the beginning of its id, if it is the only one', async () => {
  await createSession('parser-one', 'Hello')
  await createSession('parser-two', 'Hello')
  const resume = async (name: string) => run(['-p', 'More', '--resume', name, ...(await writeModel(['Again.']))])

  expect(await resume('pars')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/Several sessions start with pars: parser-(one|two), parser-(one|two)/i),
  })
  expect(await resume('parser-t')).toMatchObject({ code: 0, stdout: 'Again.\n' })
  expect((await run(['--resume', 'parser-t'])).stdout).toContain('> More')
  expect(await resume('par')).toMatchObject({ code: 2, stderr: expect.stringContaining('no session par') })
})

test.each([
  [['sessions', 'lst'], 'Did you mean list'],
  [['sessions', 'show'], 'missing argument: haft sessions show ID.'],
  [['sessions', 'rename', 'abcd'], 'missing argument: haft sessions rename ID "TITLE".'],
  [['sessions', 'delete', 'nothing-here', '--yes'], 'no session nothing-here'],
])('haft %j says what to do', async (args, message) => {
  expect(await run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
})
