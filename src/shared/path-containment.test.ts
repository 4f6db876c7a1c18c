import { posix, win32 } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isPathBelow, isPathInside, PathIndex, toRelativePath } from './path-containment.js'

const LINUX_OPTIONS = { platform: 'linux' }
const MAC = { platform: 'darwin' }
const WINDOWS_OPTIONS = { platform: 'win32' }

describe('isPathInside', () => {
  test.each([
    ['/a', '/a', true],
    ['/a/', '/a', true],
    ['/a', '/a/', true],
    ['/a/b', '/a', true],
    ['/a/b', '/a/', true],
    ['/a//b', '/a', true],
    ['/a/./b', '/a', true],
    ['/x/../a/b', '/a', true],
    ['/a/b/../c', '/a', true],
    ['/a/..b', '/a', true],
    ['/a/...', '/a', true],
    ['/a', '/', true],
    ['/', '/', true],
    ['/ab', '/a', false],
    ['/a/../b', '/a', false],
    ['/a/..', '/a', false],
    ['/a/b/../../c', '/a', false],
    ['/', '/a', false],
    ['/A/b', '/a', false],
    ['/a\\b', '/a', false],
    ['/a/b', '/a\\', false],
    ['a/b', '/a', false],
    ['/a', 'a', false],
  ])('with the path %s and the folder %s returns %s on Linux', (path, folder, expected) => {
    expect(isPathInside(path, folder, LINUX_OPTIONS)).toBe(expected)
  })

  test.each([
    ['/Users/Ann/x', '/users/ann', true],
    ['/Users/Ann/caf\u00e9/x', '/Users/Ann/cafe\u0301', true],
    ['/Users/Anna', '/users/ann', false],
  ])('with the path %s and the folder %s returns %s on macOS', (path, folder, expected) => {
    expect(isPathInside(path, folder, MAC)).toBe(expected)
  })

  test.each([
    ['C:\\a\\b', 'C:\\a', true],
    ['c:\\A\\b', 'C:/a/', true],
    ['C:\\a', 'C:\\', true],
    ['C:\\', 'C:\\', true],
    ['C:\\..\\a\\b', 'C:\\a', true],
    ['\\\\server\\share\\x', '\\\\server\\share', true],
    ['D:\\a\\b', 'C:\\a', false],
    ['C:\\ab', 'C:\\a', false],
    ['C:\\a\\..\\b', 'C:\\a', false],
    ['C:a', 'C:\\', false],
    ['\\\\server\\share\\x', '\\server', false],
    ['\\\\server\\other', '\\\\server\\share', false],
  ])('with the path %s and the folder %s returns %s on Windows', (path, folder, expected) => {
    expect(isPathInside(path, folder, WINDOWS_OPTIONS)).toBe(expected)
  })

  test('uses isCaseInsensitive instead of the default of the platform', () => {
    expect(isPathInside('/A/b', '/a', { ...LINUX_OPTIONS, isCaseInsensitive: true })).toBe(true)
    expect(isPathInside('/A/b', '/a', { ...MAC, isCaseInsensitive: false })).toBe(false)
  })
})

test('isPathBelow excludes the folder itself, however it is spelled', () => {
  expect(isPathBelow('/a/b', '/a', MAC)).toBe(true)
  expect(isPathBelow('/A/b', '/a', MAC)).toBe(true)
  expect(isPathBelow('/a', '/a/', MAC)).toBe(false)
  expect(isPathBelow('/A', '/a', MAC)).toBe(false)
  expect(isPathBelow('/a', '/a/b', MAC)).toBe(false)
})

describe('toRelativePath', () => {
  test('keeps the spelling of the path and uses the separator of the platform', () => {
    expect(toRelativePath('/Users/Ann/Src/x.ts', '/users/ann', MAC)).toBe('Src/x.ts')
    expect(toRelativePath('C:\\Code\\Src\\x.ts', 'c:/code/', WINDOWS_OPTIONS)).toBe('Src\\x.ts')
    expect(toRelativePath('/a/b', '/', LINUX_OPTIONS)).toBe('a/b')
    expect(toRelativePath('/a/', '/a', LINUX_OPTIONS)).toBe('')
    expect(toRelativePath('/b', '/a', LINUX_OPTIONS)).toBeUndefined()
  })
})

/** Names that look like separators, parents or each other. */
const segment = fc.constantFrom('a', 'A', 'ab', 'b', '.', '..', '...', '..b', '', 'a.', '\u00e9', 'e\u0301', ' ')
const posixPath = fc.array(segment, { maxLength: 6 }).map((segments) => `/${segments.join('/')}`)
const windowsPath = fc
  .tuple(fc.constantFrom('C:', 'c:', 'D:'), fc.array(segment, { maxLength: 6 }), fc.constantFrom('/', '\\'))
  .map(([drive, segments, separator]) => [drive, '', ...segments].join(separator))

describe('for any paths', () => {
  test('containment on Linux agrees with path.relative of Node', () => {
    fc.assert(
      fc.property(posixPath, posixPath, (path, folder) => {
        const relativePath = posix.relative(folder, path)
        expect(isPathInside(path, folder, LINUX_OPTIONS)).toBe(
          !(relativePath === '..' || relativePath.startsWith('../')),
        )
        expect(toRelativePath(path, folder, LINUX_OPTIONS)).toBe(
          relativePath === '..' || relativePath.startsWith('../') ? undefined : relativePath,
        )
      }),
    )
  })

  test('containment on Windows agrees with path.relative of Node', () => {
    const toComposed = (path: string) => path.normalize('NFC')
    fc.assert(
      fc.property(windowsPath, windowsPath, (path, folder) => {
        const relativePath = win32.relative(toComposed(folder), toComposed(path))
        const isOutside = relativePath === '..' || relativePath.startsWith('..\\') || win32.isAbsolute(relativePath)
        expect(isPathInside(path, folder, WINDOWS_OPTIONS)).toBe(!isOutside)
      }),
    )
  })

  test('names joined to a folder are inside it, whatever the folder looks like', () => {
    const name = fc.constantFrom('x', 'X', '..x', 'x..', '...', '\u00e9')
    fc.assert(
      fc.property(posixPath, fc.array(name, { maxLength: 4 }), (folder, names) => {
        for (const options of [LINUX_OPTIONS, MAC])
          expect(isPathInside([folder, ...names].join('/'), folder, options)).toBe(true)
      }),
    )
  })

  test('containment is transitive, and two folders contain each other only if they are the same', () => {
    fc.assert(
      fc.property(posixPath, posixPath, posixPath, (a, b, c) => {
        if (isPathInside(a, b, MAC) && isPathInside(b, c, MAC)) expect(isPathInside(a, c, MAC)).toBe(true)
        if (isPathInside(a, b, LINUX_OPTIONS) && isPathInside(b, a, LINUX_OPTIONS)) {
          expect(posix.resolve(a)).toBe(posix.resolve(b))
        }
      }),
    )
  })

  test.each([
    ['Linux', LINUX_OPTIONS, posixPath],
    ['macOS', MAC, posixPath],
    ['Windows', WINDOWS_OPTIONS, windowsPath],
  ])('an index of paths counts the same as comparing them one by one, on %s', (_, options, anyPath) => {
    fc.assert(
      fc.property(fc.array(anyPath, { maxLength: 6 }), anyPath, (paths, path) => {
        const index = new PathIndex(paths, options)
        expect(index.countInside(path)).toBe(paths.filter((each) => isPathInside(each, path, options)).length)
        expect(index.countContaining(path)).toBe(paths.filter((each) => isPathInside(path, each, options)).length)
      }),
    )
  })
})
