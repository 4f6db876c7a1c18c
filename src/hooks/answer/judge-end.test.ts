import { expect, test } from 'vitest'
import { judgeEnd } from './judge-end.js'

test('a JSON object on stdout is read as the answer of a hook', () => {
  const text = ' {"decision":"block","reason":"The main branch is frozen"}\n'

  expect(judgeEnd('PreToolUse', { type: 'text', text })).toEqual({
    outcome: 'blocked',
    message: 'The main branch is frozen',
    answer: { permission: { behavior: 'deny', reason: 'The main branch is frozen' } },
  })
})

test.each(['[1,2]', '"allow"', 'true', 'Formatted 3 files'])(
  'the hook output %s is plain text and decides nothing',
  (text) => {
    expect(judgeEnd('PreToolUse', { type: 'text', text })).toEqual({ outcome: 'ok', message: text, answer: {} })
  },
)

test('hook output that is broken JSON is reported and decides nothing', () => {
  const text = '{"hookSpecificOutput":{"permissionDecision":"allow"}'

  expect(judgeEnd('PreToolUse', { type: 'text', text })).toEqual({
    outcome: 'ok',
    message: `The output looks like JSON but is not valid JSON, so it counts as text.\n${text}`,
    problems: ['The output looks like JSON but is not valid JSON, so it counts as text.'],
    answer: {},
  })
})

test.each(['UserPromptSubmit', 'SessionStart'] as const)(
  'plain text from a %s hook is context for the model',
  (event) => {
    expect(judgeEnd(event, { type: 'text', text: 'On branch main\n' })).toEqual({
      outcome: 'ok',
      message: 'On branch main',
      answer: { additionalContext: 'On branch main' },
    })
  },
)

test('empty hook output decides nothing', () => {
  expect(judgeEnd('PreToolUse', { type: 'text', text: ' \n' })).toEqual({ outcome: 'ok', answer: {} })
})

test.each([
  ['PreToolUse', { permission: { behavior: 'deny', reason: 'no' } }],
  ['PermissionRequest', { permission: { behavior: 'deny', reason: 'no' } }],
  ['PostToolUse', { blocked: 'no' }],
  ['Stop', { blocked: 'no' }],
] as const)('a %s hook that blocks raises an objection with its message as the reason', (event, answer) => {
  expect(judgeEnd(event, { type: 'blocked', message: 'no\n' })).toEqual({ outcome: 'blocked', message: 'no', answer })
})

test('a hook that blocks without a message gets a default reason', () => {
  expect(judgeEnd('PreToolUse', { type: 'blocked', message: '' }).answer).toEqual({
    permission: { behavior: 'deny', reason: 'A hook blocked this without giving a reason.' },
  })
})

test('unknown values in the answer of a hook are reported as problems', () => {
  expect(judgeEnd('PreToolUse', { type: 'answered', json: { decision: 'yes' } })).toEqual({
    outcome: 'ok',
    message: 'decision must be one of approve, block; it counts as ask.',
    problems: ['decision must be one of approve, block; it counts as ask.'],
    answer: { permission: { behavior: 'ask', reason: 'A hook answered with an unknown value of decision.' } },
  })
})

test('context from a hook is shown to the user unless the hook sets suppressOutput', () => {
  const json = { hookSpecificOutput: { additionalContext: 'On branch main' } }

  expect(judgeEnd('PostToolUse', { type: 'answered', json }).message).toBe('On branch main')
  expect(judgeEnd('PostToolUse', { type: 'answered', json: { ...json, suppressOutput: true } }).message).toBeUndefined()
})

test('a long message of a hook is truncated without splitting a surrogate pair', () => {
  const message = `${'a'.repeat(9_999)}😀${'b'.repeat(100)}`

  expect(judgeEnd('Stop', { type: 'blocked', message }).message).toBe(
    `${'a'.repeat(9_999)}\n[102 more characters were cut]`,
  )
})
