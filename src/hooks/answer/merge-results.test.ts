import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import type { HookAnswer } from './hook-answer.js'
import { type HookResult, mergeResults } from './merge-results.js'

const STRICTEST_FIRST = ['deny', 'ask', 'allow', 'nothing'] as const
type Opinion = (typeof STRICTEST_FIRST)[number]

const OPINION_PAIRS: [Opinion, Opinion, Opinion][] = [
  ['deny', 'deny', 'deny'],
  ['deny', 'ask', 'deny'],
  ['deny', 'allow', 'deny'],
  ['deny', 'nothing', 'deny'],
  ['ask', 'deny', 'deny'],
  ['ask', 'ask', 'ask'],
  ['ask', 'allow', 'ask'],
  ['ask', 'nothing', 'ask'],
  ['allow', 'deny', 'deny'],
  ['allow', 'ask', 'ask'],
  ['allow', 'allow', 'allow'],
  ['allow', 'nothing', 'allow'],
  ['nothing', 'deny', 'deny'],
  ['nothing', 'ask', 'ask'],
  ['nothing', 'allow', 'allow'],
  ['nothing', 'nothing', 'nothing'],
]

function createResult(hook: string, answer: HookAnswer, cancelled = false): HookResult {
  const report = { hookEvent: 'PreToolUse', hook, outcome: 'ok' } as const
  return cancelled ? { report, answer, cancelled } : { report, answer }
}

function createOpinion(behavior: Opinion, reason: string): HookAnswer {
  return behavior === 'nothing' ? {} : { permission: { behavior, reason } }
}

describe('mergeResults', () => {
  test.each(OPINION_PAIRS)('merges the opinions %s and %s to %s', (first, second, mergedOpinion) => {
    const outcome = mergeResults('PreToolUse', [
      createResult('a', createOpinion(first, 'A')),
      createResult('b', createOpinion(second, 'B')),
    ])

    const reason = [...(first === mergedOpinion ? ['A'] : []), ...(second === mergedOpinion ? ['B'] : [])].join('\n')
    expect(outcome.permission).toEqual(mergedOpinion === 'nothing' ? undefined : { behavior: mergedOpinion, reason })
  })

  test('gives the name of a hook that decided without a reason as the reason', () => {
    const outcome = mergeResults('PreToolUse', [
      createResult('command ./guard.sh', { permission: { behavior: 'deny' } }),
    ])

    expect(outcome.permission).toEqual({ behavior: 'deny', reason: 'Decided by the hook command ./guard.sh.' })
  })

  test('uses the changed input of the hook configured last, and warns if several hooks changed it', () => {
    const outcome = mergeResults('PreToolUse', [
      createResult('a', { updatedInput: { n: 1 } }),
      createResult('b', { updatedInput: { n: 2 } }),
      createResult('c', {}),
    ])

    expect(outcome.updatedInput).toEqual({ n: 2 })
    expect(outcome.reports.at(-1)).toEqual({
      hookEvent: 'PreToolUse',
      hook: 'b',
      outcome: 'ok',
      message: 'Several hooks changed the input. Only the change by the last one counts: b.',
      forUser: 'Several hooks changed the input. Only the change by the last one counts: b.',
    })
  })

  test('uses the changed output of the hook configured last, and warns if several hooks changed it', () => {
    const outcome = mergeResults('PostToolUse', [
      createResult('a', { updatedOutput: { value: 'x' } }),
      createResult('b', { updatedOutput: { value: false } }),
    ])

    expect(outcome.updatedOutput).toEqual({ value: false })
    expect(outcome.reports.at(-1)?.message).toBe(
      'Several hooks changed the output. Only the change by the last one counts: b.',
    )
  })

  test('does not warn about a single change', () => {
    const outcome = mergeResults('PreToolUse', [createResult('a', { updatedInput: { n: 1 } }), createResult('b', {})])

    expect(outcome.reports.map(({ hook, message }) => ({ hook, message }))).toEqual([
      { hook: 'a', message: undefined },
      { hook: 'b', message: undefined },
    ])
  })

  test('keeps contexts, objections and stops in configured order', () => {
    const outcome = mergeResults('PostToolUse', [
      createResult('a', { additionalContext: 'c1', blocked: 'b1', stop: 's1' }),
      createResult('b', {}),
      createResult('c', { additionalContext: 'c3', blocked: 'b3', stop: 's3' }),
    ])

    expect(outcome).toEqual({
      blocked: 'b1\nb3',
      stop: 's1\ns3',
      additionalContext: ['c1', 'c3'],
      reports: ['a', 'b', 'c'].map((hook) => ({ hookEvent: 'PreToolUse', hook, outcome: 'ok' })),
      cancelled: false,
    })
  })

  test('denies a call if one of its hooks was cancelled, whatever the other hooks answered', () => {
    const outcome = mergeResults('PreToolUse', [
      createResult('a', { permission: { behavior: 'allow' } }),
      createResult('b', {}, true),
    ])

    expect(outcome).toMatchObject({
      cancelled: true,
      permission: { behavior: 'deny', reason: 'The call was cancelled while its hooks ran.' },
    })
  })

  test('does not deny because of a cancelled hook if the event does not decide permission', () => {
    const outcome = mergeResults('PostToolUse', [createResult('a', {}, true)])

    expect(outcome).toMatchObject({ cancelled: true })
    expect(outcome.permission).toBeUndefined()
  })

  test('yields the strictest of any number of opinions in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...STRICTEST_FIRST), { maxLength: 8 }), (opinions) => {
        const results = opinions.map((behavior, index) => createResult(`${index}`, createOpinion(behavior, `${index}`)))

        const { permission } = mergeResults('PreToolUse', results)

        const strictestOpinion = STRICTEST_FIRST.find((behavior) => opinions.includes(behavior)) ?? 'nothing'
        expect(permission?.behavior ?? 'nothing').toBe(strictestOpinion)
      }),
      createPropertyOptions(),
    )
  })

  test('yields the last of any number of changes, with a warning only if there are several', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.integer(), { nil: undefined }), { maxLength: 8 }), (changes) => {
        const results = changes.map((n, index) =>
          createResult(`${index}`, n === undefined ? {} : { updatedInput: { n } }),
        )

        const outcome = mergeResults('PreToolUse', results)

        const definedChanges = changes.filter((n) => n !== undefined)
        expect(outcome.updatedInput).toEqual(definedChanges.length === 0 ? undefined : { n: definedChanges.at(-1) })
        expect(outcome.reports.length - results.length).toBe(definedChanges.length > 1 ? 1 : 0)
      }),
      createPropertyOptions(),
    )
  })
})
