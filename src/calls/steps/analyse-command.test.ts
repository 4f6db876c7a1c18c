import { expect, test } from 'vitest'
import * as z from 'zod'
import { type ShellAnalysis, type ShellRequest, unknownShell } from '../../permissions/facts/shell-analysis.js'
import type { ShellFacts } from '../../shell/facts.js'
import { Cancellation } from '../cancellation.js'
import { deferred, FixtureHost, type FixtureOptions, fixtureTool, never } from '../fixture-host.js'

const Bash = fixtureTool({
  name: 'Bash',
  inputSchema: z.strictObject({ command: z.string() }),
  isReadOnly: () => true,
  call: async ({ command }) => ({ data: `ran ${command}` }),
})

const READ_ONLY_FACTS: ShellFacts = {
  isUnresolved: false,
  commands: [
    {
      canonical: [{ text: 'ls', resolvedLength: 2 }],
      asWritten: [{ text: 'ls', resolvedLength: 2 }],
      isReadOnly: true,
      ...{ reads: [], writes: [], redirects: [], areEffectsKnown: true, network: false },
    },
  ],
}

function setUp(analyse: ShellAnalysis['analyse'], given: FixtureOptions = {}) {
  const asked: ShellRequest[] = []
  const shell: ShellAnalysis = {
    analyse(request) {
      asked.push(request)
      return analyse(request)
    },
  }
  const paths = { look: (path: string) => ({ realPath: path, isFolder: false, isCaseInsensitive: false }) }
  return { host: new FixtureHost({ tools: [Bash], decisionPorts: { shell, paths }, ...given }), asked }
}

test('a command is analysed once, starting before the hooks', async () => {
  const order: string[] = []
  const { host, asked } = setUp(
    () => {
      order.push('analysis')
      return READ_ONLY_FACTS
    },
    { hooks: { PreToolUse: () => void order.push('hook') } },
  )

  const { block } = await host.run('Bash', { command: 'ls' })

  expect({ content: block.content, order }).toEqual({ content: 'ran ls', order: ['analysis', 'hook'] })
  expect(asked).toEqual([{ command: 'ls', cwd: '/project' }])
})

test('hooks run during the analysis', async () => {
  const facts = deferred<ShellFacts>()
  const { host } = setUp(() => facts.promise, { hooks: { PreToolUse: () => facts.resolve(READ_ONLY_FACTS) } })

  expect((await host.run('Bash', { command: 'ls' })).block.content).toBe('ran ls')
})

test('a call that its analysis allows asks no question', async () => {
  const { host } = setUp(() => READ_ONLY_FACTS)

  await host.run('Bash', { command: 'ls' })

  expect(host.eventTypes()).toEqual(['permission-decided'])
})

test('a command that a hook changed is analysed again', async () => {
  const { host, asked } = setUp(
    ({ command, ...rest }) => (command === 'ls' ? READ_ONLY_FACTS : unknownShell.analyse({ command, ...rest })),
    {
      hooks: { PreToolUse: () => ({ hookSpecificOutput: { updatedInput: { command: 'rm -rf x' } } }) },
    },
  )

  expect((await host.refusal('Bash', { command: 'ls' })).code).toBe('permission_needed')
  expect(asked.map(({ command }) => command)).toEqual(['ls', 'rm -rf x'])
})

test.each([
  ['throws', () => JSON.parse('{')],
  ['rejects', async () => JSON.parse('{')],
  ['returns a malformed result', () => ({}) as ShellFacts],
])('after an analysis that %s the user is asked about the command', async (_, analyse) => {
  expect((await setUp(analyse).host.refusal('Bash', { command: 'ls' })).code).toBe('permission_needed')
})

test('a failed analysis that no decision needs causes no unhandled rejection', async () => {
  const { host } = setUp(async () => JSON.parse('{'), {
    hooks: { PreToolUse: () => ({ continue: false, stopReason: 'enough' }) },
  })

  expect((await host.refusal('Bash', { command: 'ls' })).code).toBe('hook_blocked')
})

test('an analysis that never ends does not keep the call running', async () => {
  const cancellation = new Cancellation(60_000)
  const { host } = setUp(() => {
    queueMicrotask(() => cancellation.cancel({ type: 'aborted' }))
    return never()
  })

  expect((await host.refusal('Bash', { command: 'ls' }, { cancellation })).code).toBe('cancelled')
})

test('a tool that runs no command has no analysis', async () => {
  const { host, asked } = setUp(() => READ_ONLY_FACTS, { tools: [fixtureTool()] })

  await host.run('Echo', { text: 'ls' })

  expect(asked).toEqual([])
})
