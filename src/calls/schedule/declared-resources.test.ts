import { describe, expect, test } from 'vitest'
import type { ToolResources } from '../../contract/resources.js'
import type { Tool } from '../../contract/tool/tool.js'
import { getDeclaredResources } from './claims.js'

const UNDECLARED_EXCLUSIVE = { kind: 'everything', isExclusive: true, usesCwd: true, changesCwd: false }
const UNDECLARED_SHARED = { ...UNDECLARED_EXCLUSIVE, isExclusive: false }

function getResources(tool: Partial<Tool>, rule: 'base' | 'resources' = 'resources') {
  return getDeclaredResources({ tool: { isConcurrencySafe: () => false, ...tool } as Tool, input: {} }, rule)
}

function declareResources(resources: unknown) {
  return getResources({ resources: () => resources as ToolResources })
}

describe('a call that declares nothing', () => {
  test('claims everything exclusively', () => {
    expect(getResources({})).toEqual(UNDECLARED_EXCLUSIVE)
  })

  test('shares everything if it is concurrency-safe', () => {
    expect(getResources({ isConcurrencySafe: () => true })).toEqual(UNDECLARED_SHARED)
  })

  test.each([[{}], [{ network: true }], [{ unknown: true, writes: [{ path: '/a' }] }]])(
    'claims everything exclusively, even if its tool returns %j',
    (resources) => {
      expect(declareResources(resources)).toEqual(UNDECLARED_EXCLUSIVE)
    },
  )

  test('and one that declares its resources claim the same under the base scheduling rule', () => {
    expect(getResources({ resources: () => ({ writes: [{ path: '/a' }] }) }, 'base')).toEqual(UNDECLARED_EXCLUSIVE)
  })
})

describe('an invalid declaration', () => {
  test.each([
    [undefined],
    [null],
    [{ writes: '/a' }],
    [{ writes: ['/a'] }],
    [{ writes: [{ path: '/a' }, 5] }],
    [{ reads: { 0: { path: '/a' } } }],
  ])('of %j claims everything exclusively, even for a concurrency-safe call', (resources) => {
    const safeTool = { isConcurrencySafe: () => true, resources: () => resources as unknown as ToolResources }

    expect(getResources(safeTool)).toEqual(UNDECLARED_EXCLUSIVE)
  })

  test('that is a promise claims everything exclusively, and its rejection is handled', async () => {
    const rejectLater = () => Promise.reject(new Error('late')) as unknown as ToolResources

    expect(getResources({ isConcurrencySafe: () => true, resources: rejectLater })).toEqual(UNDECLARED_EXCLUSIVE)
    await new Promise(setImmediate)
  })

  test('that throws claims everything exclusively', () => {
    const throwError = () => {
      throw new Error('resources')
    }

    expect(getResources({ isConcurrencySafe: () => true, resources: throwError })).toEqual(UNDECLARED_EXCLUSIVE)
  })
})

describe('a call that lists its resources', () => {
  test('claims exactly the listed resources', () => {
    expect(declareResources({ reads: [{ path: '/a' }], writes: [{ thing: 'todo:list' }] })).toEqual({
      ...{ kind: 'listed', reads: [{ path: '/a' }], writes: [{ thing: 'todo:list' }] },
      ...{ usesCwd: false, changesCwd: false },
    })
  })

  test('claims nothing if its list is empty', () => {
    expect(declareResources({ reads: [] })).toMatchObject({ kind: 'listed', reads: [], writes: [] })
  })

  test.each([
    [{ path: 'a' }, true],
    [{ path: '.' }, true],
    [{ path: '' }, true],
    [{ path: 'todo:list' }, true],
    [{ path: '/a' }, false],
    [{ path: 'C:\\a' }, false],
    [{ path: '\\\\server\\a' }, false],
    [{ thing: 'todo:list' }, false],
    [{ thing: 'shell:cwd' }, true],
  ])('and reads %j has usesCwd set to %s', (resource, usesCwd) => {
    expect(declareResources({ reads: [resource] })).toMatchObject({ usesCwd })
  })

  test('changes the working directory if it writes shell:cwd', () => {
    expect(declareResources({ writes: [{ thing: 'shell:cwd' }] })).toMatchObject({ changesCwd: true })
    expect(declareResources({ reads: [{ thing: 'shell:cwd' }] })).toMatchObject({ changesCwd: false })
  })
})
