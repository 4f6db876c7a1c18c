import { describe, expect, test } from 'vitest'
import { runSteps } from '../shared/steps.js'
import { findOmission } from './find-omission.js'

describe('a placeholder for omitted code', () => {
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
    'pass  # ... rest of the code ...',
    '    pass # rest of the implementation',
    'pass  # ...',
    'pass  # … unchanged …',
    'pass  # (existing code)',
    '...  # existing code',
    'return None  # ... rest of the function ...',
    'return x  # ... existing code ...',
    'x = compute()  # … rest unchanged …',
    ': # ... rest of the script ...',
  ])('(%s) is found', (line) => {
    expect(runSteps(findOmission('a = 1\nb = 2\n', `a = 1\n${line}\n`))).toBe(line.trim())
  })
})

describe('a line of code or an ordinary comment', () => {
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
    'pass',
    'pass  # TODO: implement',
    'pass  # nothing to do for existing users',
    'pass  # handled by the remaining branches',
    "print('a # ... rest of the code ...')",
    'x = "a # ... existing code ..."',
    'x = 1  # ...',
    'x = 1  # unchanged',
    'items = head(rest)  # the rest of the items',
    'background: #...',
    'return self  # ... so that calls can be chained',
    'total += 1  # same as before',
  ])('(%s) is not taken for a placeholder', (line) => {
    expect(runSteps(findOmission('a = 1\nb = 2\n', `a = 1\n${line}\n`))).toBeUndefined()
  })
})

test('a placeholder line that the old text also has is not an omission', () => {
  expect(runSteps(findOmission('a\n  // ...\nb', 'a\n// ...\nc'))).toBeUndefined()
})

test.each([
  ['pass  # ... rest of the code ...\nx = 1', 'pass  # ... rest of the code ...\nx = 2'],
  ['a()  # ... existing code ...', 'b()  # ... existing code ...'],
  ['return x // ... existing code ...', 'return y // ... existing code ...'],
  ['# ... rest of the code ...\nold()', 'pass  # ... rest of the code ...'],
])('a comment that the old text also has is not an omission, whatever precedes it: %j', (before, after) => {
  expect(runSteps(findOmission(before, after))).toBeUndefined()
})

test('a placeholder comment that the old text has once is an omission if it is added a second time', () => {
  const after = 'return y // ... existing code ...\nlog() // ... existing code ...'
  expect(runSteps(findOmission('return x // ... existing code ...\ncode()', after))).toBe(
    'log() // ... existing code ...',
  )
})

test('a placeholder line that replaces no other line is not an omission', () => {
  expect(runSteps(findOmission('# Example\n', '# Example\n\n// ... existing code ...\n'))).toBeUndefined()
})

test('no line is an omission if the old text is empty', () => {
  expect(runSteps(findOmission('', '// ... existing code ...'))).toBeUndefined()
})
