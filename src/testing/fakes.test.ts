import { expect, test } from 'vitest'
import { ReadTool } from '../tools/read/tool.js'
import { callTool } from './call-tool.js'
import { fakeHttp, fakeSearch } from './fakes.js'
import { fakeFiles } from './files/fake-files.js'

test('fakeFiles gives a tool real files in a temporary folder', async () => {
  const { files, cwd, readText, dispose } = await fakeFiles({ 'src/a.txt': 'alpha\n' })

  expect(await callTool(ReadTool, { file_path: `${cwd}/src/a.txt` }, { files, cwd })).toContain('alpha')
  await files.write(`${cwd}/b.txt`, new TextEncoder().encode('beta'))
  expect(await readText('b.txt')).toBe('beta')
  await dispose()
  await expect(readText('b.txt')).rejects.toThrow('ENOENT')
})

test('fakeSearch finds its entries, within the limits of the query', async () => {
  const search = fakeSearch(['a.ts:1:x', 'a.ts:2:x', 'b.ts:1:x'])
  const query = { pattern: 'x', path: '/p', cwd: '/p', output: 'content' } as const

  expect(await search.search({ ...query, offset: 1, limit: 1 })).toEqual({ text: 'a.ts:2:x', entries: 1, more: 1 })
  expect(search.queries).toHaveLength(1)
})

test('fakeHttp answers from a table, cuts long bodies, and fails for other addresses', async () => {
  const http = fakeHttp({ 'https://a.example/': 'hello', 'https://b.example/': { status: 404 } })

  const response = await http.fetch('https://a.example/', { maxBytes: 4 })
  expect([new TextDecoder().decode(response.body), response.isTruncated]).toEqual(['hell', true])
  expect(await http.fetch('https://b.example/')).toMatchObject({ status: 404, isTruncated: false })
  await expect(http.fetch('https://c.example/')).rejects.toMatchObject({ code: 'unknown_host' })
  expect(http.requests.map(({ url }) => url)).toEqual([
    'https://a.example/',
    'https://b.example/',
    'https://c.example/',
  ])
})
