import { expect, test } from 'vitest'
import { decideOn, NoteTool } from '../fixture-calls.js'
import { formatTrace } from './decision.js'

test('the trace of a decision is formatted as a table', async () => {
  const { trace } = await decideOn(NoteTool, {}, { rules: { allow: ['Note'] } })

  expect(formatTrace(trace)).toBe(
    [
      'deny rules   pass   no deny rule matches',
      'ask rules    pass   no ask rule matches',
      'tool         pass   the tool has no check of its own',
      'safety       pass   the call writes no protected file',
      'mode         pass   the mode default does not decide this call',
      'allow rules  allow  an allow rule from this session (Note)',
    ].join('\n'),
  )
})
