import { expect, test } from 'vitest'
import { judgeEnd } from './judge-end.js'

test('an object on stdout is an answer', () => {
  const text = ' {"decision":"block","reason":"Not on a Friday"}\n'

  expect(judgeEnd('PreToolUse', { type: 'said', text })).toEqual({
    outcome: 'blocked',
    message: 'Not on a Friday',
    answer: { permission: { behavior: 'deny', reason: 'Not on a Friday' } },
  })
})

test.each(['[1,2]', '"allow"', 'true', 'Formatted 3 files'])('%s on stdout is text, and decides nothing', (text) => {
  expect(judgeEnd('PreToolUse', { type: 'said', text })).toEqual({ outcome: 'ok', message: text, answer: {} })
})

test('JSON that is broken is pointed out, and decides nothing', () => {
  const text = '{"hookSpecificOutput":{"permissionDecision":"allow"}'

  expect(judgeEnd('PreToolUse', { type: 'said', text })).toEqual({
    outcome: 'ok',
    message: `The output looks like JSON but cannot be read as such, so it counts as text.\n${text}`,
    problems: ['The output looks like JSON but cannot be read as such, so it counts as text.'],
    answer: {},
  })
})

test.each(['UserPromptSubmit', 'SessionStart'] as const)('text is context for the model at %s', (event) => {
  expect(judgeEnd(event, { type: 'said', text: 'On branch main\n' })).toEqual({
    outcome: 'ok',
    message: 'On branch main',
    answer: { additionalContext: 'On branch main' },
  })
})

test('silence is no opinion', () => {
  expect(judgeEnd('PreToolUse', { type: 'said', text: ' \n' })).toEqual({ outcome: 'ok', answer: {} })
})

test.each([
  ['PreToolUse', { permission: { behavior: 'deny', reason: 'no' } }],
  ['PermissionRequest', { permission: { behavior: 'deny', reason: 'no' } }],
  ['PostToolUse', { blocked: 'no' }],
  ['Stop', { blocked: 'no' }],
] as const)('a blocked %s is an objection', (event, answer) => {
  expect(judgeEnd(event, { type: 'blocked', message: 'no\n' })).toEqual({ outcome: 'blocked', message: 'no', answer })
})

test('an objection without words still objects', () => {
  expect(judgeEnd('PreToolUse', { type: 'blocked', message: '' }).answer).toEqual({
    permission: { behavior: 'deny', reason: 'A hook objected without a reason.' },
  })
})

test('what is not understood in an answer is told', () => {
  expect(judgeEnd('PreToolUse', { type: 'answered', json: { decision: 'yes' } })).toEqual({
    outcome: 'ok',
    message: 'decision must be one of approve, block and counts as ask.',
    problems: ['decision must be one of approve, block and counts as ask.'],
    answer: { permission: { behavior: 'ask', reason: 'A hook answered with a decision that is not understood.' } },
  })
})

test('context is shown to the user unless the hook asks for silence', () => {
  const json = { hookSpecificOutput: { additionalContext: 'On branch main' } }

  expect(judgeEnd('PostToolUse', { type: 'answered', json }).message).toBe('On branch main')
  expect(judgeEnd('PostToolUse', { type: 'answered', json: { ...json, suppressOutput: true } }).message).toBeUndefined()
})

test('a flood of words is cut between characters', () => {
  const message = `${'a'.repeat(9_999)}😀${'b'.repeat(100)}`

  expect(judgeEnd('Stop', { type: 'blocked', message }).message).toBe(
    `${'a'.repeat(9_999)}\n[102 more characters were cut]`,
  )
})
