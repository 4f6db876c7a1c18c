import { describe, expect, test } from 'vitest'
import type { Tool, ToolResources } from '../../contract/tool.js'
import { statedResources } from './stated-resources.js'

const ALONE = { kind: 'everything', isExclusive: true, usesCwd: true, movesCwd: false }
const SHARING = { ...ALONE, isExclusive: false }

function stated(tool: Partial<Tool>, rule: 'base' | 'resources' = 'resources') {
  return statedResources({ tool: { isConcurrencySafe: () => false, ...tool } as Tool, input: {} }, rule)
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

  test.each([[{}], [{ network: true }], [{ unknown: true, writes: ['/a'] }]])('is one that says %j', (resources) => {
    expect(says(resources)).toEqual(ALONE)
  })

  test('is every call by the base rule', () => {
    expect(stated({ resources: () => ({ writes: ['/a'] }) }, 'base')).toEqual(ALONE)
  })
})

describe('a statement that is none', () => {
  test.each([[undefined], [null], [{ writes: '/a' }], [{ writes: ['/a', 5] }], [{ reads: { 0: '/a' } }]])(
    'as %j holds everything alone, also of a safe call',
    (resources) => {
      const safe = { isConcurrencySafe: () => true, resources: () => resources as unknown as ToolResources }

      expect(stated(safe)).toEqual(ALONE)
    },
  )

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
    expect(says({ reads: ['/a'], writes: ['todo:list'] })).toEqual({
      ...{ kind: 'listed', reads: ['/a'], writes: ['todo:list'] },
      ...{ usesCwd: false, movesCwd: false },
    })
  })

  test('may list that it touches nothing', () => {
    expect(says({ reads: [] })).toMatchObject({ kind: 'listed', reads: [], writes: [] })
  })

  test.each([
    ['a', true],
    ['.', true],
    ['', true],
    ['/a', false],
    ['C:\\a', false],
    ['\\\\server\\a', false],
    ['todo:list', false],
    ['shell:cwd', true],
  ])('as %j looks at the working folder: %s', (name, usesCwd) => {
    expect(says({ reads: [name] })).toMatchObject({ usesCwd })
  })

  test('moves to another working folder if it writes it', () => {
    expect(says({ writes: ['shell:cwd'] })).toMatchObject({ movesCwd: true })
    expect(says({ reads: ['shell:cwd'] })).toMatchObject({ movesCwd: false })
  })

  test('means a file where the name is the path that the call is about', () => {
    const resources = () => ({ writes: ['todo:list'] })

    expect(stated({ resources, getPath: () => 'todo:list' })).toMatchObject({ writes: ['./todo:list'], usesCwd: true })
  })
})
