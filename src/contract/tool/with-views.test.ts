import { expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { buildTool } from './build-tool.js'
import { withViews } from './with-views.js'

interface Element {
  readonly tag: string
}

const Greet = buildTool({
  name: 'Greet',
  description: 'd',
  inputSchema: z.object({ who: z.string() }),
  call: async ({ who }) => ({ data: who }),
})

test('withViews replaces views and leaves the original tool unchanged', () => {
  const seen = withViews(Greet, { renderToolUseMessage: ({ who }): Element => ({ tag: who ?? '…' }) })

  expect(seen.renderToolUseMessage({ who: 'you' })).toEqual({ tag: 'you' })
  expect(Greet.renderToolUseMessage({ who: 'you' })).toBe('Greet(you)')
  expect(seen.call).toBe(Greet.call)
  expectTypeOf(seen.renderToolUseMessage).returns.toEqualTypeOf<Element>()
})

test('only render members are replaced', () => {
  // @ts-expect-error only render members are accepted
  const seen = withViews(Greet, { renderToolUseMessage: () => '', isReadOnly: () => true })

  expect(seen.isReadOnly).toBe(Greet.isReadOnly)
})

test('a tool that is an instance of a class keeps its inherited members', () => {
  class Handmade {
    call() {
      return 'called'
    }
  }
  const tool = Object.assign(new Handmade(), { name: 'H' })

  expect(withViews(tool as unknown as typeof Greet, {})).toHaveProperty('call')
})
