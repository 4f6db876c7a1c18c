import { expect, test } from 'vitest'
import { splitErrors } from './unsearched-files.js'

test('ripgrep errors about single files are separated from errors of the query', () => {
  const errorOutput = [
    'rg: ./a.txt: PCRE2: error matching: match limit exceeded',
    'rg: sub: Permission denied (os error 13)',
    'rg: ./we: ird\n.txt: Input/output error (os error 5)',
    'rg: ./gone: No such file or directory (os error 2)',
  ].join('\n')

  expect(splitErrors(errorOutput)).toEqual({
    files: [
      { printed: './a.txt', error: 'PCRE2: error matching: match limit exceeded' },
      { printed: 'sub', error: 'Permission denied (os error 13)' },
      { printed: './we: ird\n.txt', error: 'Input/output error (os error 5)' },
    ],
    queryErrors: '',
  })
})

test.each(['rg: regex parse error:\n    (?:()\n    ^\nerror: unclosed group', 'rg: PCRE2: error compiling pattern: x'])(
  'the ripgrep output %j is reported as an error of the query',
  (errorOutput) => {
    expect(splitErrors(errorOutput)).toEqual({ files: [], queryErrors: errorOutput })
  },
)
