import { describe, expect, test } from 'vitest'
import type { PermissionQuestion } from '../../calls/call-environment.js'
import type { PermissionUpdate } from '../../contract/permission/result.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import type { CommandHost } from '../io/command.js'
import { askInTerminal } from './ask-in-terminal.js'

const ruleUpdate: PermissionUpdate = {
  type: 'addRules',
  destination: 'localSettings',
  behavior: 'allow',
  rules: ['Edit(/n.txt)'],
}
const modeUpdate: PermissionUpdate = { type: 'setMode', destination: 'session', mode: 'acceptEdits' }
const tool = buildTool({
  name: 'Write',
  description: 'Writes',
  inputJSONSchema: { type: 'object' },
  call: async () => ({ data: '' }),
})
const UNRESTRICTED_CONTEXT = {
  projectRoot: '/p',
  isTrusted: true,
  restrictions: { managedRulesOnly: false, forbiddenModes: [] },
}

/** Asks a question with these typed lines; returns the answer and the output. */
async function ask(
  typedLines: readonly string[],
  settings: Partial<typeof UNRESTRICTED_CONTEXT> = {},
  message = 'Write needs approval.',
  input: Record<string, unknown> = { file: 'n.txt', content: 'one\ntwo', times: 3 },
  questionFields: Partial<PermissionQuestion> = {},
) {
  const lines = [...typedLines]
  let output = ''
  const host = {
    homeDir: '/h',
    readLine: async (prompt: string) => {
      output += prompt
      return lines.shift()
    },
  } as Partial<CommandHost> as CommandHost
  const question: PermissionQuestion = {
    toolUseId: '1',
    tool,
    input,
    message,
    reason: { type: 'default', text: '' },
    suggestions: [ruleUpdate, modeUpdate],
    isDestructive: false,
    requiresUser: false,
    signal: new AbortController().signal,
    ...questionFields,
  }
  const err = (text: string) => {
    output += text
  }
  return { answer: await askInTerminal({ err }, host, { ...UNRESTRICTED_CONTEXT, ...settings })(question), output }
}

describe('a permission question', () => {
  test('shows the call, the exact rule and the file it is saved to', async () => {
    expect((await ask(['1'])).output).toMatchInlineSnapshot(`
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
    [['2'], { behavior: 'allow', updates: [ruleUpdate] }],
    [['3'], { behavior: 'deny' }],
    [['4', ' use b.txt '], { behavior: 'deny', message: 'use b.txt' }],
    [['4', ''], { behavior: 'deny' }],
    [['', 'yes', '5', '0', '1'], { behavior: 'allow' }],
    [[], { behavior: 'deny' }],
  ])('answered with the typed lines %j returns %j', async (typedLines, answer) => {
    expect((await ask(typedLines)).answer).toEqual(answer)
  })

  test.each([
    ['the managed policy allows no other rules', { restrictions: { managedRulesOnly: true, forbiddenModes: [] } }],
    ['the project is not trusted', { isTrusted: false }],
  ])('offers no rule to save if %s', async (_, settings) => {
    const { answer, output } = await ask(['2'], settings)
    expect(answer).toEqual({ behavior: 'deny' })
    expect(output).not.toContain('always')
  })

  test('shows the preview and escapes control characters in it', async () => {
    const { output } = await ask(['1'], {}, 'x', { command: 'c' }, { preview: 'It changes n:\n-one\n+\u001b[2Jtwo' })
    expect(output).toContain('    command: c\n    It changes n:\n      -one\n      +\\u001b[2Jtwo\n')
  })

  test('explains that rules can only be saved in a trusted project', async () => {
    expect((await ask(['1'], { isTrusted: false })).output).toContain(
      'Rules can only be saved in a trusted project (--trust)',
    )
    expect((await ask(['1'])).output).not.toContain('trusted')
  })

  test('shows how much of a huge input is hidden', async () => {
    const { output } = await ask(['1'], {}, 'Write needs approval.', { content: 'x'.repeat(10_005) })
    expect(output).toContain(`content: ${'x'.repeat(10_000)}\n      [5 more characters not shown]\n`)
  })

  test('escapes control characters in its message', async () => {
    expect((await ask(['1'], {}, 'do\u001b[2Jit')).output).toContain('do\\u001b[2Jit')
  })
})
