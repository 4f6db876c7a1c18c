import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Message, ToolDefinition, ToolResultContent, UserMessage } from '../../contract/messages.js'
import { createDiscoveredTools, extractDiscoveredToolNames } from '../../contract/tool/deferred-tools.js'
import { createMessageCarrier, keepDiscoveredTools } from './carry-messages.js'

const createDefinition = (name: string): ToolDefinition => ({ name, description: `does ${name}`, input_schema: {} })
const createReference = (name: string): ToolResultContent => ({ type: 'tool_reference', tool_name: name })
const createResult = (...content: ToolResultContent[]): UserMessage => ({
  type: 'user',
  content: [{ type: 'tool_result', tool_use_id: 'a', content }],
})
const functionTextOf = (name: string) =>
  `<function>{"description":"does ${name}","name":"${name}","parameters":{}}</function>`

test('tool references stay if the provider can resolve them', () => {
  const messages: Message[] = [{ type: 'user', content: 'hi' }, createResult(createReference('a'))]

  const carriedMessages = createMessageCarrier()(messages, { carrier: 'native', tools: [createDefinition('a')] })

  expect(carriedMessages).toEqual(messages)
})

test('tool references become definitions as text if the provider cannot resolve them', () => {
  const note: ToolResultContent = { type: 'text', text: 'There is no tool "z".' }
  const messages: Message[] = [createResult(createReference('a'), createReference('b'), note)]

  const carriedMessages = createMessageCarrier()(messages, {
    carrier: 'portable',
    tools: [createDefinition('b')],
    definitionOf: (name) => (name === 'a' ? createDefinition('a') : undefined),
  })

  const text = `<functions>\n${functionTextOf('a')}\n${functionTextOf('b')}\n</functions>`
  expect(carriedMessages).toEqual([createResult(note, { type: 'text', text })])
})

test('a reference to a missing tool becomes text, because the provider would reject the request', () => {
  const carriedMessages = createMessageCarrier()([createResult(createReference('a'), createReference('gone'))], {
    carrier: 'native',
    tools: [createDefinition('a')],
  })

  expect(carriedMessages).toEqual([
    createResult(createReference('a'), { type: 'text', text: 'These tools are no longer available: gone.' }),
  ])
})

test('a message that was sent once never changes, whichever tools are added and removed', () => {
  const tool = fc.constantFrom('a', 'b', 'c')
  fc.assert(
    fc.property(fc.array(fc.record({ foundName: tool, tools: fc.uniqueArray(tool) }), { minLength: 2 }), (steps) => {
      const carry = createMessageCarrier()
      const messages: Message[] = []
      let messagesBefore: readonly Message[] = []
      for (const { foundName, tools } of steps) {
        messages.push(createResult(createReference(foundName)))
        const carriedMessages = carry(messages, { carrier: 'native', tools: tools.map(createDefinition) })
        expect(carriedMessages.slice(0, messagesBefore.length)).toEqual(messagesBefore)
        // The array is copied, because the carrier extends the same array.
        messagesBefore = [...carriedMessages]
      }
    }),
  )
})

const summary: Message = { type: 'user', content: 'What happened so far' }

test('a compacted conversation keeps its discovered tools in their order', () => {
  const messagesBefore = [createDiscoveredTools(['b', 'a']), summary, createDiscoveredTools(['c'])]

  const messagesAfter = keepDiscoveredTools(messagesBefore, [summary, createDiscoveredTools(['c'])])

  expect(messagesAfter.slice(1)).toEqual([summary, createDiscoveredTools(['c'])])
  expect(extractDiscoveredToolNames(messagesAfter)).toEqual(['b', 'a', 'c'])
})

test('tools that are already kept are not added again', () => {
  const keptMessages = keepDiscoveredTools([createDiscoveredTools(['a'])], [summary])

  expect(keepDiscoveredTools(keptMessages, keptMessages)).toBe(keptMessages)
})

test('messages stay unchanged if nothing was discovered', () => {
  const messagesAfter = [summary]

  expect(keepDiscoveredTools([summary], messagesAfter)).toBe(messagesAfter)
})

test('a result does not repeat definitions that the request contains', () => {
  const definitions = `<functions>\n${functionTextOf('a')}\n${functionTextOf('b')}\n</functions>\nThere is no tool "z".`
  const messages: Message[] = [createResult({ type: 'text', text: definitions })]
  const carry = (...tools: ToolDefinition[]) => createMessageCarrier()(messages, { carrier: 'portable', tools })

  const shortText = 'Loaded: a, b. You can call them now.\nThere is no tool "z".'
  expect(carry(createDefinition('a'), createDefinition('b'))).toEqual([createResult({ type: 'text', text: shortText })])
  expect(carry(createDefinition('a'))).toEqual(messages)
  expect(carry(createDefinition('a'), { ...createDefinition('b'), description: 'changed' })).toEqual(messages)
})
