import { expect, test } from 'vitest'
import type { Message } from '../../contract/messages.js'
import type { PermissionMode } from '../../contract/permission/context.js'
import { announceMode, modeText } from './announce-mode.js'

/** What the model reads in the course of a conversation with these modes. */
function told(...modes: PermissionMode[]): (string | undefined)[] {
  const messages: Message[] = [{ type: 'user', content: 'begin' }]
  return modes.map((mode) => {
    const attachment = announceMode(messages, mode)
    if (attachment === undefined) return undefined
    // As a transcript would bring it back.
    messages.push(JSON.parse(JSON.stringify(attachment)))
    return modeText(messages.at(-1) as Message)
  })
}

test('the model hears of plan mode when it begins and when it is over, and of nothing else', () => {
  const begins = expect.stringContaining('Plan mode is on')
  const ends = expect.stringContaining('Plan mode is off')

  expect(told('default', 'acceptEdits', 'plan', 'plan', 'auto', 'default', 'plan', 'bypassPermissions')).toEqual([
    undefined,
    undefined,
    begins,
    undefined,
    ends,
    undefined,
    begins,
    ends,
  ])
})

test('a conversation that lost its beginning is told again', () => {
  expect(told('plan')).toEqual([expect.stringContaining('call ExitPlanMode')])
})

test.each([null, 'plan', {}, { mode: 'planning' }, { mode: null }])('data that is none tells nothing: %j', (data) => {
  const message: Message = { type: 'attachment', kind: 'mode', data }

  expect(modeText(message)).toBeUndefined()
  expect(announceMode([message], 'default')).toBeUndefined()
  expect(announceMode([message], 'plan')).toBeDefined()
})
