import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { toCheckpointsFolder } from '../../../ports/checkpoints/checkpoints-folder.js'
import { createCheckpoints } from '../../../ports/checkpoints/create-checkpoints.js'
import { formatIdentity } from '../../../system/processes/process-identity.js'
import { commands } from '../../commands.js'
import type { CommandIo } from '../../io/command.js'
import { runCli } from '../../run-cli.js'

let home: string
let project: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'haft-rewind-')))
  project = join(home, 'project')
  mkdirSync(join(project, '.git'), { recursive: true })
})
afterEach(() => rmSync(home, { recursive: true }))

async function rewind(...args: string[]) {
  const out: string[] = []
  const err: string[] = []
  const host = { cwd: project, homeDir: home, write: async (text: string) => void out.push(text) }
  const io = {
    args: ['rewind', ...args],
    variables: {},
    platform: 'linux',
    homeDir: home,
    columns: undefined,
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
    host: async () => host,
  }
  const code = await runCli(io as unknown as CommandIo, commands)
  return { code, out: out.join(''), err: err.join('') }
}

/** Records three calls: one with known writes, one with unknown writes and one without changes. Returns their ids. */
async function recordCalls(): Promise<readonly string[]> {
  const checkpoints = createCheckpoints({ folder: toCheckpointsFolder(home, project), session: 's' })
  writeFileSync(join(project, 'a'), 'old')
  await checkpoints.save('toolu_1', [join(project, 'a'), join(project, 'b')], { title: 'Write\n\u001b[2J a' })
  writeFileSync(join(project, 'a'), 'new')
  writeFileSync(join(project, 'b'), 'new')
  await checkpoints.settle('toolu_1')
  await checkpoints.save('toolu_2', [], { unknown: true })
  await checkpoints.settle('toolu_2')
  await checkpoints.save('toolu_3', [join(project, 'untouched')])
  await checkpoints.settle('toolu_3')
  await checkpoints.close()
  return (await checkpoints.list()).map(({ id }) => id)
}

test('haft rewind reports that there is nothing to undo', async () => {
  expect(await rewind()).toEqual({ code: 0, out: 'No changes to undo.\n', err: '' })
})

test('haft rewind --list prints one line per call that changed something, newest first', async () => {
  const [first, second] = await recordCalls()
  const time = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d'

  const { code, out } = await rewind('--list')

  expect(code).toBe(0)
  expect(out).toMatch(
    new RegExp(`^${second}  ${time}  incomplete\n${first}  ${time}  Write \\\\u001b\\[2J a: changed a, made b\n$`),
  )
  expect(JSON.parse((await rewind('--json')).out)).toMatchObject([
    { id: second, state: 'ended', isCovered: false, changes: [] },
    { id: first, isCovered: true, toolUseId: 'toolu_1', changes: [{ change: 'changed' }, { change: 'made' }] },
  ])
})

test('haft rewind marks running and interrupted calls and lists what they may have changed', async () => {
  const checkpoints = createCheckpoints({ folder: toCheckpointsFolder(home, project), session: 's' })
  await checkpoints.save('toolu_1', [join(project, 'a')], { title: 'Bash make' })
  await checkpoints.close()
  expect((await rewind()).out).toMatch(/ Bash make: still running, may have changed a\n$/)

  // The same process id with another start time.
  const log = join(toCheckpointsFolder(home, project), 'log.jsonl')
  writeFileSync(log, readFileSync(log, 'utf8').replace(formatIdentity(), formatIdentity().replace(/\d+$/, '1')))
  expect((await rewind()).out).toMatch(/ Bash make: cut off, may have changed a\n$/)
  expect(JSON.parse((await rewind('--json')).out)).toMatchObject([
    { state: 'cut off', changes: [{ path: join(project, 'a'), change: 'unsettled' }] },
  ])

  writeFileSync(join(project, 'a'), 'half')
  const [record] = await checkpoints.list()
  expect((await rewind(record?.id ?? '')).err).toMatch('still runs or was interrupted, so its changes are unknown')
})

test('haft rewind undoes a call given by a prefix of its id, and then undoes the undo', async () => {
  const [first = ''] = await recordCalls()

  const { code, out, err } = await rewind(first.slice(0, 6))

  expect([code, readFileSync(join(project, 'a'), 'utf8')]).toEqual([0, 'old'])
  const [, undo = ''] = /To undo this: haft rewind (\w+)\n$/.exec(out) ?? []
  expect(out).toBe(`Restored the state before ${first}:\n  a\n  b\nTo undo this: haft rewind ${undo}\n`)
  expect(err).toMatch('one of the later calls is not fully covered')
  expect((await rewind()).out).toMatch(`rewind to ${first}: changed a, removed b`)
  expect((await rewind(undo, '--json')).code).toBe(0)
  expect(readFileSync(join(project, 'b'), 'utf8')).toBe('new')
})

test('haft rewind warns about running calls that may change restored files', async () => {
  const [first = ''] = await recordCalls()
  const checkpoints = createCheckpoints({ folder: toCheckpointsFolder(home, project), session: 's' })
  await checkpoints.save('toolu_4', [join(project, 'c')])
  const runningId = (await checkpoints.list()).at(-1)?.id

  const { code, err } = await rewind(first)
  expect([code, err]).toEqual([0, expect.stringContaining(`${runningId} is still running; its further changes`)])
  expect(JSON.parse((await rewind(first, '--json')).out)).toMatchObject({ restored: true, running: [runningId] })

  await checkpoints.settle('toolu_4')
  await checkpoints.close()
  expect((await rewind(first)).err).not.toMatch('still running')
})

test('haft rewind does not overwrite later changes by the user', async () => {
  const [first = ''] = await recordCalls()
  writeFileSync(join(project, 'a'), 'mine')

  expect(await rewind(first)).toEqual({
    code: 1,
    out: '',
    err: 'haft: nothing was restored: a has since been changed by another program. Restore the file, or rewind to a later checkpoint.\n',
  })
  expect(JSON.parse((await rewind(first, '--json')).out)).toMatchObject({ restored: false })
  expect(readFileSync(join(project, 'a'), 'utf8')).toBe('mine')
})

test.each([
  [['nonsense'], /unknown checkpoint "nonsense"/],
  [['a', 'b'], /one checkpoint/],
  [['--list', 'a'], /either/],
  [['--nonsense'], /nonsense/],
])('haft rewind rejects the arguments %j', async (args, message) => {
  const { code, out, err } = await rewind(...args)

  expect([code, out]).toEqual([2, ''])
  expect(err).toMatch(message)
})
