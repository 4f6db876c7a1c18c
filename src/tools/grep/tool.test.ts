import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SearchPort, SearchQuery } from '../../contract/ports/search.js'
import type { ToolContext } from '../../contract/tool/tool.js'
import { createSearch } from '../../ports/search/create-search.js'
import { callTool } from '../../testing/call-tool.js'
import { GrepTool } from './tool.js'

let cwd: string
const search = createSearch()

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'haft-grep-'))
})

afterEach(() => rm(cwd, { recursive: true }))

const grep = (pattern: string, options: object = {}) => callTool(GrepTool, { pattern, ...options }, { search, cwd })

let age = 0

/** Creates a file that is older than the previous one. */
async function put(name: string, content: string): Promise<void> {
  const path = join(cwd, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
  age++
  await utimes(path, 1_000_000 - age, 1_000_000 - age)
}

describe('Grep in a small project', () => {
  beforeEach(async () => {
    await put('src/a.ts', 'import x\nconst One = 1\nconst two = 2\n\nconst last = 9\n')
    await put('src/b.py', 'one = 1\n')
    await put('.env', 'one=1\n')
    await put('ignored/c.ts', 'const one = 1\n')
    await put('.gitignore', 'ignored\n')
  })

  test('lists files, newest first, by default', async () => {
    expect(await grep('1')).toBe('src/a.ts\nsrc/b.py\n.env')
  })

  test('shows lines with or without their numbers', async () => {
    expect(await grep('const', { output_mode: 'content', path: 'src' })).toBe(
      'src/a.ts:2:const One = 1\nsrc/a.ts:3:const two = 2\nsrc/a.ts:5:const last = 9',
    )
    expect(await grep('two', { output_mode: 'content', '-n': false })).toBe('src/a.ts:const two = 2')
  })

  test('shows lines around a match', async () => {
    const text = (options: object) => grep('two', { output_mode: 'content', ...options })
    const [lineBefore, match, lineAfter] = ['src/a.ts-2-const One = 1', 'src/a.ts:3:const two = 2', 'src/a.ts-4-']
    expect(await text({ '-B': 1 })).toBe(`${lineBefore}\n${match}`)
    expect(await text({ '-A': 1 })).toBe(`${match}\n${lineAfter}`)
    expect(await text({ '-C': 1 })).toBe(`${lineBefore}\n${match}\n${lineAfter}`)
    expect(await text({ '-C': 1, '-A': 0 })).toBe(`${lineBefore}\n${match}`)
  })

  test('counts the matching lines of each file', async () => {
    expect(await grep('const', { output_mode: 'count' })).toBe('src/a.ts:3')
  })

  test('filters by glob, type and path, and can ignore case', async () => {
    expect(await grep('one', { '-i': true, glob: '*.ts' })).toBe('src/a.ts')
    expect(await grep('one', { '-i': true, glob: '!*.ts' })).toBe('src/b.py\n.env')
    expect(await grep('one', { type: 'py' })).toBe('src/b.py')
    expect(await grep('one', { path: 'ignored/c.ts' })).toBe('ignored/c.ts')
    expect(await grep('one', { path: `${cwd}/src/../.env` })).toBe('.env')
  })

  test('matches across lines on request', async () => {
    expect(await grep('One.*two', { multiline: true })).toBe('src/a.ts')
    expect(await grep('One.*two')).toContain('Nothing in')
  })

  test('returns a part, and says how to continue', async () => {
    const first = await grep('const', { output_mode: 'content', head_limit: 2 })
    expect(first).toContain(
      'src/a.ts:3:const two = 2\n\n[1 more line follows. Continue with offset 2, or narrow the search.]',
    )
    expect(await grep('const', { output_mode: 'content', head_limit: 2, offset: 2 })).toBe('src/a.ts:5:const last = 9')
    expect(await grep('const', { output_mode: 'content', offset: 3 })).toBe(
      'There are no entries after the first 3. Choose a smaller offset.',
    )
    expect(await grep('1', { head_limit: 1 })).toBe(
      'src/a.ts\n\n[2 more files follow. Continue with offset 1, or narrow the search.]',
    )
    expect((await grep('1', { head_limit: 0 })).split('\n')).toHaveLength(3)
  })

  test('explains an empty result and suggests what to try', async () => {
    expect(await grep('absent', { glob: '*.ts' })).toMatch(
      /^Nothing in .* matches "absent".*try without glob and type, try with -i/,
    )
  })

  test.each([
    ['main(', {}, 'as in "main\\("'],
    ['args[0', {}, 'as in "args\\[0\\]"'],
    ['*x', {}, 'as in "interface\\{\\}"'],
    ['x', { type: 'tsx' }, 'no file type "tsx"'],
    ['x', { type: 'pyton' }, 'Did you mean python?'],
    ['x', { path: 'nowhere' }, 'nowhere does not exist.'],
    ['x', { glob: '*.{ts' }, 'not closed'],
  ])('refuses the pattern %j with the options %j, and advises what to do', async (pattern, options, advice) => {
    await expect(grep(pattern, options)).rejects.toMatchObject({
      code: 'tool_failed',
      message: expect.stringContaining(advice),
    })
  })
})

test('a search returns at most 250 lines or files by default', async () => {
  await put('a.txt', 'x\n'.repeat(300))
  const text = await grep('x', { output_mode: 'content' })
  expect(text).toContain('a.txt:250:x\n\n[50 more lines follow. Continue with offset 250')
})

test('very long lines are cut', async () => {
  await put('a.txt', `${'x'.repeat(100_000)}\n`)
  expect((await grep('x', { output_mode: 'content' })).length).toBeLessThan(1000)
})

test('names with arbitrary bytes are shown and accepted in escaped form', async () => {
  await writeFile(Buffer.concat([Buffer.from(`${cwd}/a`), Buffer.of(0xff)]), 'x')
  await writeFile(join(cwd, '-e'), 'x')
  await writeFile(join(cwd, 'new\nline'), 'x')
  expect((await grep('x')).split('\n').sort()).toEqual(['-e', 'a\\xff', 'new\\x0aline'])
  expect(await grep('x', { path: 'a\\xff' })).toBe('a\\xff')
})

test('files that could not be searched are listed with the matches', async () => {
  await put('good.txt', 'needle\n')
  await put('bad.txt', `${'x'.repeat(10_000)}\n`)
  const pattern = '(x+x+)+[yz](?=!)|need(?=le)'

  const notice = '[Not searched; there may be more matches in:\nbad.txt: the pattern takes too many steps in this file]'
  expect(await grep(pattern)).toBe(`good.txt\n\n${notice}`)
  expect(await grep(pattern, { path: 'bad.txt' })).toMatch(/^Nothing in .*\n\n\[Not searched/)
})

test('links are not followed out of the folder', async () => {
  await put('inside/a', 'x')
  await put('outside/b', 'x')
  await symlink('../outside', join(cwd, 'inside/link'))
  expect(await grep('x', { path: 'inside' })).toBe('inside/a')
})

test('a search with only a pattern passes the default options to the port', async () => {
  const queries: SearchQuery[] = []
  const fakeSearch: SearchPort = {
    async search(query) {
      queries.push(query)
      return { text: '', entries: 0, more: 0 }
    },
  }
  await callTool(GrepTool, { pattern: 'x' }, { search: fakeSearch, cwd: '/project' })
  expect(queries).toEqual([
    {
      pattern: 'x',
      path: '/project',
      cwd: '/project',
      output: 'files',
      before: 0,
      after: 0,
      lineNumbers: true,
      ignoreCase: false,
      limit: 250,
    },
  ])
})

test.each(['\\\\server\\share', '//server/share', 'a\0'])('the path %j is refused as invalid input', async (path) => {
  await expect(callTool(GrepTool, { pattern: 'x', path }, { search, cwd })).rejects.toMatchObject({
    code: 'input_refused',
  })
})

test.each([{ pattern: 'a\0' }, { pattern: 'a', glob: '*\0' }, { pattern: 'a', type: 't\0' }])(
  'the input %j is refused because of its NUL character',
  async (input) => {
    const refusal = { code: 'input_refused', message: expect.stringContaining('NUL character') }
    await expect(callTool(GrepTool, input, { search, cwd })).rejects.toMatchObject(refusal)
  },
)

test('Grep declares the path that it searches, and leaves permission to the rules', () => {
  expect(GrepTool.resources({ pattern: 'x' })).toEqual({ reads: [{ path: './' }] })
  expect(GrepTool.resources({ pattern: 'x', path: '../a' })).toEqual({ reads: [{ path: '../a' }] })
  expect([GrepTool.isReadOnly(), GrepTool.isConcurrencySafe()]).toEqual([true, true])
  expect(GrepTool.checkPermissions()).toEqual({ behavior: 'passthrough' })
})

test('an interrupted search returns the matches found so far', async () => {
  const interruption = new AbortController()
  const search: SearchPort = {
    async search(_query, { stopSignal } = {}) {
      interruption.abort()
      expect(stopSignal?.aborted).toBe(true)
      return { text: 'a.ts', entries: 1, more: 0, unsearched: [{ path: '/p', reason: 'the search was stopped' }] }
    },
  }
  const context = { search, cwd: '/p', signal: interruption.signal } as unknown as ToolContext<'search'>

  await expect(GrepTool.call({ pattern: 'a' }, context)).rejects.toMatchObject({
    outputSoFar: 'a.ts\n\n[Not searched; there may be more matches in:\n/p: the search was stopped]',
  })
})
