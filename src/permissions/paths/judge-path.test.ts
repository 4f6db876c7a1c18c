import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { createFakePaths, PATH_CONTEXT } from '../fixture-calls.js'
import { createLookup, isWithin, judgePath, type PathFacts } from './judge-path.js'
import { normalisePath, type PathContext } from './normalise-path.js'

function judge(originalPath: string, paths: PathFacts, pathContext: PathContext = PATH_CONTEXT) {
  return judgePath({ originalPath, isFolder: false }, pathContext, createLookup(paths))
}

test('a link and its target are both judged', async () => {
  const path = await judge('link/x', createFakePaths({ links: { '/project/link': '/etc' } }))

  expect(path.forms).toEqual(['/project/link/x', '/etc/x'])
})

test('".." after a link is resolved both as text and from the target of the link', async () => {
  const path = await judge('link/../secret', createFakePaths({ links: { '/project/link': '/srv/deep/data' } }))

  expect(path.forms).toEqual(['/project/secret', '/srv/deep/secret'])
})

test('a path that begins with "~" is judged both in the working directory and in the home folder', async () => {
  expect((await judge('~/x', createFakePaths())).forms).toEqual(['/project/~/x', '/home/dev/x'])
})

describe('a network share', () => {
  test.each([
    '\\\\server\\share\\x',
    '//server/share/x',
    '/\\server\\share\\x',
    '\\/server/share/x',
    '\\\\?\\UNC\\server\\share',
    '/??/UNC/server/share',
    '///server/share/x',
  ])('%s is never looked up', async (originalPath) => {
    for (const platform of ['posix', 'win32'] as const) {
      const lookups: string[] = []
      const path = await judge(originalPath, createFakePaths({ lookups }), { ...PATH_CONTEXT, platform })

      expect(lookups).toEqual([])
      expect(path.problem).toMatch(/network share/)
    }
  })

  test('is recognised if a relative path is in a folder on the share', async () => {
    const lookups: string[] = []
    const path = await judge('x', createFakePaths({ lookups }), {
      ...PATH_CONTEXT,
      cwd: '\\\\server\\share',
      platform: 'win32',
    })

    expect(lookups).toEqual([])
    expect(path).toMatchObject({ forms: ['/server/share/x'], problem: expect.stringMatching(/network share/) })
  })
})

test('on Windows, a drive is part of the path, and a path relative to a drive is reported as a problem', async () => {
  const pathContext: PathContext = { cwd: 'C:\\here', homeDir: 'C:\\Users\\dev', platform: 'win32' }

  expect((await judge('a\\..\\b', createFakePaths(), pathContext)).forms).toEqual(['C:/here/b'])
  expect((await judge('\\x', createFakePaths(), pathContext)).forms).toEqual(['C:/x'])
  expect((await judge('C:\\..\\..\\x', createFakePaths(), pathContext)).forms).toEqual(['C:/x'])
  expect((await judge('D:x', createFakePaths(), pathContext)).problem).toMatch(/current folder of a drive/)
  expect((await judge('C:\\PROGRA~1\\x', createFakePaths(), pathContext)).problem).toMatch(/short name/)
})

test('a path that cannot be looked up is reported as a problem', async () => {
  const paths: PathFacts = { look: () => Promise.reject(new Error('ELOOP')) }

  expect(await judge('x', paths)).toMatchObject({ forms: ['/project/x'], problem: 'x could not be looked up' })
})

test('only absolute normalised paths are looked up, for any input', async () => {
  const piece = fc.constantFrom('..', '.', '', 'a', 'link', '~', '\\', 'b.', ' ', 'C:', '%2e%2e')
  const originalPath = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join('/'))
  await fc.assert(
    fc.asyncProperty(originalPath, fc.constantFrom('posix' as const, 'win32' as const), async (text, platform) => {
      const lookups: string[] = []
      await judge(text, createFakePaths({ links: { '/project/link': '/srv' }, lookups }), { ...PATH_CONTEXT, platform })
      for (const path of lookups) {
        expect(path.startsWith('//')).toBe(false)
        expect(path).toBe(normalisePath(path, { cwd: '/', platform }).path)
      }
    }),
    createPropertyOptions(),
  )
})

test('a folder contains itself and what is below it, but no sibling with the same prefix', () => {
  expect(isWithin('/project', '/project', false)).toBe(true)
  expect(isWithin('/project/a', '/project/', false)).toBe(true)
  expect(isWithin('/project2', '/project', false)).toBe(false)
  expect(isWithin('/Project/a', '/project', false)).toBe(false)
  expect(isWithin('/Project/a', '/project', true)).toBe(true)
  expect(isWithin('/any', '/', false)).toBe(true)
})
