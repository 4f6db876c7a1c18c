import { expect, test } from 'vitest'
import type { Message } from '../contract/messages.js'
import { discoveredTools, extractDiscoveredToolNames } from '../contract/tool/deferred-tools.js'
import { keepDiscoveredTools } from './keep-discovered-tools.js'

const summary: Message = { type: 'user', content: 'What happened so far' }

test('a compacted conversation still knows its tools, in their order', () => {
  const before = [discoveredTools(['b', 'a']), summary, discoveredTools(['c'])]

  const after = keepDiscoveredTools(before, [summary, discoveredTools(['c'])])

  expect(after.slice(1)).toEqual([summary, discoveredTools(['c'])])
  expect(extractDiscoveredToolNames(after)).toEqual(['b', 'a', 'c'])
})

test('compacting twice adds nothing', () => {
  const once = keepDiscoveredTools([discoveredTools(['a'])], [summary])

  expect(keepDiscoveredTools(once, once)).toBe(once)
})

test('what discovered nothing leaves the other as it is', () => {
  const after = [summary]

  expect(keepDiscoveredTools([summary], after)).toBe(after)
})
