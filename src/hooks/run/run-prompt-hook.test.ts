import { describe, expect, test } from 'vitest'
import type { HookEnd } from '../answer/hook-answer.js'
import type { HookCall, HookPorts } from './hook-call.js'
import { runPromptHook } from './run-prompt-hook.js'

function ask(prompt: string, ports: HookPorts, signal = new AbortController().signal): Promise<HookEnd> {
  const call = { json: '{"tool_name":"$&"}', signal, ports } as HookCall
  return runPromptHook({ type: 'prompt', prompt, timeoutMs: 60_000, once: false, async: false }, call)
}

function createPortsAnswering(text: string): HookPorts {
  return { askModel: async () => text }
}

describe('a prompt hook', () => {
  test.each([
    ['Judge $ARGUMENTS, twice: $ARGUMENTS', 'Judge {"tool_name":"$&"}, twice: {"tool_name":"$&"}'],
    ['Is this safe?', 'Is this safe?\n\n{"tool_name":"$&"}'],
  ])('with %j sends the payload to the model', async (prompt, expected) => {
    let receivedPrompt: unknown
    const askModel: HookPorts['askModel'] = async (request) => {
      receivedPrompt = request.prompt
      return 'yes'
    }

    await ask(prompt, { askModel })

    expect(receivedPrompt).toBe(expected)
  })

  test.each(['{"ok": true}', '```json\n{"ok":true,"reason":"fine"}\n```', 'Yes.', 'yes, it only reads'])(
    'answered with %j neither objects nor allows',
    async (text) => {
      expect(await ask('Safe?', createPortsAnswering(text))).toEqual({ type: 'text', text: '' })
    },
  )

  test.each([
    ['{"ok": false, "reason": "It deletes files"}', 'It deletes files'],
    ['```\n{"ok":false}\n```', ''],
    ['No: it deletes files', 'it deletes files'],
    ['NO', ''],
  ])('answered with %j blocks', async (text, message) => {
    expect(await ask('Safe?', createPortsAnswering(text))).toEqual({ type: 'blocked', message })
  })

  test.each(['', 'Perhaps', 'Nothing is wrong', '{"ok":"true"}', '[true]'])('answered with %j fails', async (text) => {
    expect(await ask('Safe?', createPortsAnswering(text))).toEqual({
      type: 'failed',
      message: `The model answered neither yes nor no: ${text}`,
    })
  })

  test('fails if no model is configured', async () => {
    expect(await ask('Safe?', {})).toEqual({
      type: 'failed',
      message: 'No model is configured, so this hook cannot run.',
    })
  })

  test('can be cancelled while the model does not answer', async () => {
    const controller = new AbortController()
    const askModel = () => {
      controller.abort()
      return new Promise<string>(() => {})
    }

    expect(await ask('Safe?', { askModel }, controller.signal)).toEqual({ type: 'stopped' })
  })
})
