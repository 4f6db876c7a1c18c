import { expect, test } from 'vitest'
import { createStructuredOutput, readStructuredOutput } from '../../contract/attachments.js'
import type { Message } from '../../contract/messages.js'
import { createStructuredOutputReminder, formatStructuredOutputReminder } from './structured-output-reminder.js'

test('createStructuredOutputReminder reminds a model without structured output three times at most', () => {
  const messages: Message[] = [{ type: 'user', content: 'begin' }]
  for (let attempt = 1; attempt <= 3; attempt++) {
    const reminder = createStructuredOutputReminder(messages)
    expect(reminder && formatStructuredOutputReminder(reminder)).toContain('Call StructuredOutput')
    messages.push(JSON.parse(JSON.stringify(reminder)))
  }

  expect(createStructuredOutputReminder(messages)).toBeUndefined()
})

test('createStructuredOutputReminder does not remind after structured output, and the last output is read', () => {
  const messages = [createStructuredOutput(1), createStructuredOutput(null)]

  expect(createStructuredOutputReminder(messages)).toBeUndefined()
  expect(readStructuredOutput(messages)).toEqual({ value: null })
  expect(formatStructuredOutputReminder(messages[0] as Message)).toBeUndefined()
})

test('readStructuredOutput ignores malformed data', () => {
  const createReminder = (data: unknown): Message => ({ type: 'attachment', kind: 'structured_output', data })

  expect(readStructuredOutput([createReminder(null), createReminder({}), createReminder([1])])).toBeUndefined()
})
