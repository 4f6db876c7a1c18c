import { expect, test } from 'vitest'
import type { FilesPort } from '../../contract/ports/files.js'
import type { SearchPort } from '../../contract/ports/search.js'
import { createFixtureMcpTool } from '../../testing/fixture-mcp-tool.js'
import { GrepTool } from '../../tools/grep/tool.js'
import { ReadTool } from '../../tools/read/tool.js'
import { hideRestricted, omitsRestricted } from './hide-restricted.js'

test('every search hides the files that are restricted for its folder and working directory', async () => {
  const hiddenFlags: unknown[] = []
  const files = {
    glob: async (_: string, __: string, options: { isHidden?: (path: string) => boolean }) => {
      hiddenFlags.push(options.isHidden?.('x'))
      return { paths: [], more: 0 }
    },
  } as unknown as FilesPort
  const search: SearchPort = {
    async search({ isHidden }) {
      hiddenFlags.push(isHidden?.('x'))
      return { text: '', entries: 0, more: 0 }
    },
  }
  const lookups: unknown[] = []
  const hidingPorts = hideRestricted({ files, search }, async (...restrictionArgs) => {
    lookups.push(restrictionArgs)
    return () => true
  })

  await hidingPorts.files?.glob('/a', '*', { cwd: '/c', realPath: '/real' })
  await hidingPorts.files?.glob('/a', '*')
  await hidingPorts.search?.search({ pattern: 'x', path: '/b', cwd: '/c', output: 'files' })

  expect(lookups).toEqual([
    ['/a', '/c', '/real'],
    ['/a', '/a', undefined],
    ['/b', '/c', undefined],
  ])
  expect(hiddenFlags).toEqual([true, true, true])
})

test('only a built-in tool can declare that it omits restricted files', () => {
  expect(omitsRestricted(GrepTool)).toBe(true)
  expect(omitsRestricted(ReadTool)).toBe(false)
  expect(omitsRestricted({ ...createFixtureMcpTool('server', 'find'), omitsRestrictedFiles: true })).toBe(false)
})
