import { expect, test } from 'vitest'
import { createScriptedModel } from '../providers/scripted/scripted-model.js'
import { createRecordingModel } from '../testing/query-fixture.js'
import { createModelPort } from './model-port.js'

test('the model port returns the text of one request', async () => {
  const model = createRecordingModel(['Yes, because it is safe.'])
  const usedModels: string[] = []
  const port = createModelPort({ openModel: async () => model, onUsage: (_, { id }) => usedModels.push(id) })

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
  expect(usedModels).toEqual(['scripted'])
})

test('the model port opens the named model, or the default model without a name', async () => {
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

test('the model port rejects an incomplete answer', async () => {
  const port = createModelPort({
    openModel: async () => createScriptedModel([{ text: 'Ye', cut: true, error: { kind: 'stream_cut' } }]),
  })

  await expect(port.complete({ prompt: 'a' })).rejects.toThrow()
})

test.each(['max_tokens', 'refusal', 'context_full', 'pause'] as const)(
  'the model port rejects an answer that ended with %s if a complete answer is required',
  async (stopReason) => {
    const outputs: number[] = []
    const port = createModelPort({
      openModel: async () => createScriptedModel([{ text: 'Yes', stop: stopReason }]),
      onUsage: ({ output }) => outputs.push(output),
    })

    await expect(port.complete({ prompt: 'a', requiresCompleteAnswer: true })).rejects.toThrow(stopReason)
    expect(outputs).toHaveLength(1)
  },
)
