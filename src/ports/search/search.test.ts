import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { rgPath } from '@vscode/ripgrep'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SearchQuery } from '../../contract/ports/search.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { createSearch } from './create-search.js'
import { createSiblingIgnoreRules } from './glob-expression.js'
import { globFiles } from './glob-files.js'

let folder: string
const oddName = Buffer.from([0x6f, 0xff, 0x0a, 0x64])

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-search-')))
  const files = {
    '.gitignore': 'ignored/\n*.min.js\n',
    'a.ts': 'const one = 1\nconst two = 2\nconst three = 3\nfour\nfive\nsix\nconst seven = 7\r\n',
    'src/b.ts': 'needle\nhay\n',
    'src/deep/c.tsx': 'needle\n',
    'src/code.min.js': 'needle\n',
    'ignored/d.ts': 'needle\n',
    '.hidden/e.ts': 'needle\n',
    '.git/f.ts': 'needle\n',
    'binary.ts': 'needle\0needle\n',
    'late.ts': `needle\n${'y'.repeat(300_000)}\n\0\nneedle\n`,
    'long.txt': `${'x'.repeat(10_000)}needle${'x'.repeat(10_000)}\n`,
    'with space/g h.ts': 'needle: with: colons\n',
  }
  for (const [name, content] of Object.entries(files)) put(name, content)
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/src/`), oddName]), 'needle in odd\n')
  utimesSync(join(folder, 'src/b.ts'), 2e9, 2e9)
  utimesSync(join(folder, 'src/deep/c.tsx'), 1e9, 1e9)
})
afterAll(() => rmSync(folder, { recursive: true }))

function put(name: string, content: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), content)
}

function search(query: Partial<SearchQuery>) {
  return createSearch().search({ pattern: 'needle', path: folder, cwd: folder, output: 'files', ...query })
}

async function searchLines(query: Partial<SearchQuery>) {
  return (await search(query)).text.split('\n')
}

describe('searching', () => {
  test('lists files newest first, without ignored and binary files and the .git folder', async () => {
    const foundLines = await searchLines({})

    expect(foundLines[0]).toBe('src/b.ts')
    expect(foundLines.at(-1)).toBe('src/deep/c.tsx')
    expect(foundLines.sort()).toEqual([
      '.hidden/e.ts',
      'late.ts',
      'long.txt',
      'src/b.ts',
      'src/deep/c.tsx',
      'src/o\\xff\\x0ad',
      'with space/g h.ts',
    ])
  })

  test('shows lines with numbers, sorted by path, for any file names', async () => {
    expect(await searchLines({ output: 'content', glob: '!long.txt' })).toEqual([
      '.hidden/e.ts:1:needle',
      'late.ts:1:needle',
      'src/b.ts:1:needle',
      'src/deep/c.tsx:1:needle',
      'src/o\\xff\\x0ad:1:needle in odd',
      'with space/g h.ts:1:needle: with: colons',
    ])
  })

  test('accepts an escaped name with arbitrary bytes', async () => {
    expect(await searchLines({ output: 'content', path: join(folder, 'src/o\\xff\\x0ad') })).toEqual([
      'src/o\\xff\\x0ad:1:needle in odd',
    ])
  })

  test('shows context lines, with separators between groups', async () => {
    const foundLines = await searchLines({
      output: 'content',
      pattern: 'const (one|seven)',
      after: 1,
      before: 1,
      glob: 'a.ts',
    })

    expect(foundLines).toEqual([
      'a.ts:1:const one = 1',
      'a.ts-2-const two = 2',
      '--',
      'a.ts-6-six',
      'a.ts:7:const seven = 7',
    ])
  })

  test('omits line numbers on request', async () => {
    expect(await searchLines({ output: 'content', lineNumbers: false, path: join(folder, 'src/b.ts') })).toEqual([
      'src/b.ts:needle',
    ])
  })

  test('returns the number of matches in each file for the output count', async () => {
    expect(await searchLines({ output: 'count', pattern: 'const', path: join(folder, 'a.ts') })).toEqual(['a.ts:4'])
  })

  test('returns pages and the number of further results', async () => {
    const query = { output: 'content', pattern: 'const|four|five|six', glob: 'a.ts' } as const

    expect(await search({ ...query, limit: 2 })).toMatchObject({ entries: 2, more: 5 })
    expect(await search({ ...query, offset: 5, limit: 10 })).toEqual({
      text: 'a.ts:6:six\na.ts:7:const seven = 7',
      entries: 2,
      more: 0,
    })
    expect(await search({ limit: 3, offset: 1 })).toMatchObject({ entries: 3, more: 3 })
  })

  test('shows the beginning of a very long line', async () => {
    const [line] = await searchLines({ output: 'content', path: join(folder, 'long.txt') })

    expect(line?.length).toBeLessThan(700)
    expect(line).toMatch(/^long\.txt:1:x{50}.*\[\.\.\. .*\]$/)
  })

  test.each([
    ['*.tsx', ['src/deep/c.tsx']],
    ['src/**/*.{ts,tsx}', ['src/b.ts', 'src/deep/c.tsx']],
    ['**/*.ts', ['.hidden/e.ts', 'late.ts', 'src/b.ts', 'with space/g h.ts']],
    ['!*.{ts,tsx,txt}', ['src/o\\xff\\x0ad']],
    [
      '*',
      ['.hidden/e.ts', 'late.ts', 'long.txt', 'src/b.ts', 'src/deep/c.tsx', 'src/o\\xff\\x0ad', 'with space/g h.ts'],
    ],
    ['ignored/*.ts', ['']],
  ])('returns only files that match %s and are not ignored', async (glob, expected) => {
    expect((await searchLines({ glob })).sort()).toEqual(expected)
  })

  test('returns only files that match both a type and a glob', async () => {
    expect(await searchLines({ type: 'ts', glob: 'src/*' })).toEqual(['src/b.ts'])
  })

  test('supports multiline patterns, ignored case and look-around', async () => {
    expect(await searchLines({ pattern: 'needle\\nhay', multiline: true })).toEqual(['src/b.ts'])
    expect(await searchLines({ pattern: 'NEEDLE: with', ignoreCase: true })).toEqual(['with space/g h.ts'])
    expect(await searchLines({ pattern: '(?<=needle: )with' })).toEqual(['with space/g h.ts'])
    expect(await searchLines({ pattern: '--', output: 'content', path: join(folder, 'a.ts') })).toEqual([''])
  })

  test.each<[Partial<SearchQuery>, RegExp]>([
    [{ pattern: '\\w{1000}{1000}' }, /too large: its repetitions/],
    [{ pattern: 'foo(' }, /not a valid regular expression: unclosed group.*backslash/],
    [{ pattern: 'a\\nb' }, /set multiline/],
    [{ pattern: '\\' }, /^The pattern "\\\\" ends with a single backslash.*send two of them: "\\\\\\\\"\.$/],
    [{ pattern: '(?<=a*)b' }, /not a valid regular expression/],
    [{ type: 'unknown-type' }, /no file type "unknown-type".*glob/],
    [{ glob: '{a,b' }, /not closed/],
    [{ path: '/no/such/folder' }, /does not exist/],
    [{ path: '/dev/zero' }, /cannot be searched/],
  ])('refuses %j with advice', async (query, message) => {
    await expect(search(query)).rejects.toThrow(message)
  })

  test.each(['files', 'content', 'count'] as const)(
    'for the output %s reports a file on which the pattern takes too long, and does not fail',
    async (output) => {
      const slowPattern = '(x+x+)+[yz](?=!)|need(?=le)'
      const searchResult = await search({ pattern: slowPattern, output, glob: '{src/b.ts,long.txt}' })

      expect(searchResult.text).toMatch(/^src\/b\.ts/)
      expect(searchResult).toMatchObject({ entries: 1, more: 0 })
      expect(searchResult.unsearched).toEqual([
        { path: 'long.txt', reason: 'the pattern takes too many steps in this file' },
      ])
      const hiddenResult = await search({
        pattern: slowPattern,
        output,
        isHidden: (path) => path.endsWith('/long.txt'),
      })
      expect(hiddenResult.unsearched).toBeUndefined()
    },
  )

  test('reports a match in an explicitly named binary file without its content', async () => {
    expect(await searchLines({ output: 'content', path: join(folder, 'binary.ts') })).toEqual([
      'binary.ts: binary file matches',
    ])
  })

  test('refuses a pipe without blocking', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')])

    await expect(search({ path: join(folder, 'pipe') })).rejects.toThrow('pipe')
    expect((await search({})).entries).toBe(7)
  })

  test('returns the first lines by path without waiting for the rest if there are too many results', async () => {
    const manyFolder = join(folder, 'many')
    mkdirSync(manyFolder)
    for (let index = 0; index < 40; index++) {
      writeFileSync(join(manyFolder, `f${String(index).padStart(2, '0')}`), 'x'.repeat(400).concat('\n').repeat(1_000))
    }
    try {
      const { text, entries, more } = await search({ pattern: 'x', output: 'content', path: manyFolder, limit: 1500 })

      expect([entries, more]).toEqual([1500, 'unknown'])
      expect(
        text
          .split('\n')
          .map((line) => line.split(':x')[0])
          .at(-1),
      ).toBe('many/f01:500')
    } finally {
      rmSync(manyFolder, { recursive: true })
    }
  })

  test('ends when it is aborted', async () => {
    const abort = new AbortController()
    const searchPromise = createSearch().search(
      { pattern: 'needle', path: folder, cwd: folder, output: 'files' },
      { signal: abort.signal },
    )
    abort.abort(new Error('aborted'))

    await expect(searchPromise).rejects.toThrow('aborted')
  })

  test('returns the matches found so far when it is stopped', async () => {
    const query = { pattern: 'needle', path: folder, cwd: folder, output: 'files' } as const

    expect(await createSearch().search(query, { stopSignal: AbortSignal.abort() })).toEqual({
      text: '',
      entries: 0,
      more: 'unknown',
      unsearched: [{ path: folder, reason: 'the search was stopped' }],
    })
  })

  test('a stopped or slow listing of files says that it is incomplete', async () => {
    expect(await globFiles(folder, '**/*', { limit: 10, timeLimitMs: 0 })).toMatchObject({ isIncomplete: true })
    expect(await globFiles(folder, '**/*', { limit: 10, stopSignal: AbortSignal.abort() })).toEqual({
      paths: [],
      more: 0,
      isIncomplete: true,
    })
  })
})

describe('globs', () => {
  const glob = async (pattern: string, limit = 100) => {
    const { paths, more } = await globFiles(folder, pattern, { limit })
    return { names: paths.map((path) => path.slice(folder.length + 1)), more }
  }

  test('return absolute paths, newest first, and the number of further files', async () => {
    const { names, more } = await glob('**/*.ts', 2)

    expect(names[0]).toBe('src/b.ts')
    expect([names.length, more]).toEqual([2, 4])
  })

  test('never match ignored files', async () => {
    const { names } = await glob('**/*')

    expect(names).not.toContain('ignored/d.ts')
    expect(names).not.toContain('src/code.min.js')
    expect(names).not.toContain('.git/f.ts')
    expect(names).toContain('.hidden/e.ts')
    expect(names).toContain('src/o\\xff\\x0ad')
  })

  const name = fc.constantFrom('a', 'b', 'ab', 'a.ts', 'b.ts', 'c-d', '[x]', 'src', '.h')
  const piece = fc.constantFrom('*', '?', 'a', 'b', '*.ts', '{a,b}', '[ab]', '[!a]', 'src', '\\[x]', '.', '*b*')
  const segment = fc.oneof(
    fc.constant('**'),
    fc.array(piece, { minLength: 1, maxLength: 2 }).map((parts) => parts.join('')),
  )

  test('have the same meaning as in ripgrep', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(name, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 8 }),
        fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/')),
        async (files, pattern) => {
          // Haft supports a leading `./`, but ripgrep would find nothing.
          fc.pre(!pattern.startsWith('./') && !/\*{3}|^\*\*[^/]|[^/]\*\*$|[^/]\*\*\/|\/\*\*[^/]/.test(pattern))
          const tree = mkdtempSync(join(tmpdir(), 'haft-glob-'))
          try {
            for (const file of files) {
              try {
                mkdirSync(join(tree, ...file.slice(0, -1)), { recursive: true })
                writeFileSync(join(tree, ...file), '')
              } catch {
                // Another path is a file where this path needs a folder.
              }
            }
            const { paths } = await globFiles(tree, pattern, { limit: 1000 })

            expect(paths.map((path) => path.slice(tree.length + 1)).sort()).toEqual(globByRipgrep(tree, pattern))
          } finally {
            rmSync(tree, { recursive: true })
          }
        },
      ),
      createPropertyOptions(60),
    )
  })
})

function globByRipgrep(cwd: string, pattern: string): readonly string[] {
  try {
    const args = ['--no-config', '--files', '--hidden', '--no-ignore', '--glob', pattern]
    return execFileSync(rgPath, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
      .trim()
      .split('\n')
      .sort()
  } catch {
    // ripgrep exits with an error code if nothing matches.
    return []
  }
}

test('a search does not enter folders outside the literal start of a pattern', () => {
  expect(createSiblingIgnoreRules('src/deep/**/*.ts')).toBe('/*\n!/src\n/src/*\n!/src/deep\n')
  for (const pattern of ['*.ts', '**/src/a', '{a,b}/c', 's?c/a', '[a]/b', '!a/b', '#a/b', '../a', 'a']) {
    expect(createSiblingIgnoreRules(pattern)).toBe('')
  }
})

test('ignored files stay ignored below the literal start of a pattern', async () => {
  const { paths } = await globFiles(folder, 'src/**/*', { limit: 100 })

  expect(paths.map((path) => path.slice(folder.length + 1)).sort()).toEqual([
    'src/b.ts',
    'src/deep/c.tsx',
    'src/o\\xff\\x0ad',
  ])
  expect((await globFiles(folder, 'ignored/*.ts', { limit: 100 })).paths).toEqual([])
})

// Without a time limit, this search takes more than a minute.
test('a search that takes too long returns what it found and says what it did not search', async () => {
  const slowFolder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-search-slow-')))
  try {
    writeFileSync(join(slowFolder, 'slow.txt'), 'a'.repeat(10_000_000))
    const search = createSearch({ timeLimitMs: 50 })
    const query: SearchQuery = { pattern: 'a{1000}{50}b', path: slowFolder, cwd: slowFolder, output: 'content' }
    expect(await search.search(query)).toEqual({
      text: '',
      entries: 0,
      more: 'unknown',
      unsearched: [{ path: slowFolder, reason: expect.stringMatching(/took too long; narrow the path, or simplify/) }],
    })
    expect(await search.search({ ...query, output: 'count' })).toMatchObject({
      entries: 0,
      more: 'unknown',
      unsearched: [{ path: slowFolder }],
    })
  } finally {
    rmSync(slowFolder, { recursive: true })
  }
})
