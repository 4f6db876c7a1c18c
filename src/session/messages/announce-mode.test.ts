import { expect, test } from 'vitest'
import type { Message } from '../../contract/messages.js'
import type { PermissionMode } from '../../contract/permission/context.js'
import { announceMode, formatModeNotice } from './announce-mode.js'

/** The texts that the model receives during a conversation with these modes. */
function collectAnnouncedTexts(...modes: PermissionMode[]): (string | undefined)[] {
  const messages: Message[] = [{ type: 'user', content: 'begin' }]
  return modes.map((mode) => {
    const attachment = announceMode(messages, mode)
    if (attachment === undefined) return undefined
    // Round trip through JSON, as in a transcript.
    messages.push(JSON.parse(JSON.stringify(attachment)))
    return formatModeNotice(messages.at(-1) as Message)
  })
}

test('announceMode announces only the start and the end of plan mode', () => {
  const planModeNotice = expect.stringContaining('Plan mode is on')
  const planModeOffNotice = expect.stringContaining('Plan mode is off')

  expect(
    collectAnnouncedTexts('default', 'acceptEdits', 'plan', 'plan', 'auto', 'default', 'plan', 'bypassPermissions'),
  ).toEqual([
    undefined,
    undefined,
    planModeNotice,
    undefined,
    planModeOffNotice,
    undefined,
    planModeNotice,
    planModeOffNotice,
  ])
})

test('announceMode announces the mode again after earlier messages were removed', () => {
  expect(collectAnnouncedTexts('plan')).toEqual([expect.stringContaining('call ExitPlanMode')])
})

test.each([null, 'plan', {}, { mode: 'planning' }, { mode: null }])('announceMode ignores invalid data: %j', (data) => {
  const message: Message = { type: 'attachment', kind: 'mode', data }

  expect(formatModeNotice(message)).toBeUndefined()
  expect(announceMode([message], 'default')).toBeUndefined()
  expect(announceMode([message], 'plan')).toBeDefined()
})
