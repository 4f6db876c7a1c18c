import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CaseProbe } from './case-probe.js'
import { findHardLinkName, identifyPath } from './node-path-facts.js'

const linux = new CaseProbe('linux')
let folder: string

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-identify-')))
})

afterEach(() => {
  rmSync(folder, { recursive: true })
})

test('identifyPath returns the same name for a file and a link to it', () => {
  writeFileSync(join(folder, 'file'), '')
  symlinkSync('file', join(folder, 'link'))

  expect(identifyPath(join(folder, 'link'), linux)).toBe(join(folder, 'file'))
})

test('all hard links to a file have the same hard-link name, and a file with one link has none', () => {
  writeFileSync(join(folder, 'file'), '')
  writeFileSync(join(folder, 'other'), '')
  linkSync(join(folder, 'file'), join(folder, 'link'))
  symlinkSync('link', join(folder, 'to-link'))

  const name = findHardLinkName(join(folder, 'file'))
  expect(name).toMatch(/^hard-link:\d+-\d+$/)
  expect([findHardLinkName(join(folder, 'link')), findHardLinkName(join(folder, 'to-link'))]).toEqual([name, name])
  expect(['other', 'missing', '.'].flatMap((other) => findHardLinkName(join(folder, other)) ?? [])).toEqual([])
  expect(findHardLinkName('//server/share/file')).toBeUndefined()
})

test('a missing file is identified by the real path of its folder', () => {
  symlinkSync(folder, join(folder, 'self'))

  expect(identifyPath(join(folder, 'self', 'new', 'file'), linux)).toBe(join(folder, 'new', 'file'))
})

test('a broken link is identified by the file that a write would create', () => {
  symlinkSync('later', join(folder, 'link'))

  expect(identifyPath(join(folder, 'link'), linux)).toBe(join(folder, 'later'))
})

test('a broken link through another link is identified by the file that a write would create', () => {
  mkdirSync(join(folder, 'project'))
  mkdirSync(join(folder, 'home/functions'), { recursive: true })
  symlinkSync('../home/functions', join(folder, 'project/deep'))
  symlinkSync('deep/../later', join(folder, 'project/relative'))
  symlinkSync(`${join(folder, 'project/deep')}/../later`, join(folder, 'project/absolute'))
  symlinkSync('relative', join(folder, 'project/again'))

  const names = ['relative', 'absolute', 'again'].map((name) => identifyPath(join(folder, 'project', name), linux))

  expect(names).toEqual(Array(3).fill(join(folder, 'home/later')))
  writeFileSync(join(folder, 'project/again'), '')
  expect(identifyPath(join(folder, 'project/relative'), linux)).toBe(join(folder, 'home/later'))
})

test('a path with more branching links than the system follows is identified without an endless loop', () => {
  symlinkSync('absent', join(folder, 'l0'))
  for (let i = 1; i <= 45; i++) symlinkSync(`l${i - 1}/../l${i - 1}/../x`, join(folder, `l${i}`))

  expect(identifyPath(join(folder, 'l45'), linux)).toContain(folder)
})

test('a path through circular links is identified without an endless loop', () => {
  symlinkSync('b', join(folder, 'a'))
  symlinkSync('a', join(folder, 'b'))

  expect(identifyPath(join(folder, 'a', 'x'), linux)).toMatch(/x$/)
})

test('letter case in the identity of a path is folded on case-insensitive systems', () => {
  expect(identifyPath('/No/Such/Path', new CaseProbe('darwin'))).toBe('/no/such/path')
})

test.each(['\\\\server\\share\\file', '//server/share/file'])('the network path %s is not accessed', (path) => {
  // If the share were accessed, the result would be normalised.
  expect(identifyPath(`${path}/../x`, linux)).toBe(`${path}/../x`)
})

test('a link whose name is not valid UTF-8 is identified by its target', () => {
  symlinkSync('later', Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xfe])]))

  expect(identifyPath(join(folder, '\\xfe'), linux)).toBe(join(folder, 'later'))
})
