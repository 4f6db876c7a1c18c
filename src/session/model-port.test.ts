import { expect, test } from 'vitest'
import { createScriptedModel } from '../providers/scripted/scripted-model.js'
import { recordingModel } from '../testing/query-fixture.js'
import { createModelPort } from './model-port.js'

test('returns the text of the model after one request', async () => {
  const model = recordingModel(['Yes, because it is safe.'])
  const used: string[] = []
  const port = createModelPort({ openModel: async () => model, onUsage: (_, { id }) => used.push(id) })

  expect(await port.complete({ prompt: 'Is it safe?', system: 'Be brief.', maxTokens: 100 })).toBe(
    'Yes, because it is safe.',
  )
  expect(model.requests).toEqual([
    {
      system: ['Be brief.'],
      tools: [],
      builtInTools: 0,
      messages: [{ type: 'user', content: 'Is it safe?' }],
      maxOutputTokens: 100,
    },
  ])
  expect(used).toEqual(['scripted'])
})

test('uses the named model', async () => {
  const names: unknown[] = []
  const port = createModelPort({
    async openModel(name) {
      names.push(name)
      return createScriptedModel(['ok'])
    },
  })

  await port.complete({ prompt: 'a', model: 'large' })
  await port.complete({ prompt: 'b' })

  expect(names).toEqual(['large', undefined])
})

test('an incomplete answer is an error', async () => {
  const port = createModelPort({
    openModel: async () => createScriptedModel([{ text: 'Ye', cut: true, error: { kind: 'stream_cut' } }]),
  })

  await expect(port.complete({ prompt: 'a' })).rejects.toThrow()
})

test.each(['max_tokens', 'refusal', 'context_full', 'pause'] as const)(
  'rejects an answer that ended with %s if it must be whole',
  async (stop) => {
    const used: number[] = []
    const port = createModelPort({
      openModel: async () => createScriptedModel([{ text: 'Yes', stop }]),
      onUsage: ({ output }) => used.push(output),
    })

    await expect(port.complete({ prompt: 'a', requiresCompleteAnswer: true })).rejects.toThrow(stop)
    expect(used).toHaveLength(1)
  },
)
