import { describe, expect, test } from 'vitest'
import type { HookEnd } from '../answer/hook-answer.js'
import type { HookFunction } from '../config/hook-config.js'
import type { HookCall } from './hook-call.js'
import { runFunctionHook } from './run-hook.js'

function call(run: HookFunction, signal = new AbortController().signal): Promise<HookEnd> {
  const hook = { type: 'function', run, timeoutMs: 60_000, once: false, async: false } as const
  return runFunctionHook(hook, { json: '{"tool_input":{"a":1}}', signal } as HookCall)
}

describe('a function hook', () => {
  test.each([
    [undefined, { type: 'text', text: '' }],
    [null, { type: 'text', text: '' }],
    ['some text', { type: 'text', text: 'some text' }],
    [{ decision: 'block' }, { type: 'answered', json: { decision: 'block' } }],
    [true, { type: 'failed', message: 'The function must return an answer object, a string or nothing.' }],
    [['allow'], { type: 'failed', message: 'The function must return an answer object, a string or nothing.' }],
  ])('that returns %j ends as %j', async (value, end) => {
    expect(await call(() => value)).toEqual(end)
    expect(await call(async () => value)).toEqual(end)
  })

  test('gets its own copy of the payload', async () => {
    const receivedPayloads: unknown[] = []
    const modifyPayload: HookFunction = (payload) => {
      receivedPayloads.push(structuredClone(payload))
      Object.assign(payload.tool_input as object, { a: 2 })
    }

    await call(modifyPayload)
    await call(modifyPayload)

    expect(receivedPayloads).toEqual([{ tool_input: { a: 1 } }, { tool_input: { a: 1 } }])
  })

  test('that throws, synchronously or not, rejects with its own error', async () => {
    const fail = () => {
      throw new Error('broken')
    }

    await expect(call(fail)).rejects.toThrow('broken')
    await expect(call(async () => fail())).rejects.toThrow('broken')
  })

  test('that never resolves is abandoned when the signal is aborted', async () => {
    const controller = new AbortController()
    const hang: HookFunction = () => {
      controller.abort()
      return new Promise(() => {})
    }

    expect(await call(hang, controller.signal)).toEqual({ type: 'stopped' })
  })
})
