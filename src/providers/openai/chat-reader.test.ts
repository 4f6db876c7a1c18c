import { expect, test } from 'vitest'
import { ChatCalls } from './chat-reader.js'
import { CallIds } from './stream-parts.js'

test('a long call input is read in linear time, even if every delta repeats the name of the call', () => {
  const calls = new ChatCalls(new CallIds([]))
  const push = (json: string) => calls.push({ index: 0, id: 'a', function: { name: 'Write', arguments: json } })

  push('{"content":"')
  for (let count = 0; count < 40_000; count++) push('x'.repeat(100))
  push('"}')

  expect(calls.finish({ isCut: false }).at(-1)).toMatchObject({ block: { input: { content: 'x'.repeat(4_000_000) } } })
})
