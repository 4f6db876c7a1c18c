import { describe, expect, test } from 'vitest'
import type { ToolResources } from '../../contract/resources.js'
import type { Tool } from '../../contract/tool/tool.js'
import { declaredResources } from './declared-resources.js'

const ALONE = { kind: 'everything', isExclusive: true, usesCwd: true, changesCwd: false }
const SHARING = { ...ALONE, isExclusive: false }

function stated(tool: Partial<Tool>, rule: 'base' | 'resources' = 'resources') {
  return declaredResources({ tool: { isConcurrencySafe: () => false, ...tool } as Tool, input: {} }, rule)
}

function says(resources: unknown) {
  return stated({ resources: () => resources as ToolResources })
}

describe('a call that states nothing', () => {
  test('holds everything alone', () => {
    expect(stated({})).toEqual(ALONE)
  })

  test('shares everything if it is safe', () => {
    expect(stated({ isConcurrencySafe: () => true })).toEqual(SHARING)
  })

  test.each([[{}], [{ network: true }], [{ unknown: true, writes: [{ path: '/a' }] }]])(
    'is one that says %j',
    (resources) => {
      expect(says(resources)).toEqual(ALONE)
    },
  )

  test('is every call by the base rule', () => {
    expect(stated({ resources: () => ({ writes: [{ path: '/a' }] }) }, 'base')).toEqual(ALONE)
  })
})

describe('a statement that is none', () => {
  test.each([
    [undefined],
    [null],
    [{ writes: '/a' }],
    [{ writes: ['/a'] }],
    [{ writes: [{ path: '/a' }, 5] }],
    [{ reads: { 0: { path: '/a' } } }],
  ])('as %j holds everything alone, also of a safe call', (resources) => {
    const safe = { isConcurrencySafe: () => true, resources: () => resources as unknown as ToolResources }

    expect(stated(safe)).toEqual(ALONE)
  })

  test('because it comes later holds everything alone, and its failure ends nothing', async () => {
    const late = () => Promise.reject(new Error('late')) as unknown as ToolResources

    expect(stated({ isConcurrencySafe: () => true, resources: late })).toEqual(ALONE)
    await new Promise(setImmediate)
  })

  test('because the tool throws holds everything alone', () => {
    const fails = () => {
      throw new Error('resources')
    }

    expect(stated({ isConcurrencySafe: () => true, resources: fails })).toEqual(ALONE)
  })
})

describe('a call that lists what it touches', () => {
  test('holds that and nothing else', () => {
    expect(says({ reads: [{ path: '/a' }], writes: [{ thing: 'todo:list' }] })).toEqual({
      ...{ kind: 'listed', reads: [{ path: '/a' }], writes: [{ thing: 'todo:list' }] },
      ...{ usesCwd: false, changesCwd: false },
    })
  })

  test('may list that it touches nothing', () => {
    expect(says({ reads: [] })).toMatchObject({ kind: 'listed', reads: [], writes: [] })
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
  ])('as %j depends on the working directory: %s', (resource, usesCwd) => {
    expect(says({ reads: [resource] })).toMatchObject({ usesCwd })
  })

  test('moves to another working folder if it writes it', () => {
    expect(says({ writes: [{ thing: 'shell:cwd' }] })).toMatchObject({ changesCwd: true })
    expect(says({ reads: [{ thing: 'shell:cwd' }] })).toMatchObject({ changesCwd: false })
  })
})
