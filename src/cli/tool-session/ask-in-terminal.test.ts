import { describe, expect, test } from 'vitest'
import type { PermissionQuestion } from '../../calls/call-environment.js'
import type { PermissionUpdate } from '../../contract/permission/result.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import type { CommandHost } from '../io/command.js'
import { askInTerminal } from './ask-in-terminal.js'

const rule: PermissionUpdate = {
  type: 'addRules',
  destination: 'localSettings',
  behavior: 'allow',
  rules: ['Edit(/n.txt)'],
}
const mode: PermissionUpdate = { type: 'setMode', destination: 'session', mode: 'acceptEdits' }
const tool = buildTool({
  name: 'Write',
  description: 'Writes',
  inputJSONSchema: { type: 'object' },
  call: async () => ({ data: '' }),
})
const OPEN = { projectRoot: '/p', isTrusted: true, restrictions: { managedRulesOnly: false, forbiddenModes: [] } }

/** Asks a question with these typed lines; returns the answer and the output. */
async function ask(
  typed: readonly string[],
  settings: Partial<typeof OPEN> = {},
  message = 'Write needs approval.',
  input: Record<string, unknown> = { file: 'n.txt', content: 'one\ntwo', times: 3 },
  more: Partial<PermissionQuestion> = {},
) {
  const lines = [...typed]
  let shown = ''
  const host = {
    homeDir: '/h',
    readLine: async (prompt: string) => {
      shown += prompt
      return lines.shift()
    },
  } as Partial<CommandHost> as CommandHost
  const question: PermissionQuestion = {
    toolUseId: '1',
    tool,
    input,
    message,
    reason: { type: 'default', text: '' },
    suggestions: [rule, mode],
    signal: new AbortController().signal,
    ...more,
  }
  const err = (text: string) => {
    shown += text
  }
  return { answer: await askInTerminal({ err }, host, { ...OPEN, ...settings })(question), shown }
}

describe('a permission question', () => {
  test('shows the call, the exact rule and the file it is saved to', async () => {
    expect((await ask(['1'])).shown).toMatchInlineSnapshot(`
      "Write needs approval.
        Write
          file: n.txt
          content: one
            two
          times: 3
        1  yes, once
        2  always (save Edit(/n.txt) to /p/.haft/settings.local.json)
        3  no
        4  no, and tell the model what to do instead
      Answer 1 to 4: "
    `)
  })

  test.each([
    [['1'], { behavior: 'allow' }],
    [['2'], { behavior: 'allow', updates: [rule] }],
    [['3'], { behavior: 'deny' }],
    [['4', ' use b.txt '], { behavior: 'deny', message: 'use b.txt' }],
    [['4', ''], { behavior: 'deny' }],
    [['', 'yes', '5', '0', '1'], { behavior: 'allow' }],
    [[], { behavior: 'deny' }],
  ])('answered with %j', async (typed, answer) => {
    expect((await ask(typed)).answer).toEqual(answer)
  })

  test.each([
    ['the managed policy allows no other rules', { restrictions: { managedRulesOnly: true, forbiddenModes: [] } }],
    ['the project is not trusted', { isTrusted: false }],
  ])('offers no rule to save if %s', async (_, settings) => {
    const { answer, shown } = await ask(['2'], settings)
    expect(answer).toEqual({ behavior: 'deny' })
    expect(shown).not.toContain('always')
  })

  test('shows the preview and escapes control characters in it', async () => {
    const { shown } = await ask(['1'], {}, 'x', { command: 'c' }, { preview: 'It changes n:\n-one\n+\u001b[2Jtwo' })
    expect(shown).toContain('    command: c\n    It changes n:\n      -one\n      +\\u001b[2Jtwo\n')
  })

  test('explains that rules can only be saved in a trusted project', async () => {
    expect((await ask(['1'], { isTrusted: false })).shown).toContain(
      'Rules can only be saved in a trusted project (--trust)',
    )
    expect((await ask(['1'])).shown).not.toContain('trusted')
  })

  test('shows how much of a huge input is hidden', async () => {
    const { shown } = await ask(['1'], {}, 'Write needs approval.', { content: 'x'.repeat(10_005) })
    expect(shown).toContain(`content: ${'x'.repeat(10_000)}\n      [5 more characters not shown]\n`)
  })

  test('escapes control characters', async () => {
    expect((await ask(['1'], {}, 'do\u001b[2Jit')).shown).toContain('do\\u001b[2Jit')
  })
})
