import { expect, test } from 'vitest'
import { buildPayload, serialisePayload } from './hook-payload.js'

const SESSION_FIELDS = { session_id: 's1', transcript_path: '/t.jsonl', cwd: '/work', permission_mode: 'plan' } as const

test('the payload of a tool event contains exactly the fields of the specification', () => {
  const fields = { tool_name: 'Read', tool_input: { file_path: 'a' }, tool_use_id: 'u1', tool_response: 'text' }

  const json = serialisePayload(buildPayload('PostToolUse', SESSION_FIELDS, fields))

  expect(json).toBe(
    '{"session_id":"s1","transcript_path":"/t.jsonl","cwd":"/work","permission_mode":"plan","hook_event_name":"PostToolUse","tool_name":"Read","tool_input":{"file_path":"a"},"tool_use_id":"u1","tool_response":"text"}',
  )
})

test('fields of an event cannot override the fields of the session', () => {
  const payload = buildPayload('Notification', SESSION_FIELDS, {
    message: 'hi',
    cwd: '/elsewhere',
    hook_event_name: 'Stop',
  })

  expect(payload).toEqual({ ...SESSION_FIELDS, hook_event_name: 'Notification', message: 'hi' })
})

test('values that JSON cannot represent are replaced by a note, and the rest is kept', () => {
  const circularObject: { self?: unknown } = {}
  circularObject.self = circularObject
  const fields = { tool_name: 'X', tool_input: { n: 1n }, tool_use_id: 'u', tool_response: circularObject }

  const payload = JSON.parse(serialisePayload(buildPayload('PostToolUse', SESSION_FIELDS, fields)))

  expect(payload).toMatchObject({
    tool_name: 'X',
    tool_input: { unserialisable: expect.stringContaining('BigInt') },
    tool_response: { unserialisable: expect.stringContaining('circular') },
  })
})
