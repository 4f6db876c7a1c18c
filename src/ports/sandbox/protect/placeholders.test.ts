import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SandboxFixture } from '../fixture-sandbox.js'
import { Placeholders } from './placeholders.js'

let fixture: SandboxFixture
let marksFolder: string
beforeEach(() => {
  fixture = new SandboxFixture()
  marksFolder = fixture.makeFolder('marks')
})
afterEach(() => fixture.remove())

test('a placeholder is removed by its last holder, even if several processes hold it', () => {
  const path = join(fixture.project, '.haft')
  const [first, second] = [
    new Placeholders(marksFolder).hold([{ path }]),
    new Placeholders(marksFolder).hold([{ path }]),
  ]

  first()
  expect(readdirSync(fixture.project)).toEqual(['.haft'])
  second()
  expect([readdirSync(fixture.project), readdirSync(marksFolder)]).toEqual([[], []])
})

test('a placeholder that another program has filled is kept', () => {
  const path = join(fixture.project, '.haft')
  const placeholders = new Placeholders(marksFolder)
  const release = placeholders.hold([{ path }])
  expect(placeholders.includes(path)).toBe(true)
  writeFileSync(join(path, 'settings.json'), '{}')

  expect(placeholders.includes(path)).toBe(false)
  release()
  expect(readdirSync(path)).toEqual(['settings.json'])
})

test('an empty folder of the user is not a placeholder', () => {
  expect(new Placeholders(marksFolder).includes(fixture.makeFolder('project/.haft'))).toBe(false)
})

test('if one placeholder cannot be created, the others are removed', () => {
  const file = join(fixture.project, 'file')
  writeFileSync(file, '')

  expect(() =>
    new Placeholders(marksFolder).hold([{ path: join(fixture.project, '.haft') }, { path: join(file, 'x') }]),
  ).toThrow('ENOTDIR')
  expect([readdirSync(fixture.project), readdirSync(marksFolder)]).toEqual([['file'], []])
})
