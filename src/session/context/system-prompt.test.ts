import { expect, test } from 'vitest'
import { type Surroundings, systemPrompt } from './system-prompt.js'

const HERE: Surroundings = {
  cwd: '/project',
  platform: 'linux',
  date: '2026-01-02',
  isGitRepository: true,
  model: 'some-model',
  isHeadless: true,
}

test('is small and deterministic', () => {
  const parts = systemPrompt(HERE)

  expect(systemPrompt({ ...HERE })).toEqual(parts)
  expect(Buffer.byteLength(parts.join('\n'))).toBeLessThan(6_000)
})

test('a different working folder does not change the part before it', () => {
  const [first, place] = systemPrompt(HERE)
  const [firstElsewhere, placeElsewhere] = systemPrompt({ ...HERE, cwd: '/elsewhere' })

  expect(firstElsewhere).toBe(first)
  expect(placeElsewhere).not.toBe(place)
  expect(placeElsewhere).toContain('Working folder: /elsewhere')
})

test('says that nobody can be asked only in headless mode', () => {
  expect(systemPrompt(HERE).join()).toContain('Nobody can be asked')
  expect(systemPrompt({ ...HERE, isHeadless: false }).join()).not.toContain('Nobody can be asked')
})

test('a custom prompt replaces the general rules, and an addition comes last', () => {
  const parts = systemPrompt(HERE, { custom: 'Be a pirate.', append: 'Speak French.' })

  expect(parts).toEqual(['Be a pirate.', systemPrompt(HERE)[1], 'Speak French.'])
})
