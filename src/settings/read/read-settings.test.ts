import { describe, expect, test } from 'vitest'
import type { RuleSource } from '../../contract/permission/context.js'
import { readSettingsText } from './read-settings.js'

function read(text: string, source: RuleSource = 'userSettings') {
  const { settings, problems, isComplete } = readSettingsText(text, { source, file: '/s.json', name: '/s.json' })
  return { settings, isComplete, problems: problems.map(({ severity, message }) => `${severity} ${message}`) }
}

describe('unknown keys', () => {
  test('are kept and reported with the closest known name', () => {
    expect(read('{\n  "permisions": { "deny": ["Bash"] },\n  "zzz": 1\n}')).toEqual({
      settings: { permisions: { deny: ['Bash'] }, zzz: 1 },
      isComplete: true,
      problems: [
        'warning /s.json:2:17: unknown key "permisions" has no effect. Did you mean permissions?',
        'warning /s.json:3:10: unknown key "zzz" has no effect.',
      ],
    })
  })

  test('are reported inside permissions', () => {
    expect(read('{ "permissions": { "denny": ["Bash"] } }').problems).toEqual([
      'warning /s.json:1:29: unknown key "permissions.denny" has no effect. Did you mean deny?',
    ])
  })

  test('do not include $schema', () => {
    expect(read('{ "$schema": "x" }').problems).toEqual([])
  })
})

describe('invalid rules', () => {
  test('are removed from allow and stay in deny and ask', () => {
    const rules = ['Bash(ls', 'Read', 'Read', '']

    const { settings, problems, isComplete } = read(
      JSON.stringify({ permissions: { allow: rules, deny: rules, ask: rules } }),
    )

    expect(settings.permissions).toEqual({
      allow: ['Read'],
      deny: ['Bash(ls', 'Read', ''],
      ask: ['Bash(ls', 'Read', ''],
    })
    expect(problems).toHaveLength(6)
    expect(problems[0]).toBe(
      'error /s.json:1:26: Permission rule "Bash(ls" must end with a closing parenthesis. It is ignored.',
    )
    expect(isComplete).toBe(true)
  })
})

describe('values of the wrong type', () => {
  test('are ignored individually; valid values are used', () => {
    const text =
      '{ "model": 7, "env": { "A": "1", "B": [], "C=": "x" }, "permissions": { "allow": ["Read", 3], "deny": ["Bash"] } }'

    expect(read(text)).toEqual({
      settings: { env: { A: '1' }, permissions: { allow: ['Read'], deny: ['Bash'] } },
      isComplete: true,
      problems: expect.arrayContaining([
        'error /s.json:1:12: model: Invalid input: expected string, received number. It is ignored.',
        expect.stringContaining('permissions.allow[1]'),
        expect.stringContaining('env.B'),
        expect.stringContaining('env.C='),
      ]),
    })
  })

  test.each([
    '{ "permissions": [] }',
    '{ "permissions": { "deny": [1] } }',
    '{ "permissions": { "ask": {} } }',
    '{ "permissions": { "defaultMode": "plann" } }',
    '{ "permissions": { "disableModes": ["bypass"] } }',
    '{ "hooks": [] }',
    '{ "allowManagedRulesOnly": "yes" }',
    '[]',
    '"x"',
    '',
  ])('make %j incomplete, because a strict setting may have been ignored', (text) => {
    const { isComplete, problems } = read(text, 'policy')

    expect(isComplete).toBe(false)
    expect(problems).toEqual([expect.stringMatching(/^error /)])
  })

  test('are accepted for deny rules: a single rule counts as a list of one', () => {
    expect(read('{ "permissions": { "deny": "Bash" } }')).toEqual({
      settings: { permissions: { deny: ['Bash'] } },
      isComplete: true,
      problems: ['warning /s.json:1:28: permissions.deny must be a list; treated as a list of one.'],
    })
  })
})

describe('a malformed text', () => {
  test('keeps only deny and ask rules, from every occurrence of a duplicate key', () => {
    const text =
      '{ "permissions": { "deny": ["A"], "allow": ["X"] }, "model": "m", "permissions": { "ask": ["B"], "deny": ["C"] } }'

    expect(read(text)).toEqual({
      settings: { permissions: { deny: ['A', 'C'], ask: ['B'] } },
      isComplete: false,
      problems: [expect.stringMatching(/^error \/s\.json:1:67: duplicate key "permissions"\./)],
    })
  })
})

