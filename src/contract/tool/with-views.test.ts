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

test('a screen lays its views over a tool and leaves the tool alone', () => {
  const seen = withViews(Greet, { renderToolUseMessage: ({ who }): Element => ({ tag: who ?? '…' }) })

  expect(seen.renderToolUseMessage({ who: 'you' })).toEqual({ tag: 'you' })
  expect(Greet.renderToolUseMessage({ who: 'you' })).toBe('Greet(you)')
  expect(seen.call).toBe(Greet.call)
  expectTypeOf(seen.renderToolUseMessage).returns.toEqualTypeOf<Element>()
})

test('views draw and do nothing else, whatever they hold', () => {
  // @ts-expect-error a screen decides nothing
  const seen = withViews(Greet, { renderToolUseMessage: () => '', isReadOnly: () => true })

  expect(seen.isReadOnly).toBe(Greet.isReadOnly)
})

test('a tool made by hand keeps what its class gives it', () => {
  class Handmade {
    call() {
      return 'called'
    }
  }
  const tool = Object.assign(new Handmade(), { name: 'H' })

  expect(withViews(tool as unknown as typeof Greet, {})).toHaveProperty('call')
})
