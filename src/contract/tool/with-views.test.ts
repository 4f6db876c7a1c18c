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
  const toolWithViews = withViews(Greet, { renderToolUseMessage: ({ who }): Element => ({ tag: who ?? '…' }) })

  expect(toolWithViews.renderToolUseMessage({ who: 'you' })).toEqual({ tag: 'you' })
  expect(Greet.renderToolUseMessage({ who: 'you' })).toBe('Greet(you)')
  expect(toolWithViews.call).toBe(Greet.call)
  expectTypeOf(toolWithViews.renderToolUseMessage).returns.toEqualTypeOf<Element>()
})

test('withViews replaces only render members', () => {
  // @ts-expect-error only render members are accepted
  const toolWithViews = withViews(Greet, { renderToolUseMessage: () => '', isReadOnly: () => true })

  expect(toolWithViews.isReadOnly).toBe(Greet.isReadOnly)
})

test('withViews keeps the inherited members of a tool that is an instance of a class', () => {
  class HandmadeTool {
    call() {
      return 'called'
    }
  }
  const tool = Object.assign(new HandmadeTool(), { name: 'H' })

  expect(withViews(tool as unknown as typeof Greet, {})).toHaveProperty('call')
})
