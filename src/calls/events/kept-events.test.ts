import { expect, test } from 'vitest'
import { KeptEvents } from './kept-events.js'

test('gives each event once and in order', () => {
  const kept = new KeptEvents<{ type: string }>('progress', 2)
  for (const type of ['a', 'progress', 'b']) kept.push({ type })

  expect(kept.take()).toEqual([{ type: 'a' }, { type: 'progress' }, { type: 'b' }])
  expect(kept.take()).toEqual([])
  expect(kept.isEmpty).toBe(true)
})

test('keeps all but old progress, however much there is of it', () => {
  const kept = new KeptEvents<{ type: string; at: number }>('progress', 3)
  for (let at = 0; at < 100; at++) kept.push({ type: at % 10 === 0 ? 'news' : 'progress', at })

  const events = kept.take()

  expect(events.filter(({ type }) => type === 'news').map(({ at }) => at)).toEqual([
    ...[0, 10, 20, 30, 40, 50, 60, 70, 80, 90],
  ])
  expect(events.filter(({ type }) => type === 'progress').map(({ at }) => at)).toEqual([97, 98, 99])
})
