import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { beforeEach, expect } from 'vitest'
import { testWithProgram } from '../src/testing/test-with-program.js'
import { createHeadlessFixture } from './lib/headless-fixture.js'

const { at, file, writeModel } = createHeadlessFixture()
const TRACED_CALLS = 'write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,mkdir,mkdirat'

// The code cache creates this folder at the first start, before any setting is read.
beforeEach(() => mkdir(at('home', '.haft')))

/** Runs the command under strace and returns its system calls on files of this test, in order, in a short form. */
function traceHaft(args: readonly string[]): readonly string[] {
  const trace = at('trace')
  const options = ['-f', '-y', '-qq', '-s', '60', '--seccomp-bpf', '-e', `trace=${TRACED_CALLS}`, '-o', trace]
  execFileSync('strace', [...options, process.execPath, resolve('bin/haft'), ...args], {
    cwd: at('project'),
    env: { PATH: process.env.PATH, HOME: at('home') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return joinInterrupted(readFileSync(trace, 'utf8').split('\n')).flatMap(describeCall)
}

/** Joins the two lines of a call that was interrupted by another thread. A call is listed at the position of its end. */
function joinInterrupted(lines: readonly string[]): readonly string[] {
  const starts = new Map<string, string>()
  return lines.flatMap((line) => {
    const [, thread = '', call = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? []
    const [, start] = /^(.*) <unfinished \.\.\.>$/.exec(call) ?? []
    if (start !== undefined) {
      starts.set(thread, start)
      return []
    }
    const [, end] = /^<\.\.\. \w+ resumed>(.*)$/.exec(call) ?? []
    return [end === undefined ? call : `${starts.get(thread)}${end}`]
  })
}

function describeCall(call: string): readonly string[] {
  const [, name] = /^(\w+)\(.* = \d+/.exec(call) ?? []
  // Calls that failed change nothing.
  if (name === undefined) return []
  const path = /^rename/.test(name) ? /, "([^"]*)"[^"]*$/.exec(call)?.[1] : /[<"](\/[^>"]*)[>"]/.exec(call)?.[1]
  const place = path === undefined ? undefined : toShortName(path)
  if (place === undefined) return []
  if (name.endsWith('sync')) return [`sync ${place}`]
  if (name.startsWith('mkdir')) return [`create ${place}`]
  if (name.startsWith('rename')) return [`rename to ${place}`]
  const type = /\{\\"type\\":\\"([\w-]+)\\"/.exec(call)?.[1]
  return [`write ${place}${type === undefined ? '' : ` ${type}`}`]
}

/** A folder that the command keeps open while it changes a file in it. The sync of the folder that follows shows which one it is. */
const HELD_FOLDER = 'held folder'

/** A name that is the same in every run; undefined for files that do not matter here. */
function toShortName(path: string): string | undefined {
  const heldName = /^\/proc\/self\/fd\/\d+\/(.*)$/.exec(path)?.[1]
  if (heldName !== undefined) return heldName === 'settings.json' ? `${HELD_FOLDER}/${heldName}` : undefined
  const relativePath = path.startsWith(at()) ? path.slice(at().length).replace(/^\//, '') : ''
  const name = relativePath
    .replace(/project-[0-9a-f]{16}/, 'P')
    .replace(/\/[^/]*\.jsonl$/, (end) => (end === '/log.jsonl' ? end : '/transcript'))
    .replace(/blobs\/[0-9a-f]{2}/, 'blobs/xx')
    .replace(/\.haft-[0-9a-f-]+\.tmp$/, 'temporary')
    .replace(/xx\/[0-9a-f]{62}$/, 'xx/blob')
    .replace('home/.haft/projects/P/transcript', 'transcript')
    .replace('home/.haft/checkpoints/P/', 'checkpoints/')
  return /^home$|^home\/\.haft|^transcript|^checkpoints|^project/.test(name) && !/\.lock|\.haft\/cache/.test(name)
    ? name
    : undefined
}

async function runEdit(settings: object): Promise<readonly string[]> {
  const edit = { file_path: file('a.txt'), old_string: 'alpha', new_string: 'beta' }
  const turns = [
    { calls: [{ name: 'Read', input: { file_path: file('a.txt') } }] },
    { calls: [{ name: 'Edit', input: edit }] },
    'Done.',
  ]
  return traceHaft([
    ...['-p', 'Change it', ...(await writeModel(turns)), '--permission-mode', 'acceptEdits'],
    ...['--settings', JSON.stringify(settings)],
  ])
}

testWithProgram('strace')('with fsync, a call waits until its line and its checkpoint are on the disk', async () => {
  const calls = await runEdit({ fsync: true })

  // Every line is flushed before anything else happens.
  for (const [index, call] of calls.entries()) {
    if (/^write (transcript|checkpoints\/log)/.test(call))
      expect([call, calls[index + 1]]).toEqual([call, `sync ${call.split(' ')[1]}`])
  }
  expect(calls.filter((call) => call.startsWith('write transcript')).length).toBeGreaterThan(8)
  const startOfEdit = calls.lastIndexOf('write transcript call-started')
  const endOfEdit = calls.lastIndexOf('write transcript call-ended')
  expect(calls.slice(startOfEdit, endOfEdit + 2)).toEqual([
    ...['write transcript call-started', 'sync transcript'],
    ...['write transcript message-added', 'sync transcript'],
    ...['create home/.haft/checkpoints', 'sync home/.haft'],
    ...['create home/.haft/checkpoints/P', 'sync home/.haft/checkpoints'],
    ...['create checkpoints/blobs', 'sync home/.haft/checkpoints/P'],
    ...['create checkpoints/blobs/xx', 'sync checkpoints/blobs'],
    ...['write checkpoints/blobs/xx/temporary', 'sync checkpoints/blobs/xx/temporary'],
    ...['rename to checkpoints/blobs/xx/blob', 'sync checkpoints/blobs/xx'],
    'sync home/.haft/checkpoints/P',
    ...['write checkpoints/log.jsonl saved', 'sync checkpoints/log.jsonl'],
    ...['write project/temporary', 'sync project/temporary'],
    ...['write checkpoints/log.jsonl settled', 'sync checkpoints/log.jsonl'],
    ...['write transcript call-ended', 'sync transcript'],
  ])
  // The names of the transcript and of its new folders are flushed before its first line.
  expect(calls.slice(0, calls.indexOf('write transcript session-started'))).toEqual([
    ...['create home/.haft/projects', 'sync home/.haft'],
    ...['create home/.haft/projects/P', 'sync home/.haft/projects', 'sync home/.haft/projects/P'],
  ])
})

testWithProgram('strace')('without fsync, neither transcripts nor checkpoints wait for the disk', async () => {
  const calls = await runEdit({})

  expect(calls).toContain('write transcript call-started')
  expect(calls).toContain('write checkpoints/log.jsonl saved')
  expect(calls.filter((call) => /^sync .*(transcript|checkpoints|home)/.test(call))).toEqual([])
})

testWithProgram('strace')('a settings file is on the disk before the command reports success', () => {
  const calls = traceHaft(['mcp', 'add', '--scope', 'user', 'notes', '--', 'notes-server'])

  const rename = `rename to ${HELD_FOLDER}/settings.json`
  const end = calls.indexOf('sync home/.haft', calls.indexOf(rename))
  expect(calls.slice(0, end + 1).filter((call) => !call.startsWith('write '))).toEqual([
    'sync home/.haft/temporary',
    ...[rename, 'sync home/.haft'],
  ])
})

testWithProgram('strace')('with fsync, the copy of a session is on the disk before its first line', async () => {
  traceHaft(['-p', 'Hello', '--session-id', 'first', ...(await writeModel(['Hi.']))])

  const calls = traceHaft([
    ...['-p', 'Again', '--resume', 'first', '--fork-session', ...(await writeModel(['Hi.']))],
    ...['--settings', '{"fsync":true}'],
  ])

  const project = 'home/.haft/projects/P'
  const firstLine = calls.findIndex((call) => call.startsWith('write transcript'))
  expect(calls.slice(0, firstLine).filter((call) => !call.startsWith('write '))).toEqual([
    ...[`sync ${project}/temporary`, 'rename to transcript', `sync ${project}`],
  ])
})
