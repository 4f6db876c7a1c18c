import { describe, expect, test, vi } from 'vitest'
import { parsePermissionRule } from '../contract/permission/rule.js'
import { createRuleTester } from './create-rule-tester.js'
import type { JudgedTool } from './may-fall-under.js'
import { meetsConditions } from './select-hooks.js'

const rule = parsePermissionRule

const TRAIT_CASES: readonly (readonly [string, Partial<JudgedTool>, writes: boolean, reads: boolean])[] = [
  ['a tool that writes to a path', { getPath: () => 'src/a.ts' }, true, true],
  ['a tool that reads a path', { getPath: () => 'src/a.ts', isReadOnly: () => true }, false, true],
  ['a tool that lists its writes', { resources: () => ({ writes: [{ path: 'src/a.ts' }] }) }, true, false],
  ['a tool that lists its reads', { resources: () => ({ reads: [{ path: 'src/a.ts' }] }) }, false, true],
  ['a tool with unknown resources', { resources: () => ({ unknown: true }) }, true, true],
  ['a tool that touches nothing', { resources: () => ({}) }, false, false],
  ['a tool that declares no ports', {}, true, true],
  ['a tool that needs only the ask port', { needs: ['ask'] }, false, false],
  ['a shell', { needs: ['shell'], preparePermissionMatcher: () => () => false }, true, true],
  [
    'a server that calls itself read-only',
    { mcpInfo: { serverName: 's', toolName: 't' }, isReadOnly: () => true },
    true,
    true,
  ],
  [
    'a tool whose resources throw',
    {
      resources: () => {
        throw new Error('broken')
      },
    },
    true,
    true,
  ],
]

describe('the condition of a hook', () => {
  test('is tested by the matcher of the tool, which prepares the input once', async () => {
    const preparePermissionMatcher = vi.fn(({ command }: { command: string }) => {
      const commandTexts = command.split(' && ')
      return (content: string) => commandTexts.some((commandText) => commandText.startsWith(content.replace(':*', '')))
    })
    const matchesRule = createRuleTester({ name: 'Bash', preparePermissionMatcher }, { command: 'cd x && git push' })

    expect(await matchesRule(rule('Bash(git push:*)'))).toBe(true)
    expect(await matchesRule(rule('Bash(npm:*)'))).toBe(false)
    expect(preparePermissionMatcher).toHaveBeenCalledTimes(1)
  })

  test('matches the name, an alias, the server or the displayed name of a tool', async () => {
    const builtInTester = createRuleTester({ name: 'Agent', aliases: ['Task'] }, {})
    const serverTester = createRuleTester({ name: 'search', mcpInfo: { serverName: 'hub', toolName: 'search' } }, {})

    expect(await Promise.all(['Agent', 'Task', 'Bash'].map((text) => builtInTester(rule(text))))).toEqual([
      true,
      true,
      false,
    ])
    expect(
      await Promise.all(
        ['mcp__hub', 'mcp__hub__search', 'search', 'mcp__other'].map((text) => serverTester(rule(text))),
      ),
    ).toEqual([true, true, true, false])
  })

  test('is met if every rule matches', async () => {
    const isShort = ({ text }: { text: string }) => text.length < 3

    expect(await meetsConditions([rule('A'), rule('B')], isShort)).toBe(true)
    expect(await meetsConditions([rule('A'), rule('Bash')], isShort)).toBe(false)
    expect(await meetsConditions([], () => false)).toBe(true)
  })

  test('counts as met if it cannot be tested', async () => {
    const noMatcher = createRuleTester({ name: 'Bash' }, {})
    const brokenTester = createRuleTester(
      {
        name: 'Bash',
        preparePermissionMatcher: () => {
          throw new Error('broken')
        },
      },
      {},
    )

    for (const tester of [noMatcher, brokenTester, undefined, () => undefined as unknown as boolean])
      expect(await meetsConditions([rule('Bash(rm:*)')], tester)).toBe(true)
  })

  test.each(TRAIT_CASES)(
    'on Edit or Read paths applies to every tool that may write or read the paths: %s',
    async (_, traits, writes, reads) => {
      const tester = createRuleTester({ name: 'Other', ...traits }, {})

      expect(await meetsConditions([rule('Edit(src/**)')], tester)).toBe(writes)
      expect(await meetsConditions([rule('Read(src/**)')], tester)).toBe(reads)
    },
  )

  test('on Edit paths is tested by the matcher of another writing tool if its call is about one path', async () => {
    const createWriteTester = (path: string, writes: readonly string[] = [path]) =>
      createRuleTester(
        {
          name: 'Write',
          getPath: () => path,
          resources: () => ({ writes: writes.map((writtenPath) => ({ path: writtenPath })) }),
          preparePermissionMatcher: () => (content) => path.startsWith(content.replace('**', '')),
        },
        {},
      )

    expect(await meetsConditions([rule('Edit(src/**)')], createWriteTester('src/a.ts'))).toBe(true)
    expect(await meetsConditions([rule('Edit(src/**)')], createWriteTester('docs/a.md'))).toBe(false)
    expect(
      await meetsConditions([rule('Edit(src/**)')], createWriteTester('docs/a.md', ['docs/a.md', 'src/a.ts'])),
    ).toBe(true)
  })

  test('on commands applies to every tool that runs commands', async () => {
    const shellWithoutMatcher = createRuleTester({ name: 'Zsh', needs: ['shell'] }, {})
    const otherTester = createRuleTester({ name: 'Other' }, {})

    expect(await meetsConditions([rule('Bash(git push:*)')], shellWithoutMatcher)).toBe(true)
    expect(await meetsConditions([rule('Bash(git push:*)')], otherTester)).toBe(false)
  })

  test('that never resolves delays a hook only for a limited time', async () => {
    vi.useFakeTimers()
    try {
      const pendingTest = meetsConditions([rule('Bash')], () => new Promise(() => {}))
      await vi.advanceTimersByTimeAsync(5_000)

      expect(await pendingTest).toBe(true)
    } finally {
      vi.useRealTimers()
    }
  })
})
