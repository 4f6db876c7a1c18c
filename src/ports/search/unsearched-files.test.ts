import { expect, test } from 'vitest'
import { splitComplaint } from './unsearched-files.js'

test('files that were given up are told from what is wrong with the query', () => {
  const complaint = [
    'rg: ./a.txt: PCRE2: error matching: match limit exceeded',
    'rg: sub: Permission denied (os error 13)',
    'rg: ./we: ird\n.txt: Input/output error (os error 5)',
    'rg: ./gone: No such file or directory (os error 2)',
  ].join('\n')

  expect(splitComplaint(complaint)).toEqual({
    files: [
      { printed: './a.txt', said: 'PCRE2: error matching: match limit exceeded' },
      { printed: 'sub', said: 'Permission denied (os error 13)' },
      { printed: './we: ird\n.txt', said: 'Input/output error (os error 5)' },
    ],
    rest: '',
  })
})

test.each(['rg: regex parse error:\n    (?:()\n    ^\nerror: unclosed group', 'rg: PCRE2: error compiling pattern: x'])(
  '%j is about the query',
  (complaint) => {
    expect(splitComplaint(complaint)).toEqual({ files: [], rest: complaint })
  },
)
