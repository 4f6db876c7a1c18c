import { expect, test } from 'vitest'
import type { FilesPort } from '../../contract/ports/files.js'
import type { SearchPort } from '../../contract/ports/search.js'
import { fixtureMcpTool } from '../../testing/fixture-mcp-tool.js'
import { GrepTool } from '../../tools/grep/tool.js'
import { ReadTool } from '../../tools/read/tool.js'
import { hideRestricted, searchesAroundRestricted } from './hide-restricted.js'

test('every search is told what is hidden for its folder and its working folder', async () => {
  const told: unknown[] = []
  const files = {
    glob: async (_: string, __: string, options: { isHidden?: (path: string) => boolean }) => {
      told.push(options.isHidden?.('x'))
      return { paths: [], more: 0 }
    },
  } as unknown as FilesPort
  const search: SearchPort = {
    async search({ isHidden }) {
      told.push(isHidden?.('x'))
      return { text: '', entries: 0, more: 0 }
    },
  }
  const asked: unknown[] = []
  const hiding = hideRestricted({ files, search }, async (...place) => {
    asked.push(place)
    return () => true
  })

  await hiding.files?.glob('/a', '*', { cwd: '/c' })
  await hiding.files?.glob('/a', '*')
  await hiding.search?.search({ pattern: 'x', path: '/b', cwd: '/c', output: 'files' })

  expect(asked).toEqual([
    ['/a', '/c'],
    ['/a', '/a'],
    ['/b', '/c'],
  ])
  expect(told).toEqual([true, true, true])
})

test('a tool is believed only where it says so and comes from here', () => {
  expect(searchesAroundRestricted(GrepTool)).toBe(true)
  expect(searchesAroundRestricted(ReadTool)).toBe(false)
  expect(searchesAroundRestricted({ ...fixtureMcpTool('server', 'find'), omitsRestrictedFiles: true })).toBe(false)
})
