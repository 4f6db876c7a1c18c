import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { mountUntilTestEnd, needsMount, testMount } from '../src/testing/files/mounts.js'
import { call, createHeadlessFixture } from './lib/headless-fixture.js'
import { readTranscriptLines } from './lib/transcript-lines.js'

const { at, file, writeModel, run, start } = createHeadlessFixture()

const ONE_LINE = /^haft: [^\n]+\n$/
const workTurns = () => [
  call('Read', { file_path: file('a.txt') }),
  call('Write', { file_path: file('b.txt'), content: 'beta\n' }),
  call('Bash', { command: 'cat b.txt' }),
  'Done.',
]
const ALLOWED_TOOLS_ARGS = ['--allowed-tools', 'Edit(*),Bash']

describe('two processes', () => {
  test('cannot share a session: the second reports which process holds it, and the first loses nothing', async () => {
    const turns = [
      call('Bash', { command: 'touch begun; until test -e go; do sleep 0.05; done; echo waited' }),
      'First.',
    ]
    const args = ['--output-format', 'stream-json', '--include-events', ...ALLOWED_TOOLS_ARGS]
    const first = start(['-p', 'Wait', '--session-id', 'one', ...args, ...(await writeModel(turns))])
    first.child.stdin.end()
    let line = await first.next()
    while (!JSON.stringify(line).includes('call-started')) line = await first.next()

    const second = await run(['-p', 'Me too', '--resume', 'one', ...(await writeModel(['Second.']))])
    const forkedRun = await run([
      '-p',
      'Duplicate it',
      '--resume',
      'one',
      '--fork-session',
      ...(await writeModel(['Copy.'])),
    ])
    await run(['--resume', 'one'])
    writeFileSync(file('go'), '')
    const { code, lines } = await first.finish()

    expect(second).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(ONE_LINE) })
    expect(second.stderr).toContain(`process ${first.child.pid}`)
    expect(second.stderr).toContain('--fork-session')
    expect(forkedRun).toMatchObject({ code: 0, stdout: 'Copy.\n' })
    expect({ code, result: lines.at(-1)?.result }).toEqual({ code: 0, result: 'First.' })
    const transcriptText = JSON.stringify(await readTranscriptLines(at('home'), at('project'), 'one'))
    expect(transcriptText).toContain('waited')
    expect(transcriptText).not.toMatch(/Me too|Duplicate it/)
    // The session is released as soon as the first process has ended.
    expect(await run(['-p', 'Now', '--resume', 'one', ...(await writeModel(['Third.']))])).toMatchObject({
      stdout: 'Third.\n',
    })
  })
})

