import { expect, test } from 'vitest'
import * as z from 'zod'
import type { CommandAnalysis } from '../../contract/command.js'
import { Cancellation } from '../cancellation.js'
import { createDeferred, createFixtureTool, FixtureHost, type FixtureOptions, waitForever } from '../fixture-host.js'
import { analyseCommandLine } from './analyse-command.js'

function createBashTool(analyses: (CommandAnalysis | undefined)[] = []) {
  return createFixtureTool({
    name: 'Bash',
    inputSchema: z.strictObject({ command: z.string() }),
    command: ({ command }) => ({ text: command, language: 'bash' }),
    isReadOnly: () => true,
    async call({ command }, context) {
      analyses.push(context.command)
      return { data: `ran ${command}` }
    },
  })
}

/** A host whose git repositories run no programs. Records the folders whose configuration is read. */
function setUp(options: FixtureOptions = {}) {
  const readFolders: (readonly string[])[] = []
  const analyses: (CommandAnalysis | undefined)[] = []
  const host = new FixtureHost({
    tools: [createBashTool(analyses)],
    readRepositories: async (folders) => {
      readFolders.push(folders)
      return new Map(folders.map((folder) => [folder, null]))
    },
    ...options,
  })
  return { host, readFolders, analyses }
}

test('the permission decision and the tool get the same analysis of a command', async () => {
  const { host, readFolders, analyses } = setUp()

  expect((await host.run('Bash', { command: 'cat a' })).block.content).toBe('ran cat a')
  expect(analyses).toMatchObject([{ text: 'cat a', cwd: '/project', isReadOnly: true, resources: { reads: ['a'] } }])
  expect(readFolders).toEqual([])
  expect(host.listEventTypes()).toEqual(['permission-decided'])
})

test('the configuration of a repository is read for a git command that depends on it', async () => {
  const { host, readFolders, analyses } = setUp()

  await host.run('Bash', { command: 'git status' })

  expect(readFolders).toEqual([['/project']])
  expect(analyses).toMatchObject([{ isReadOnly: true, repositories: ['/project'] }])
})

test('hooks run while the configuration of the repository is read', async () => {
  const repositories = createDeferred<ReadonlyMap<string, null>>()
  const { host } = setUp({
    readRepositories: () => repositories.promise,
    hooks: { PreToolUse: () => repositories.resolve(new Map([['/project', null]])) },
  })

  expect((await host.run('Bash', { command: 'git status' })).block.content).toBe('ran git status')
})

test.each([
  ['throws', () => JSON.parse('{')],
  ['rejects', async () => JSON.parse('{')],
  ['returns nothing for the folder', async () => new Map()],
])('the user is asked about a git command if reading the repository configuration %s', async (_, readRepositories) => {
  expect((await setUp({ readRepositories }).host.getRefusal('Bash', { command: 'git status' })).code).toBe(
    'permission_needed',
  )
})

test('a command that a hook changed is analysed again, and the tool gets the new analysis', async () => {
  const change = (command: string) => () => ({ hookSpecificOutput: { updatedInput: { command } } })
  const harmfulFixture = setUp({ hooks: { PreToolUse: change('rm -rf x') } })
  const harmlessFixture = setUp({ hooks: { PreToolUse: change('cat b') } })

  expect((await harmfulFixture.host.getRefusal('Bash', { command: 'ls' })).code).toBe('permission_needed')
  await harmlessFixture.host.run('Bash', { command: 'rm -rf x' })
  expect(harmlessFixture.analyses).toMatchObject([{ text: 'cat b', isReadOnly: true }])
})

test('a command that the user changed is analysed again', async () => {
  const { host, analyses } = setUp({ ask: async () => ({ behavior: 'allow', updatedInput: { command: 'rm y' } }) })

  await host.run('Bash', { command: 'rm x' })

  expect(analyses).toMatchObject([{ text: 'rm y', resources: { writes: ['y'] } }])
})

test('a failure to read a repository configuration that no decision needs causes no unhandled rejection', async () => {
  const { host } = setUp({
    readRepositories: async () => JSON.parse('{'),
    hooks: { PreToolUse: () => ({ continue: false, stopReason: 'enough' }) },
  })

  expect((await host.getRefusal('Bash', { command: 'git status' })).code).toBe('hook_blocked')
})

test('a call can be cancelled even if reading the repository configuration never ends', async () => {
  const cancellation = new Cancellation(60_000)
  const { host } = setUp({
    readRepositories() {
      queueMicrotask(() => cancellation.cancel({ type: 'aborted' }))
      return waitForever()
    },
  })

  expect((await host.getRefusal('Bash', { command: 'git status' }, { cancellation })).code).toBe('cancelled')
})

test('a tool that runs no command gets no command analysis', async () => {
  const analyses: (CommandAnalysis | undefined)[] = []
  const tool = createFixtureTool({
    async call(input, context) {
      analyses.push(context.command)
      return { data: input.text }
    },
  })

  await setUp({ tools: [tool] }).host.run('Echo', { text: 'ls' })

  expect(analyses).toEqual([undefined])
})

test('a tool that runs commands without declaring them needs approval', async () => {
  const undeclaredTool = createFixtureTool({ name: 'Bash', isReadOnly: () => true })

  expect((await setUp({ tools: [undeclaredTool] }).host.getRefusal('Bash', { text: 'ls' })).code).toBe(
    'permission_needed',
  )
})

test.each([
  ['PowerShell', { text: 'ls', language: 'powershell' as const }],
  ['nothing but spaces', { text: ' \n', language: 'bash' as const }],
  ['a comment', { text: '# ls', language: 'bash' as const }],
])('a command line of %s is analysed as unresolved', async (_, line) => {
  const analysis = await analyseCommandLine(line, { cwd: '/project', homeDir: '/home/dev' })

  expect(analysis).toMatchObject({ ...line, isUnresolved: true, isReadOnly: false, resources: { isUnknown: true } })
})

test('a tool cannot change the analysis that its call is judged by', async () => {
  let problem: unknown
  const tool = createFixtureTool({
    name: 'Bash',
    inputSchema: z.strictObject({ command: z.string() }),
    command: ({ command }) => ({ text: command, language: 'bash' }),
    isReadOnly(_, command) {
      try {
        for (const each of command?.commands ?? []) Object.assign(each, { isReadOnly: true, writes: [] })
      } catch (error) {
        problem = error
      }
      return true
    },
  })
  const { host } = setUp({ tools: [tool], deny: ['Bash(rm:*)'] })

  expect((await host.getRefusal('Bash', { command: 'rm a' })).code).toBe('permission_denied')
  expect(problem).toBeInstanceOf(TypeError)
})
