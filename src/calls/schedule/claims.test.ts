import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Resource } from '../../contract/resources.js'
import type { Tool } from '../../contract/tool/tool.js'
import { CaseProbe } from '../../ports/paths/case-probe.js'
import { identifyPath } from '../../ports/paths/node-path-facts.js'
import { EXCLUSIVE_CLAIMS, getDeclaredResources, type PathLookup, resolveClaims, SHARED_CLAIMS } from './claims.js'

const toResource = (name: string | Resource): Resource => (typeof name === 'string' ? { path: name } : name)

function computeClaims({ reads, writes }: { reads?: string[]; writes?: (string | Resource)[] }, lookup: PathLookup) {
  const tool = {
    isConcurrencySafe: () => false,
    resources: () => ({ reads: reads?.map(toResource), writes: writes?.map(toResource) }),
  } as unknown as Tool
  return resolveClaims(getDeclaredResources({ tool, input: {} }, 'resources'), lookup)
}

function computeKeys(name: string | Resource, lookup: PathLookup) {
  const claims = computeClaims({ writes: [name] }, lookup)
  return claims.kind === 'listed' ? claims.writes : claims
}

describe('a resource name', () => {
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
  ])('%j is claimed as %j', (name, expectedKeys) => {
    expect(computeKeys(name, { cwd: '/project' })).toEqual(expectedKeys)
  })

  test.each([
    ['a\\b', ['C:/project/a/b']],
    ['c:/x', ['c:/x']],
    ['..', ['C:']],
  ])('%j is claimed as %j on Windows', (name, expectedKeys) => {
    expect(computeKeys(name, { cwd: 'C:\\project' })).toEqual(expectedKeys)
  })

  test('is resolved by the rules of the platform, even below a folder with a backslash in its name', () => {
    expect(computeKeys('a', { cwd: '/odd\\folder' })).toEqual(['/odd\\folder/a'])
  })
})

test('a path that cannot be resolved claims everything', () => {
  const identify = () => {
    throw new Error('no such disk')
  }

  expect(computeClaims({ writes: ['/a'] }, { cwd: '/', identify })).toBe(EXCLUSIVE_CLAIMS)
})

test('a call without declared resources claims everything, shared only if it is concurrency-safe', () => {
  const lookup = { cwd: '/' }
  const createUndeclaredTool = (isSafe: boolean) => ({ isConcurrencySafe: () => isSafe }) as unknown as Tool

  expect(resolveClaims(getDeclaredResources({ tool: createUndeclaredTool(true), input: {} }, 'base'), lookup)).toBe(
    SHARED_CLAIMS,
  )
  expect(resolveClaims(getDeclaredResources({ tool: createUndeclaredTool(false), input: {} }, 'base'), lookup)).toBe(
    EXCLUSIVE_CLAIMS,
  )
})

describe('on a disk with links', () => {
  let folder: string
  let lookup: PathLookup

  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-claims-')))
    lookup = { cwd: join(folder, 'work'), identify: (path) => identifyPath(path, new CaseProbe('linux')) }
    mkdirSync(join(folder, 'work', 'sub'), { recursive: true })
    mkdirSync(join(folder, 'far', 'inner'), { recursive: true })
    writeFileSync(join(folder, 'work', 'file'), '')
    symlinkSync('file', join(folder, 'work', 'link'))
    symlinkSync('../far/inner', join(folder, 'work', 'away'))
    symlinkSync('../far/new/file', join(folder, 'work', 'dangling'))
    symlinkSync('circle', join(folder, 'work', 'circle'))
  })

  afterAll(() => rmSync(folder, { recursive: true }))

  test('a link is claimed together with its target', () => {
    expect(computeKeys('link', lookup)).toEqual([join(folder, 'work/link'), join(folder, 'work/file')])
  })

  test('a dangling link is claimed together with the file that writing to it creates', () => {
    expect(computeKeys('dangling', lookup)).toEqual([join(folder, 'work/dangling'), join(folder, 'far/new/file')])
    expect(computeKeys('circle/x', lookup)).toHaveLength(1)
  })

  test('a file with hard links is also claimed by the key that they share', () => {
    const hardLinkName = (path: string) => (path.endsWith('/file') ? 'hard-link:1-2' : undefined)
    expect(computeKeys('file', { ...lookup, hardLinkName })).toEqual([join(folder, 'work/file'), 'hard-link:1-2'])
    expect(computeKeys('new', { ...lookup, hardLinkName })).toEqual([join(folder, 'work/new')])
  })

  test('a path with `..` after a link is also claimed at the location that the operating system resolves it to', () => {
    expect(computeKeys('away/../x', lookup)).toEqual([join(folder, 'work/x'), join(folder, 'far/x')])
  })

  test('a folder that a path enters and leaves is claimed for reading', () => {
    expect(computeClaims({ writes: ['sub/../file'] }, lookup)).toEqual({
      kind: 'listed',
      reads: [join(folder, 'work/sub')],
      writes: [join(folder, 'work/file')],
    })
  })

  test('a path that leaves the working directory at once claims no folder for reading', () => {
    expect(computeClaims({ writes: ['../x', './../x'] }, lookup)).toMatchObject({ reads: [] })
  })

  test('a call that writes a link and uses another path claims everything, because it may move the link', () => {
    expect(computeClaims({ writes: ['link', 'new'] }, lookup)).toBe(EXCLUSIVE_CLAIMS)
    expect(computeClaims({ reads: ['file'], writes: ['away'] }, lookup)).toBe(EXCLUSIVE_CLAIMS)
  })

  test('a call that only reads and writes one link claims only the link and its target', () => {
    const linkAndTarget = [join(folder, 'work/link'), join(folder, 'work/file')]
    expect(computeClaims({ reads: ['link'], writes: ['link'] }, lookup)).toEqual({
      kind: 'listed',
      reads: linkAndTarget,
      writes: linkAndTarget,
    })
  })

  test('a call that writes files below a link does not claim everything', () => {
    expect(computeClaims({ writes: ['file', 'away/x'] }, lookup)).toMatchObject({ kind: 'listed' })
  })
})
