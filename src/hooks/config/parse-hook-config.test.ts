import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { type HookConfig, joinHookConfigs } from './hook-config.js'
import { HOOK_EVENTS } from './hook-events.js'
import { parseHookConfig } from './parse-hook-config.js'

describe('hook settings', () => {
  test('are parsed for every hook type, with defaults filled in', () => {
    const { config, problems } = parseHookConfig({
      PreToolUse: [
        {
          matcher: 'Bash',
          if: 'Bash(git push:*)',
          hooks: [
            { type: 'command', command: './guard.sh', timeout: 5, once: true, async: true, statusMessage: 'Guarding' },
            { type: 'http', url: 'https://user:secret@example.com/hook?token=abc', headers: { 'X-Key': '$KEY' } },
            { type: 'mcp_tool', server: 'audit', tool: 'log', if: 'Bash' },
            { type: 'prompt', prompt: 'Is this\n  safe?', model: 'small' },
          ],
        },
      ],
    })

    expect(problems).toEqual([])
    expect(
      config.PreToolUse?.map(({ hook, label, conditions }) => ({ hook, label, if: conditions.map((c) => c.text) })),
    ).toEqual([
      {
        label: 'command ./guard.sh',
        if: ['Bash(git push:*)'],
        hook: {
          type: 'command',
          command: './guard.sh',
          timeoutMs: 5_000,
          once: true,
          async: true,
          statusMessage: 'Guarding',
        },
      },
      {
        label: 'http https://example.com/hook',
        if: ['Bash(git push:*)'],
        hook: {
          type: 'http',
          url: 'https://user:secret@example.com/hook?token=abc',
          headers: { 'X-Key': '$KEY' },
          allowedEnvVars: [],
          timeoutMs: 60_000,
          once: false,
          async: false,
        },
      },
      {
        label: 'mcp_tool audit/log',
        if: ['Bash(git push:*)', 'Bash'],
        hook: {
          type: 'mcp_tool',
          server: 'audit',
          tool: 'log',
          input: {},
          timeoutMs: 60_000,
          once: false,
          async: false,
        },
      },
      {
        label: 'prompt Is this safe?',
        if: ['Bash(git push:*)'],
        hook: {
          type: 'prompt',
          prompt: 'Is this\n  safe?',
          model: 'small',
          timeoutMs: 60_000,
          once: false,
          async: false,
        },
      },
    ])
  })

  test('may contain every event of the specification', () => {
    const hooks = [{ hooks: [{ type: 'command', command: 'true' }] }]

    const { config, problems } = parseHookConfig(Object.fromEntries(HOOK_EVENTS.map((event) => [event, hooks])))

    expect(problems).toEqual([])
    expect(Object.keys(config)).toEqual([...HOOK_EVENTS])
  })

  test('with invalid parts are used without them, and each of them is reported', () => {
    const validHook = { type: 'command', command: 'true' }

    const { config, problems } = parseHookConfig({
      PreTolUse: [{ hooks: [validHook] }],
      Stop: 'nothing',
      PostToolUse: [
        { matcher: '(', hooks: [validHook] },
        { matcher: 7, hooks: [validHook] },
        { matcher: 'Bash', hooks: [{ type: 'comand' }, { type: 'command', command: '' }, validHook] },
        null,
      ],
    })

    expect(Object.keys(config)).toEqual(['PostToolUse'])
    expect(config.PostToolUse?.map(({ label }) => label)).toEqual(['command true'])
    expect(problems).toEqual([
      { path: 'PreTolUse', message: 'is not a hook event, so its hooks never run. Did you mean PreToolUse?' },
      { path: 'Stop', message: 'must be a list of { matcher, hooks }' },
      {
        path: 'PostToolUse[0]',
        message: 'The matcher "(" is neither names joined by | nor a regular expression. Its hooks are left out.',
      },
      { path: 'PostToolUse[1].matcher', message: 'Invalid input: expected string, received number; it is left out.' },
      {
        path: 'PostToolUse[2].hooks[0]',
        message: 'needs a type, one of command, http, mcp_tool, prompt; it is left out.',
      },
      {
        path: 'PostToolUse[2].hooks[1].command',
        message: 'Too small: expected string to have >=1 characters; it is left out.',
      },
      { path: 'PostToolUse[3]', message: 'Invalid input: expected object, received null; it is left out.' },
    ])
  })

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 3_000_000, '5'])(
    'use 60 s instead of the invalid timeout %s',
    (timeout) => {
      const { config, problems } = parseHookConfig({
        Stop: [{ hooks: [{ type: 'command', command: 'true', timeout }] }],
      })

      expect(config.Stop?.map(({ hook }) => hook.timeoutMs)).toEqual([60_000])
      expect(problems.map(({ path }) => path)).toEqual(['Stop[0].hooks[0].timeout'])
    },
  )

  test.each(['ftp://example.com', 'file:///etc/passwd', 'example.com', ''])(
    'with the invalid URL %j are used without the hook, which is reported',
    (url) => {
      const { config, problems } = parseHookConfig({ Stop: [{ hooks: [{ type: 'http', url }] }] })

      expect(config).toEqual({})
      expect(problems).toEqual([
        {
          path: 'Stop[0].hooks[0].url',
          message: 'must be a URL that starts with http:// or https://; it is left out.',
        },
      ])
    },
  )

  test('with an invalid condition keep its hook, so that a typo does not disable a guard', () => {
    const { config, problems } = parseHookConfig({
      PreToolUse: [{ hooks: [{ type: 'command', command: 'guard', if: 'Bash(git' }] }],
    })

    expect(config.PreToolUse?.map(({ label, conditions }) => ({ label, conditions }))).toEqual([
      { label: 'command guard', conditions: [] },
    ])
    expect(problems).toEqual([
      {
        path: 'PreToolUse[0].hooks[0].if',
        message:
          'Permission rule "Bash(git" must end with a closing parenthesis. The hook runs without this condition.',
      },
    ])
  })

  test('with an invalid optional field keep its hook without that field', () => {
    const { config, problems } = parseHookConfig({
      PreToolUse: [
        {
          if: 7,
          hooks: [
            { type: 'command', command: 'guard', once: 'yes', async: 1, statusMessage: {}, if: ['Bash'] },
            { type: 'http', url: 'https://example.com/', headers: { a: 1, b: 2 } },
          ],
        },
      ],
    })

    expect(config.PreToolUse?.map(({ hook, conditions }) => ({ hook, conditions }))).toEqual([
      { conditions: [], hook: { type: 'command', command: 'guard', timeoutMs: 60_000, once: false, async: false } },
      {
        conditions: [],
        hook: {
          type: 'http',
          url: 'https://example.com/',
          headers: {},
          allowedEnvVars: [],
          timeoutMs: 60_000,
          once: false,
          async: false,
        },
      },
    ])
    expect(problems.map(({ path }) => path)).toEqual([
      'PreToolUse[0].if',
      'PreToolUse[0].hooks[0].if',
      'PreToolUse[0].hooks[0].once',
      'PreToolUse[0].hooks[0].async',
      'PreToolUse[0].hooks[0].statusMessage',
      'PreToolUse[0].hooks[1].headers.a',
      'PreToolUse[0].hooks[1].headers.b',
    ])
  })

  test.each(['(', 7, null, 'x'.repeat(1001).concat('.')])(
    'run a guard for every tool name if its matcher is the invalid value %j',
    (matcher) => {
      const hooks = [{ type: 'command', command: 'guard' }]

      const { config, problems } = parseHookConfig({
        PreToolUse: [{ matcher, hooks }],
        PermissionRequest: [{ matcher, hooks }],
        PostToolUse: [{ matcher, hooks }],
      })

      expect(Object.keys(config)).toEqual(['PreToolUse', 'PermissionRequest'])
      expect(config.PreToolUse?.map(({ label, matcher }) => [label, matcher.matches('Any')])).toEqual([
        ['command guard', true],
      ])
      expect(problems).toHaveLength(3)
    },
  )

  test('with an unknown field report it and keep its hook', () => {
    const { config, problems } = parseHookConfig({
      PreToolUse: [{ hooks: [{ type: 'command', command: 'guard', timout: 5 }] }],
    })

    expect(config.PreToolUse).toHaveLength(1)
    expect(problems).toEqual([
      { path: 'PreToolUse[0].hooks[0].timout', message: 'is not a known field and has no effect.' },
    ])
  })

  test('may contain a function from code, but no function hook from JSON', () => {
    const run = () => undefined
    const settings = { PreToolUse: [{ hooks: [{ type: 'function', name: 'audit', run }] }] }

    const codeConfig = parseHookConfig(settings)
    const jsonConfig = parseHookConfig(JSON.parse(JSON.stringify(settings)))

    expect(codeConfig.config.PreToolUse?.map(({ label, identity }) => ({ label, identity }))).toEqual([
      { label: 'function audit', identity: run },
    ])
    expect(jsonConfig.config).toEqual({})
    expect(jsonConfig.problems.map(({ path }) => path)).toEqual(['PreToolUse[0].hooks[0].run'])
  })

  test('of any shape never make the parser throw', () => {
    const settings = fc.oneof(
      fc.anything(),
      fc.dictionary(
        fc.constantFrom(...HOOK_EVENTS),
        fc.array(fc.object({ key: fc.constantFrom('matcher', 'hooks', 'if', 'type') })),
      ),
    )
    fc.assert(
      fc.property(settings, (value) => {
        expect(Array.isArray(parseHookConfig(value).problems)).toBe(true)
      }),
      createPropertyOptions(),
    )
  })

  test('of several sources are joined in the order of the sources', () => {
    const createConfigWith = (command: string): HookConfig =>
      parseHookConfig({ Stop: [{ hooks: [{ type: 'command', command }] }] }).config

    const joinedConfig = joinHookConfigs([createConfigWith('user'), {}, createConfigWith('project')])

    expect(joinedConfig).toEqual({
      Stop: [expect.objectContaining({ label: 'command user' }), expect.objectContaining({ label: 'command project' })],
    })
  })
})
