import { expect, test } from 'vitest'
import { decideOn, NoteTool } from '../fixture-calls.js'
import { formatTrace } from './decision.js'

test('the way to a decision reads as a table', async () => {
  const { trace } = await decideOn(NoteTool, {}, { rules: { allow: ['Note'] } })

  expect(formatTrace(trace)).toBe(
    [
      'deny rules   pass   no deny rule matches',
      'ask rules    pass   no ask rule matches',
      'tool         pass   the tool has no opinion of its own',
      'safety       pass   nothing protected is written',
      'mode         pass   default leaves it open',
      'allow rules  allow  an allow rule from this session (Note)',
    ].join('\n'),
  )
})
