import { describe, expect, test, vi } from 'vitest'
import { parsePermissionRule } from '../contract/permission-rule.js'
import { createRuleTester } from './create-rule-tester.js'
import { meetsConditions } from './meets-conditions.js'

const rule = parsePermissionRule

describe('the condition of a hook', () => {
  test('is tested through the tool itself, with the input compiled once', async () => {
    const preparePermissionMatcher = vi.fn(({ command }: { command: string }) => {
      const parts = command.split(' && ')
      return (content: string) => parts.some((part) => part.startsWith(content.replace(':*', '')))
    })
    const matchesRule = createRuleTester({ name: 'Bash', preparePermissionMatcher }, { command: 'cd x && git push' })

    expect(await matchesRule(rule('Bash(git push:*)'))).toBe(true)
    expect(await matchesRule(rule('Bash(npm:*)'))).toBe(false)
    expect(preparePermissionMatcher).toHaveBeenCalledTimes(1)
  })

  test('fits by name, alias, server and the name a tool is shown under', async () => {
    const builtIn = createRuleTester({ name: 'Agent', aliases: ['Task'] }, {})
    const fromServer = createRuleTester({ name: 'search', mcpInfo: { serverName: 'hub', toolName: 'search' } }, {})

    expect(await Promise.all(['Agent', 'Task', 'Bash'].map((text) => builtIn(rule(text))))).toEqual([true, true, false])
    expect(
      await Promise.all(['mcp__hub', 'mcp__hub__search', 'search', 'mcp__other'].map((text) => fromServer(rule(text)))),
    ).toEqual([true, true, true, false])
  })

  test('holds if every rule fits', async () => {
    const isShort = ({ text }: { text: string }) => text.length < 3

    expect(await meetsConditions([rule('A'), rule('B')], isShort)).toBe(true)
    expect(await meetsConditions([rule('A'), rule('Bash')], isShort)).toBe(false)
    expect(await meetsConditions([], () => false)).toBe(true)
  })

  test('does not keep a hook from running where it cannot be tested', async () => {
    const noMatcher = createRuleTester({ name: 'Bash' }, {})
    const broken = createRuleTester(
      {
        name: 'Bash',
        preparePermissionMatcher: () => {
          throw new Error('broken')
        },
      },
      {},
    )

    for (const tester of [noMatcher, broken, undefined, () => undefined as unknown as boolean])
      expect(await meetsConditions([rule('Bash(rm:*)')], tester)).toBe(true)
  })

  test('does not hold up a hook for ever', async () => {
    vi.useFakeTimers()
    try {
      const meets = meetsConditions([rule('Bash')], () => new Promise(() => {}))
      await vi.advanceTimersByTimeAsync(5_000)

      expect(await meets).toBe(true)
    } finally {
      vi.useRealTimers()
    }
  })
})