test('a managed switch outside the policy is reported', () => {
  expect(read('{ "allowManagedHooksOnly": true }').problems).toEqual([
    'warning /s.json:1:28: allowManagedHooksOnly has an effect only in the managed policy.',
  ])
  expect(read('{ "allowManagedHooksOnly": true }', 'policy').problems).toEqual([])
})

test('control characters in a file are escaped in messages', () => {
  const { problems } = read(`{ "evil\\n\\u001b[2J\u009b\u202e": 1 }`)

  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters looked for
  expect(problems.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
})

test.each([
  ['rules', { permissions: { allow: Array.from({ length: 100_000 }, () => '(') } }],
  ['values', { permissions: { allow: Array.from({ length: 100_000 }, () => 1) } }],
  ['keys', Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i]))],
])('a file with many invalid %s is reported with the first problems and the number of the others', (_, value) => {
  const { problems } = read(JSON.stringify(value))

  expect(problems).toHaveLength(21)
  expect(problems.at(-1)).toMatch(/^error \/s\.json: further problems that are not listed: \d+\.$/)
})

describe('programs that run after an edit', () => {
  test('are used as written', () => {
    const settings = {
      formatters: { biome: { command: 'biome', args: ['format', '$FILE'], extensions: ['.ts'] } },
      languageServers: { ts: { command: 'tsserver', extensions: { '.ts': 'typescript' }, initializationOptions: 1 } },
    }
    expect(read(JSON.stringify(settings))).toEqual({ settings, isComplete: true, problems: [] })
  })

  test.each([
    ['formatters', { extensions: ['.ts'] }, 'a.command'],
    ['formatters', { command: '', extensions: ['.ts'] }, 'a.command'],
    ['formatters', { command: 'x', extensions: [] }, 'a.extensions'],
    ['formatters', { command: 'x', extensions: ['ts'] }, 'a.extensions[0]: must start with a dot, as in ".ts"'],
    ['formatters', { command: 'x', args: '-w', extensions: ['.ts'] }, 'a.args'],
    ['formatters', 'biome', 'a: '],
    ['languageServers', { command: ['x'], extensions: {} }, 'a.command'],
    ['languageServers', { command: 'x', extensions: ['.ts'] }, 'a.extensions'],
    ['languageServers', { command: 'x', extensions: { ts: 'typescript' } }, 'a.extensions.ts'],
    ['languageServers', { command: 'x', memoryMb: 1 }, 'a.memoryMb'],
  ])('in %s are ignored as a whole if their entry is %j, and the key is reported', (key, invalidEntry, problemPath) => {
    const validEntry = { command: 'y', extensions: key === 'formatters' ? ['.js'] : { '.js': 'javascript' } }
    const { settings, problems, isComplete } = read(JSON.stringify({ [key]: { a: invalidEntry, b: validEntry } }))

    expect(settings).toEqual({ [key]: { b: validEntry } })
    expect(problems).toEqual([expect.stringContaining(`${key}.${problemPath}`)])
    expect(problems[0]).toMatch(/is ignored\.$/)
    expect(isComplete).toBe(true)
  })

  test('with unknown keys are reported', () => {
    const text = JSON.stringify({ formatters: { a: { command: 'x', extensions: ['.ts'], arg: [] } } })
    expect(read(text).problems).toEqual([
      expect.stringContaining('unknown key "formatters.a.arg" has no effect. Did you mean args?'),
    ])
  })
})

describe('a model provider', () => {
  const PROJECT_ORIGIN = { source: 'projectSettings', name: 'settings.json' } as const

  test('with an API key in a project file works and causes a warning', () => {
    const providers = { mine: { type: 'openai', baseUrl: 'http://localhost:1/v1', apiKey: 'secret' } }

    const { settings, problems } = readSettingsText(JSON.stringify({ providers }), PROJECT_ORIGIN)

    expect(settings).toEqual({ providers })
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /providers\.mine\.apiKey: the key is shared with everyone who has the project\. Use apiKeyEnv/,
      ),
    ])
    expect(
      readSettingsText(JSON.stringify({ providers }), { ...PROJECT_ORIGIN, source: 'userSettings' }).problems,
    ).toEqual([])
  })

  test('that is partly invalid is ignored as a whole', () => {
    const validModel = { type: 'anthropic' }
    const text = JSON.stringify({ providers: { bad: { type: 'openai', baseUrl: 'file:///etc' }, good: validModel } })

    const { settings, problems } = readSettingsText(text, PROJECT_ORIGIN)

    expect(settings).toEqual({ providers: { good: validModel } })
    expect(problems).toHaveLength(1)
  })
})