describe('a full disk', () => {
  testMount(
    `that holds the session: the run continues, calls that could not be undone are refused, and the user is warned${needsMount}`,
    async () => {
      const home = createDisk(0)

      const args = ['--output-format', 'stream-json', ...ALLOWED_TOOLS_ARGS, ...(await writeModel(workTurns()))]
      const outcome = await run(['-p', 'Work', ...args], { variables: { HOME: home } })

      expect(outcome.code).toBe(0)
      expect(outcome.stderr).toMatch(/^haft: This session cannot be saved in [^\n]+ENOSPC[^\n]+\n$/)
      expect(listFailures(outcome.stdout)).toEqual([false, true, true])
      expect(listResults(outcome.stdout)[1]).toMatch(/Nothing was changed.*ENOSPC/)
      expect(existsSync(file('b.txt'))).toBe(false)
    },
  )

  testMount(
    `that holds the session and fills up during the run: earlier entries stay readable${needsMount}`,
    async () => {
      const HOME = createDisk(64 * 1024)
      const turns = [
        call('Read', { file_path: file('a.txt') }),
        { text: 'x'.repeat(100_000), ...call('Read', { file_path: file('a.txt'), limit: 1 }) },
        'Done.',
      ]

      const outcome = await run(['-p', 'Work', '--session-id', 'full', ...(await writeModel(turns))], {
        variables: { HOME },
      })

      expect(outcome).toMatchObject({ code: 0, stdout: 'Done.\n' })
      expect(outcome.stderr).toMatch(/^haft: This session cannot be saved in [^\n]+ENOSPC[^\n]+\n/)
      const resumedOutcome = await run(['--resume', 'full'], { variables: { HOME } })
      expect(resumedOutcome.code).toBe(0)
      expect(resumedOutcome.stdout).toMatch(/^> Work\n\n● Read .*\n\n {2}└ 1 {2}alpha\n/)
    },
  )

  testMount(
    `that holds the project: the call fails with an error, and the file is unchanged${needsMount}`,
    async () => {
      const fullDisk = createDisk(32 * 1024)
      writeFileSync(`${fullDisk}/old.txt`, 'old\n')
      const turns = [
        call('Write', { file_path: `${fullDisk}/new.txt`, content: 'n'.repeat(200_000) }),
        call('Read', { file_path: `${fullDisk}/old.txt` }),
        call('Write', { file_path: `${fullDisk}/old.txt`, content: 'o'.repeat(200_000) }),
        'It is full.',
      ]
      const args = ['--output-format', 'stream-json', '--add-dir', fullDisk, '--permission-mode', 'acceptEdits']

      const outcome = await run(['-p', 'Work', ...args, ...(await writeModel(turns))])

      expect(outcome).toMatchObject({ code: 0, stderr: '' })
      expect(listFailures(outcome.stdout)).toEqual([true, false, true])
      expect(listResults(outcome.stdout)[0]).toMatch(/full|space/i)
      expect(readdirSync(fullDisk).sort()).toEqual(['filler', 'old.txt'])
      expect(await readFile(`${fullDisk}/old.txt`, 'utf8')).toBe('old\n')
    },
  )
})

describe('a home folder that cannot be used', () => {
  test('because HOME is empty: the task is completed, and the user is warned that the session is not saved', async () => {
    const outcome = await run(['-p', 'Work', ...ALLOWED_TOOLS_ARGS, ...(await writeModel(workTurns()))], {
      variables: { HOME: '' },
    })

    expect(outcome).toMatchObject({ code: 0, stdout: 'Done.\n' })
    expect(outcome.stderr).toMatch(/not saved|cannot be saved/)
    expect(await readFile(file('b.txt'), 'utf8')).toBe('beta\n')
  })

  test.each([
    ['because it is a file', './a.txt'],
    ...(process.platform === 'linux' ? [['because it cannot be created', '/proc/none']] : []),
  ])('%s: the task is completed, and the user is warned once about what is not saved', async (_, home = '') => {
    const HOME = resolve(at('project'), home)

    const outcome = await run(['-p', 'Work', ...ALLOWED_TOOLS_ARGS, ...(await writeModel(workTurns()))], {
      variables: { HOME },
    })

    expect(outcome).toMatchObject({ code: 0, stdout: 'Done.\n' })
    expect(outcome.stderr.split('\n')).toEqual([
      expect.stringContaining('This session cannot be saved'),
      expect.stringMatching(/^haft: Changes cannot be undone: .*cannot be written to/),
      '',
    ])
    expect(await readFile(file('b.txt'), 'utf8')).toBe('beta\n')
  })

  testMount(
    `because it is read-only: the task is completed, and the user is warned once about what is not saved${needsMount}`,
    async () => {
      const HOME = createDisk(64 * 1024)
      execFileSync('mount', ['-o', 'remount,ro', HOME])

      const outcome = await run(['-p', 'Work', ...ALLOWED_TOOLS_ARGS, ...(await writeModel(workTurns()))], {
        variables: { HOME },
      })

      expect(outcome).toMatchObject({ code: 0, stdout: 'Done.\n' })
      expect(outcome.stderr).toMatch(/^haft: [^\n]+cannot be saved[^\n]+\nhaft: [^\n]+cannot be undone[^\n]+\n$/)
      expect(await readFile(file('b.txt'), 'utf8')).toBe('beta\n')
    },
  )
})

