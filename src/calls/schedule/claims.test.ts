import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Resource } from '../../contract/resources.js'
import type { Tool } from '../../contract/tool/tool.js'
import { identifyPath } from '../../ports/paths/identify-path.js'
import { claimsOf, EXCLUSIVE, type PathLookup, SHARED } from './claims.js'
import { declaredResources } from './declared-resources.js'

const toResource = (given: string | Resource): Resource => (typeof given === 'string' ? { path: given } : given)

function claims({ reads, writes }: { reads?: string[]; writes?: (string | Resource)[] }, place: PathLookup) {
  const tool = {
    isConcurrencySafe: () => false,
    resources: () => ({ reads: reads?.map(toResource), writes: writes?.map(toResource) }),
  } as unknown as Tool
  return claimsOf(declaredResources({ tool, input: {} }, 'resources'), place)
}

function keys(name: string | Resource, place: PathLookup) {
  const claimed = claims({ writes: [name] }, place)
  return claimed.kind === 'listed' ? claimed.writes : claimed
}

describe('a name', () => {
  test.each<[string | Resource, string[]]>([
    ['a', ['/project/a']],
    ['./a/', ['/project/a']],
    ['b/../a', ['/project/a']],
    ['/', ['']],
    ['', ['/project']],
    [{ thing: 'todo:list' }, ['thing:todo:list']],
    ['todo:list', ['/project/todo:list']],
    [{ thing: 'db:users/1' }, ['thing:db:users/1']],
    [{ thing: '/a' }, ['thing:/a']],
    ['a\\b', ['/project/a\\b']],
  ])('%j is held as %j', (name, held) => {
    expect(keys(name, { cwd: '/project' })).toEqual(held)
  })

  test.each([
    ['a\\b', ['C:/project/a/b']],
    ['c:/x', ['c:/x']],
    ['..', ['C:']],
  ])('%j is held as %j on Windows', (name, held) => {
    expect(keys(name, { cwd: 'C:\\project' })).toEqual(held)
  })

  test('is looked up the way of the system, also in a folder with a backslash in its name', () => {
    expect(keys('a', { cwd: '/odd\\folder' })).toEqual(['/odd\\folder/a'])
  })
})

test('what cannot be looked up is everything', () => {
  const identify = () => {
    throw new Error('no such disk')
  }

  expect(claims({ writes: ['/a'] }, { cwd: '/', identify })).toBe(EXCLUSIVE)
})

test('who states nothing holds everything, alone or shared', () => {
  const place = { cwd: '/' }
  const unstated = (isSafe: boolean) => ({ isConcurrencySafe: () => isSafe }) as unknown as Tool

  expect(claimsOf(declaredResources({ tool: unstated(true), input: {} }, 'base'), place)).toBe(SHARED)
  expect(claimsOf(declaredResources({ tool: unstated(false), input: {} }, 'base'), place)).toBe(EXCLUSIVE)
})

describe('on a disk with links', () => {
  let folder: string
  let place: PathLookup

  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-claims-')))
    place = { cwd: join(folder, 'work'), identify: (path) => identifyPath(path, 'linux') }
    mkdirSync(join(folder, 'work', 'sub'), { recursive: true })
    mkdirSync(join(folder, 'far', 'inner'), { recursive: true })
    writeFileSync(join(folder, 'work', 'file'), '')
    symlinkSync('file', join(folder, 'work', 'link'))
    symlinkSync('../far/inner', join(folder, 'work', 'away'))
    symlinkSync('../far/new/file', join(folder, 'work', 'dangling'))
    symlinkSync('circle', join(folder, 'work', 'circle'))
  })

  afterAll(() => rmSync(folder, { recursive: true }))

  test('a link is held together with what it leads to', () => {
    expect(keys('link', place)).toEqual([join(folder, 'work/link'), join(folder, 'work/file')])
  })

  test('a link that leads nowhere yet is held together with the file that writing to it makes', () => {
    expect(keys('dangling', place)).toEqual([join(folder, 'work/dangling'), join(folder, 'far/new/file')])
    expect(keys('circle/x', place)).toHaveLength(1)
  })

  test('a file with hard links is held by the name they share, too', () => {
    const hardLinkName = (path: string) => (path.endsWith('/file') ? 'hard-link:1-2' : undefined)
    expect(keys('file', { ...place, hardLinkName })).toEqual([join(folder, 'work/file'), 'hard-link:1-2'])
    expect(keys('new', { ...place, hardLinkName })).toEqual([join(folder, 'work/new')])
  })

  test('a path that steps out of a link is held where the system finds it, too', () => {
    expect(keys('away/../x', place)).toEqual([join(folder, 'work/x'), join(folder, 'far/x')])
  })

  test('a folder that a path enters and leaves is read', () => {
    expect(claims({ writes: ['sub/../file'] }, place)).toEqual({
      kind: 'listed',
      reads: [join(folder, 'work/sub')],
      writes: [join(folder, 'work/file')],
    })
  })

  test('to leave the working folder is to enter nothing', () => {
    expect(claims({ writes: ['../x', './../x'] }, place)).toMatchObject({ reads: [] })
  })

  test('who writes a link and another path may move the link, and holds everything', () => {
    expect(claims({ writes: ['link', 'new'] }, place)).toBe(EXCLUSIVE)
    expect(claims({ reads: ['file'], writes: ['away'] }, place)).toBe(EXCLUSIVE)
  })

  test('who reads and writes nothing but a link moves it nowhere', () => {
    const held = [join(folder, 'work/link'), join(folder, 'work/file')]
    expect(claims({ reads: ['link'], writes: ['link'] }, place)).toEqual({ kind: 'listed', reads: held, writes: held })
  })

  test('who writes files, some of them below a link, moves no link', () => {
    expect(claims({ writes: ['file', 'away/x'] }, place)).toMatchObject({ kind: 'listed' })
  })
})
