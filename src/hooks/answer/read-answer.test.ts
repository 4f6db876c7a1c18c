import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { HOOK_EVENTS } from '../config/hook-events.js'
import { readAnswer } from './read-answer.js'

describe('the answer of a hook', () => {
  test('is read with all its fields', () => {
    const result = readAnswer('PreToolUse', {
      continue: true,
      stopReason: 'unused',
      suppressOutput: true,
      systemMessage: 'Mind the gap',
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'ask',
        permissionDecisionReason: 'Pushes are rare',
        updatedInput: { command: 'git push --dry-run' },
        additionalContext: 'The branch is protected',
      },
    })

    expect(result).toEqual({
      answer: {
        permission: { behavior: 'ask', reason: 'Pushes are rare' },
        updatedInput: { command: 'git push --dry-run' },
        additionalContext: 'The branch is protected',
        systemMessage: 'Mind the gap',
        suppressOutput: true,
      },
      problems: [],
    })
  })

  test.each([
    ['allow', { behavior: 'allow' }],
    ['deny', { behavior: 'deny' }],
    ['ask', { behavior: 'ask' }],
    ['defer', undefined],
  ])('with permissionDecision %s is read as the permission %j', (permissionDecision, permission) => {
    const { answer, problems } = readAnswer('PreToolUse', { hookSpecificOutput: { permissionDecision } })

    expect({ permission: answer.permission, problems }).toEqual({ permission, problems: [] })
  })

  test.each([
    ['PreToolUse', 'block', { permission: { behavior: 'deny', reason: 'no' } }],
    ['PreToolUse', 'approve', { permission: { behavior: 'allow', reason: 'no' } }],
    ['PostToolUse', 'block', { blocked: 'no' }],
    ['PostToolUse', 'approve', {}],
    ['Stop', 'block', { blocked: 'no' }],
  ] as const)('to %s may use the older field `decision` with %s', (event, decision, expected) => {
    expect(readAnswer(event, { decision, reason: 'no' })).toEqual({ answer: expected, problems: [] })
  })

  test.each([
    ['approve', 'deny', 'deny'],
    ['block', 'allow', 'deny'],
    ['approve', 'ask', 'ask'],
  ])('with decision %s and permissionDecision %s is read as %s', (decision, permissionDecision, behavior) => {
    const { answer } = readAnswer('PreToolUse', { decision, hookSpecificOutput: { permissionDecision } })

    expect(answer.permission?.behavior).toBe(behavior)
  })

  test('to PermissionRequest may contain a decision object with a behavior', () => {
    const decision = { behavior: 'allow', updatedInput: { path: 'a' } }

    const result = readAnswer('PermissionRequest', { hookSpecificOutput: { decision } })

    expect(result).toEqual({ answer: { permission: { behavior: 'allow' }, updatedInput: { path: 'a' } }, problems: [] })
  })

  test('that ends the conversation denies the call', () => {
    const json = { continue: false, stopReason: 'Budget spent', hookSpecificOutput: { permissionDecision: 'allow' } }

    expect(readAnswer('PreToolUse', json).answer).toEqual({
      stop: 'Budget spent',
      permission: { behavior: 'deny', reason: 'Budget spent' },
    })
    expect(readAnswer('PostToolUse', { continue: false }).answer).toEqual({
      stop: 'A hook stopped the conversation without a reason.',
    })
  })

  test.each(['updatedToolOutput', 'updatedMCPToolOutput'])('may replace the output through %s', (field) => {
    const { answer } = readAnswer('PostToolUse', { hookSpecificOutput: { [field]: 0 } })

    expect(answer).toEqual({ updatedOutput: { value: 0 } })
  })

  test('is read without fields of the wrong type, and each of them is reported', () => {
    const result = readAnswer('PreToolUse', {
      continue: 'no',
      stopReason: 1,
      suppressOutput: 'yes',
      systemMessage: {},
      decision: 'allow',
      reason: [],
      hookSpecificOutput: {
        permissionDecision: 'Allow',
        permissionDecisionReason: 5,
        updatedInput: ['a'],
        additionalContext: 7,
        updatedToolOutput: null,
      },
    })

    expect(result.answer).toEqual({
      permission: {
        behavior: 'ask',
        reason:
          'A hook answered with an unknown value of decision.\nA hook answered with an unknown value of permissionDecision.',
      },
    })
    expect([...result.problems].sort()).toEqual([
      'additionalContext must be a string; it was ignored.',
      'continue must be true or false; it was ignored.',
      'decision must be one of approve, block; it counts as ask.',
      'permissionDecision must be one of allow, deny, ask, defer; it counts as ask.',
      'permissionDecisionReason must be a string; it was ignored.',
      'reason must be a string; it was ignored.',
      'stopReason must be a string; it was ignored.',
      'suppressOutput must be true or false; it was ignored.',
      'systemMessage must be a string; it was ignored.',
      'updatedInput must be an object; it was ignored.',
      'updatedToolOutput is null and was ignored.',
    ])
  })

  test('is read without hookSpecificOutput if this field names another event', () => {
    const json = { hookSpecificOutput: { hookEventName: 'PostToolUse', permissionDecision: 'allow' } }

    expect(readAnswer('PreToolUse', json)).toEqual({
      answer: {},
      problems: ['hookSpecificOutput is for PostToolUse, not for PreToolUse, and was ignored.'],
    })
  })

  test.each([
    ['PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'no' }],
    ['PreToolUse', { permissionDecision: 'DENY' }],
    ['PermissionRequest', { decision: { behavior: 'deny' } }],
  ] as const)('to %s that denies under a misspelt event name counts as ask: %j', (event, fields) => {
    const result = readAnswer(event, { hookSpecificOutput: { hookEventName: 'PreTooluse', ...fields } })

    const problem = `hookSpecificOutput is for PreTooluse, not for ${event}, so its decision counts as ask.`
    expect(result).toEqual({ answer: { permission: { behavior: 'ask', reason: problem } }, problems: [problem] })
  })

  test.each([
    ['PreToolUse', { hookSpecificOutput: { permissionDecision: 'DENY' } }],
    ['PreToolUse', { hookSpecificOutput: { permissionDecision: 'block' } }],
    ['PreToolUse', { hookSpecificOutput: { permissionDecision: false } }],
    ['PreToolUse', { decision: 'deny' }],
    ['PermissionRequest', { hookSpecificOutput: { decision: { behavior: 'Deny' } } }],
  ] as const)('to %s with an unknown decision counts as ask: %j', (event, fields) => {
    const { answer, problems } = readAnswer(event, fields)

    expect(answer.permission?.behavior).toBe('ask')
    expect(problems).toEqual([expect.stringContaining('counts as ask')])
  })

  test('decides nothing about permission for events without a permission decision', () => {
    const json = { hookSpecificOutput: { permissionDecision: 'allow' } }

    expect(readAnswer('PostToolUse', json)).toEqual({
      answer: {},
      problems: ['permissionDecision has no meaning for PostToolUse and was ignored.'],
    })
  })

  test('is read without inherited properties', () => {
    const json = Object.create({ decision: 'approve' }) as Record<string, unknown>

    expect(readAnswer('PreToolUse', json)).toEqual({ answer: {}, problems: [] })
  })

  test('allows a call only with the exact value allow or approve', () => {
    const value = fc.oneof(fc.anything(), fc.constantFrom('allow', 'approve', 'Allow', ' allow', true, ['allow']))
    const json = fc.record({
      decision: value,
      permissionDecision: value,
      hookSpecificOutput: fc.oneof(
        value,
        fc.record({ permissionDecision: value, decision: fc.record({ behavior: value }) }),
      ),
    })
    fc.assert(
      fc.property(fc.constantFrom(...HOOK_EVENTS), json, (event, answer) => {
        const { permission } = readAnswer(event, answer).answer
        const specificOutput = answer.hookSpecificOutput as
          | { permissionDecision?: unknown; decision?: { behavior?: unknown } }
          | null
          | undefined
        const isAllowRequested =
          answer.decision === 'approve' ||
          specificOutput?.permissionDecision === 'allow' ||
          (event === 'PermissionRequest' && specificOutput?.decision?.behavior === 'allow')

        expect(permission?.behavior === 'allow' && !isAllowRequested).toBe(false)
      }),
      createPropertyOptions(),
    )
  })
})
