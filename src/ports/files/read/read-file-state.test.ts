import { expect, test } from 'vitest'
import { createReadFileState } from './read-file-state.js'

const createEntry = (contentHash: string) => ({ contentHash, mtimeMs: 1 })
const listPaths = (state: ReturnType<typeof createReadFileState>) => [...state.entries()].map(([path]) => path)

test('the least recently used entry of the read file state is dropped first', () => {
  const state = createReadFileState({ maxEntries: 2 })
  state.set('/a', createEntry('1'))
  state.set('/b', createEntry('2'))
  state.get('/a')
  state.set('/c', createEntry('3'))

  expect([listPaths(state), state.get('/b')]).toEqual([['/a', '/c'], undefined])
})

test('a copy of the read file state is independent of the original', () => {
  const state = createReadFileState({ maxEntries: 2 })
  state.set('/a', createEntry('1'))
  const copy = state.copy()
  copy.set('/b', createEntry('2'))
  copy.set('/c', createEntry('3'))
  state.delete('/a')

  expect([listPaths(state), listPaths(copy)]).toEqual([[], ['/b', '/c']])
})

test('a read file state restored from JSON has the same entries', () => {
  const state = createReadFileState()
  state.set('/a', { ...createEntry('1'), range: { offset: 2, limit: 3 }, bytes: { start: 4, end: 9 } })
  state.set('/b', createEntry('2'))

  const restoredState = createReadFileState({ entries: JSON.parse(JSON.stringify(state.entries())) })

  expect(restoredState.entries()).toEqual(state.entries())
})
