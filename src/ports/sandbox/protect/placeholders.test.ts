import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SandboxFixture } from '../fixture-sandbox.js'
import { Placeholders } from './placeholders.js'

let fixture: SandboxFixture
let marks: string
beforeEach(() => {
  fixture = new SandboxFixture()
  marks = fixture.folder('marks')
})
afterEach(() => fixture.remove())

test('a placeholder goes with the last who holds it, also where two Hafts do', () => {
  const path = join(fixture.project, '.haft')
  const [first, second] = [new Placeholders(marks).hold([path]), new Placeholders(marks).hold([path])]

  first()
  expect(readdirSync(fixture.project)).toEqual(['.haft'])
  second()
  expect([readdirSync(fixture.project), readdirSync(marks)]).toEqual([[], []])
})

test('what somebody filled in the meantime is a placeholder no more, and stays', () => {
  const path = join(fixture.project, '.haft')
  const placeholders = new Placeholders(marks)
  const release = placeholders.hold([path])
  expect(placeholders.includes(path)).toBe(true)
  writeFileSync(join(path, 'settings.json'), '{}')

  expect(placeholders.includes(path)).toBe(false)
  release()
  expect(readdirSync(path)).toEqual(['settings.json'])
})

test('an empty folder of the user is none', () => {
  expect(new Placeholders(marks).includes(fixture.folder('project/.haft'))).toBe(false)
})

test('where one cannot be made, the others go', () => {
  const file = join(fixture.project, 'file')
  writeFileSync(file, '')

  expect(() => new Placeholders(marks).hold([join(fixture.project, '.haft'), join(file, 'x')])).toThrow('ENOTDIR')
  expect([readdirSync(fixture.project), readdirSync(marks)]).toEqual([['file'], []])
})
