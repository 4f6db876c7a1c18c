import { expect, test } from 'vitest'
import type { ToolCoreContext } from '../contract/tool/tool.js'
import { ContextChain } from './call-context.js'

const options = { mainLoopModel: 'small' } as ToolCoreContext['options']
const coreContext = { toolUseId: 'one' } as ToolCoreContext

test('each context modifier gets the result of the previous modifier', () => {
  const chain = new ContextChain({ cwd: '/a', options })

  chain.apply((context) => ({ ...context, cwd: `${context.cwd}/b` }), coreContext)
  chain.apply((context) => ({ ...context, cwd: `${context.cwd}/c` }), coreContext)

  expect(chain.current).toEqual({ cwd: '/a/b/c', options })
})

test('only the working directory and the options of a modified context are kept', () => {
  const chain = new ContextChain({ cwd: '/a', options })
  const otherOptions = { ...options, mainLoopModel: 'large' }

  const hasChanged = chain.apply((context) => ({ ...context, options: otherOptions, toolUseId: 'two' }), coreContext)

  expect(hasChanged).toBe(true)
  expect(chain.current).toEqual({ cwd: '/a', options: otherOptions })
})

const throwError = (): ToolCoreContext => {
  throw new Error('modifier')
}

test.each([
  ['throws', throwError],
  ['returns nothing', () => undefined as never],
  ['returns an invalid working directory', (context: ToolCoreContext) => ({ ...context, cwd: 5 as never })],
  ['returns an unchanged copy', (context: ToolCoreContext) => ({ ...context })],
])('a context modifier that %s changes nothing', (_, modify) => {
  const chain = new ContextChain({ cwd: '/a', options })

  expect(chain.apply(modify, coreContext)).toBe(false)
  expect(chain.current).toEqual({ cwd: '/a', options })
})