describe('a read-only project', () => {
  testMount(`can be read, and writes fail with an error${needsMount}`, async () => {
    const cwd = createDisk(64 * 1024)
    writeFileSync(join(cwd, 'a.txt'), 'alpha\n')
    execFileSync('mount', ['-o', 'remount,ro', cwd])
    const turns = [
      call('Read', { file_path: 'a.txt' }),
      call('Write', { file_path: 'b.txt', content: 'beta\n' }),
      call('Bash', { command: 'echo beta > b.txt' }),
      'It cannot be written.',
    ]
    const args = ['--output-format', 'stream-json', ...ALLOWED_TOOLS_ARGS]

    const outcome = await run(['-p', 'Work', ...args, ...(await writeModel(turns))], { cwd })

    expect(outcome).toMatchObject({ code: 0, stderr: '' })
    expect(listFailures(outcome.stdout)).toEqual([false, true, true])
    expect(listResults(outcome.stdout)[1]).toContain('cannot be written to')
    expect(listResults(outcome.stdout)[2]).toContain('Read-only file system')
    // The session is stored in the home folder and can be resumed.
    const nextRun = await run(['-p', 'Go on', '--continue', ...(await writeModel(['Still here.']))], { cwd })
    expect(nextRun).toEqual({ code: 0, stdout: 'Still here.\n', stderr: '' })
  })
})

test('without a git repository and without git itself, everything but worktrees works', async () => {
  await rm(file('.git'), { recursive: true })
  const turns = [
    ...workTurns().slice(0, -1),
    call('Agent', { description: 'try', prompt: 'Work apart.', isolation: 'worktree' }),
    call('Agent', { description: 'try', prompt: 'Work here.' }),
    'Done.',
  ]
  const conversations = [{ opening: 'Work here.', turns: ['I worked.'] }]
  const args = [
    '--output-format',
    'stream-json',
    ...ALLOWED_TOOLS_ARGS,
    ...(await writeModel(turns, { conversations })),
  ]

  const outcome = await run(['-p', 'Work', ...args], { variables: { PATH: linkProgramsExceptGit() } })

  const results = listResults(outcome.stdout)
  expect(listFailures(outcome.stdout)).toEqual([false, false, false, true, false])
  expect(results[3]).toMatch(/git|repository/i)
  expect(results[4]).toContain('I worked.')
  expect(outcome).toMatchObject({ code: 0, stderr: '' })
  expect(await readFile(file('b.txt'), 'utf8')).toBe('beta\n')
})

/** A folder on its own small disk with this many bytes free. */
function createDisk(freeBytes: number): string {
  const mountPoint = realpathSync(mkdtempSync(join(tmpdir(), 'haft-disk-')))
  onTestFinished(() => rmSync(mountPoint, { recursive: true }))
  mountUntilTestEnd(['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', mountPoint], mountPoint)
  const { bavail, bsize } = statfsSync(mountPoint)
  writeFileSync(join(mountPoint, 'filler'), Buffer.alloc(bavail * bsize - freeBytes))
  return mountPoint
}

/** A folder with links to the programs of this machine, except git. */
function linkProgramsExceptGit(): string {
  const folder = at('programs')
  mkdirSync(folder)
  for (const from of ['/usr/local/bin', '/usr/bin', '/bin'])
    for (const name of existsSync(from) ? readdirSync(from) : [])
      if (!name.startsWith('git') && !existsSync(join(folder, name))) symlinkSync(join(from, name), join(folder, name))
  return folder
}

/** The lines with results in a stream, in order. */
function listResults(stdout: string): readonly string[] {
  return stdout.split('\n').filter((line) => line.startsWith('{"type":"user"'))
}

function listFailures(stdout: string): readonly boolean[] {
  return listResults(stdout).map((line) => line.includes('"is_error":true'))
}
