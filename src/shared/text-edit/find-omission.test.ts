import { describe, expect, test } from 'vitest'
import { findOmission } from './find-omission.js'

describe('a line that stands for code is found', () => {
  test.each([
    '// ... existing code ...',
    '// ...existing code...',
    '// … rest unchanged …',
    '… rest unchanged …',
    '... rest of the code ...',
    '# ... rest of the file remains the same ...',
    '# rest of file',
    '# rest of the code unchanged',
    '// rest of the function remains the same',
    '// remaining code here',
    '// (rest of the implementation)',
    '// keep the rest of the file as is',
    '// other methods remain unchanged',
    '// existing code',
    '// unchanged',
    '// ...',
    '/* ... */',
    '/* ... existing styles ... */',
    'function a() { /* ... */ }',
    'return x // ... existing code ...',
    '{/* ... existing components ... */}',
    '<!-- ... rest of the page ... -->',
    '<!-- rest of the content unchanged -->',
    '-- ... existing columns ...',
    '; ... rest of the code ...',
    '% ... rest of file ...',
    "' ... existing code ...",
    'REM ... rest of script ...',
    '(* ... rest ... *)',
    '{- ... existing definitions ... -}',
    '{{!-- ... rest of template ... --}}',
    '{# ... existing blocks ... #}',
    '--[[ ... rest ... ]]',
    '""" ... existing code ... """',
    '[... 20 lines omitted ...]',
    '// code omitted for brevity',
    '# ... (previous code)',
    '// ... existing imports',
    '// ... остальной код ...',
    '    // ... same as before ...',
  ])('%s', (line) => {
    expect(findOmission('a = 1\nb = 2\n', `a = 1\n${line}\n`)).toBe(line.trim())
  })
})

describe('other lines are left alone', () => {
  test.each([
    '...rest',
    'const { a, ...rest } = all',
    '...existing,',
    '    ...',
    '// the rest of the function handles errors',
    '// TODO: remove the remaining calls...',
    '// same as above',
    '# existing users keep their plan',
    '# Loading...',
    "print('... rest of the code ...')",
    '// see the original paper for the proof',
    'rest = rest of',
    '// wait until nothing remains',
    '/** The rest parameter. */',
    'throw new Error("unchanged")',
    '- everything else',
    '# Remaining time',
    'log("Loading ...")',
    '// returns the existing entry',
  ])('%s', (line) => {
    expect(findOmission('a = 1\nb = 2\n', `a = 1\n${line}\n`)).toBeUndefined()
  })
})

test('a line that the old text had is meant', () => {
  expect(findOmission('a\n  // ...\nb', 'a\n// ...\nc')).toBeUndefined()
})

test('a line that is only added replaces nothing', () => {
  expect(findOmission('# Example\n', '# Example\n\n// ... existing code ...\n')).toBeUndefined()
})

test('nothing is found where nothing stood', () => {
  expect(findOmission('', '// ... existing code ...')).toBeUndefined()
})
