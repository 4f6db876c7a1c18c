import { describe, expect, test } from 'vitest'
import { runSteps } from '../shared/steps.js'
import { planEdit, type TextEdit } from './plan-edit.js'
import { applyTextChanges } from './text/text-change.js'

function applyTextEdit(text: string, oldString: string, newString: string, options: Partial<TextEdit> = {}) {
  const plan = runSteps(planEdit(text, { oldString, newString, ...options }))
  return plan.kind === 'found' ? [plan.strategy, applyTextChanges(text, plan.changes)] : plan
}

const missingPlan = { kind: 'missing' }

describe('an exact match', () => {
  test.each([
    ['a b c', 'b', 'B', 'a B c'],
    ['a\n\tb\n', '\tb\n', '', 'a\n'],
    ['x', 'x', 'y\nz', 'y\nz'],
  ])('is replaced, so that in %j, %j becomes %j', (text, oldText, newText, result) => {
    expect(applyTextEdit(text, oldText, newText)).toEqual(['verbatim', result])
  })

  test('is ambiguous if two places match, even if they overlap', () => {
    expect(applyTextEdit('a b a', 'a', 'x')).toEqual({ kind: 'ambiguous', strategy: 'verbatim', offsets: [0, 4] })
    expect(applyTextEdit('aaa', 'aa', 'x')).toEqual({ kind: 'ambiguous', strategy: 'verbatim', offsets: [0, 1] })
  })

  test('is replaced at every occurrence with replaceAll', () => {
    expect(applyTextEdit('aaa b a', 'a', 'xy', { replaceAll: true })).toEqual(['verbatim', 'xyxyxy b xy'])
    expect(applyTextEdit('aaa', 'aa', 'x', { replaceAll: true })).toEqual(['verbatim', 'xa'])
  })
})

describe('a match that ignores line endings', () => {
  test.each([
    ['CRLF', 'a\r\nb\r\nc\r\n', 'a\nb', 'a\nx\nb', 'a\r\nx\r\nb\r\nc\r\n'],
    ['lone CR', 'a\rb\rc', 'a\nb\n', 'A\nB\n', 'A\rB\rc'],
    [
      'mixed endings: kept lines keep their ending',
      'a\r\nb\nc\rd',
      'a\nb\nc\nd',
      'a\nb\nnew\nc\nd',
      'a\r\nb\nnew\nc\rd',
    ],
    [
      'mixed endings: a new line takes the ending of the line before it',
      'a\nb\r\nc',
      'b\nc',
      'b\nn\nc',
      'a\nb\r\nn\r\nc',
    ],
    ['an old text that begins with a newline', 'a\r\nb', '\nb', '\nB', 'a\r\nB'],
    ['an old text that ends with a newline', 'a\r\nb', 'a\n', 'A\n', 'A\r\nb'],
    ['a file without a final newline', 'a\nb', 'b\n', 'B\n', 'a\nB'],
    ['a CRLF file without a final newline', 'a\r\nb', 'a\nb\n', 'a\nc\nb\n', 'a\r\nc\r\nb'],
  ])('is applied in the style of the file: %s', (_, text, oldText, newText, result) => {
    expect(applyTextEdit(text, oldText, newText)).toEqual(['line endings', result])
  })

  test('adds lines with the ending of the line that they follow', () => {
    expect(applyTextEdit('a\nb\r\nc\n', 'b', 'b\nb2')).toEqual(['verbatim', 'a\nb\r\nb2\r\nc\n'])
    expect(applyTextEdit('a\r\nb', 'b', 'b\nb2')).toEqual(['verbatim', 'a\r\nb\r\nb2'])
  })

  test('is ambiguous if two places differ only in their line endings', () => {
    expect(applyTextEdit('a\nb\n-\na\r\nb\n', 'a\nb', 'x')).toMatchObject({ kind: 'ambiguous', offsets: [0, 6] })
    expect(applyTextEdit('a\nb\n-\na\r\nb\n', 'a\r\nb', 'x\r\ny')).toEqual(['verbatim', 'a\nb\n-\nx\r\ny\n'])
  })

  test('does not treat CRLF as a blank line', () => {
    expect(applyTextEdit('a\r\nb', 'a\n\nb', 'x')).toEqual(missingPlan)
    expect(applyTextEdit('a\r\n\r\nb', 'a\n\nb', 'x')).toEqual(['line endings', 'x'])
  })
})

describe('a match that ignores trailing white space', () => {
  test.each([
    ['in the file', 'foo(  \n  bar\t\n)', 'foo(\n  bar\n)', 'foo(\n  baz\n)', 'foo(  \n  baz\n)'],
    ['in the old text', 'foo(\n  bar\n)', 'foo( \n  bar  \n)', 'foo(\n  baz\n)', 'foo(\n  baz\n)'],
    ['on a blank line', 'a1\n   \nb1', 'a1\n\nb1', 'a1\n\nb2', 'a1\n   \nb2'],
    ['at the end of one line', 'let a1\nlet b1', 'let a1  ', 'let a2', 'let a2\nlet b1'],
    ['in CRLF', 'foo1 \r\nbar\r\n', 'foo1\nbar', 'foo1\nbaz', 'foo1 \r\nbaz\r\n'],
  ])('is applied in the style of the file: %s', (_, text, oldText, newText, result) => {
    expect(applyTextEdit(text, oldText, newText)).toEqual(['trailing white space', result])
  })

  test('matches trailing blanks only at the end of a line', () => {
    expect(applyTextEdit('let ab', 'let a  ', 'x')).toEqual(missingPlan)
  })

  test('is ambiguous if two places match', () => {
    expect(applyTextEdit('foo \nbar\nfoo\t\nbar\n', 'foo\nbar', 'x')).toMatchObject({
      kind: 'ambiguous',
      strategy: 'trailing white space',
    })
  })
})

describe('a match that ignores indentation', () => {
  test.each([
    ['further in', '    if a:\n        b()\n', 'if a:\n    b()\n', 'if a:\n    c()\n', '    if a:\n        c()\n'],
    ['further out', 'if a:\n  b()\n', '  if a:\n    b()\n', '  if a:\n    c()\n      d\n', 'if a:\n  c()\n    d\n'],
    [
      'tabs for spaces',
      '\tif a {\n\t\tb\n\t}',
      '    if a {\n        b\n    }',
      '    if a {\n        b\n        c\n    }',
      '\tif a {\n\t\tb\n\t\tc\n\t}',
    ],
    [
      'spaces for tabs',
      '  if a {\n    b\n  }',
      '\tif a {\n\t\tb\n\t}',
      '\tif a {\n\t\tif b {\n\t\t\tc\n\t\t}\n\t}',
      '  if a {\n    if b {\n      c\n    }\n  }',
    ],
    ['one line', '\t\tcall(one)\n', '    call(one)\n', '    call(two)\n', '\t\tcall(two)\n'],
    ['blank lines are ignored', '    a1\n\n    b1', 'a1\n\nb1', 'a1\n\nb2', '    a1\n\n    b2'],
    [
      'an old text that starts at the first word',
      '    if a:\n        b()\n    end',
      'if a:\n      b()\n  end',
      'if a:\n      c()\n  end',
      '    if a:\n        c()\n    end',
    ],
    ['an old text that starts with a newline', 'x\n    a1\n    b1\n', '\na1\nb1', '\na1\nb2', 'x\n    a1\n    b2\n'],
    ['in CRLF', '    a1\r\n      b1\r\n', 'a1\n  b1', 'a1\n  b2\n  b3', '    a1\r\n      b2\r\n      b3\r\n'],
  ])('is applied in the style of the file: %s', (_, text, oldText, newText, result) => {
    expect(applyTextEdit(text, oldText, newText)).toEqual(['indentation', result])
  })

  test.each([
    [
      'the lines are shifted by different amounts',
      'if a:\n      b()\n   c()\n',
      '  if a:\n    b()\n  c()\n',
      '  if a:\n    x()\n',
    ],
    ['the old text is only part of a line', '    call(one).then\n', '  call(one)\n', '  call(two)\n'],
    ['the new text cannot be shifted', '  a1\n  b1\n', '    a1\n    b1\n', ' z\n'],
    ['the old text consists of braces only', '    }\n', '\t}\n', '\t};\n'],
  ])('is not found if %s', (_, text, oldText, newText) => {
    expect(applyTextEdit(text, oldText, newText)).toEqual(missingPlan)
  })

  test('is ambiguous if the same lines occur at two depths', () => {
    expect(applyTextEdit('  a1\n  b1\n--\n    a1\n    b1\n', ' a1\n b1', ' x')).toMatchObject({
      kind: 'ambiguous',
      strategy: 'indentation',
      offsets: [0, 13],
    })
  })

  test('is ambiguous if another place has the same lines with inconsistent indentation', () => {
    expect(applyTextEdit('  a1\n  b1\n--\n  a1\n    b1\n', ' a1\n b1', ' x')).toMatchObject({ kind: 'ambiguous' })
  })
})

describe('a match that ignores differences between look-alike characters', () => {
  test.each([
    ['quotes', 'say “hello” and ‘bye’', `say "hello" and 'bye'`, `say "hi" and 'bye'`, 'say “hi” and ‘bye’'],
    ['typographic quotes sent', 'say "hello"', 'say “hello”', 'say “hi”', 'say "hi"'],
    ['dashes', 'a – b — c', 'a - b - c', 'a - x - c', 'a – x — c'],
    ['a no-break space', 'a\u00a0b1', 'a b1', 'a b2', 'a\u00a0b2'],
    ['composed and decomposed letters', 'cafe\u0301 1', 'caf\u00e9 1', 'caf\u00e9 2', 'cafe\u0301 2'],
    ['full-width letters', 'ＡＢＣ', 'ABC', 'ABD', 'ABD'],
    ['three dots', 'wait… 1', 'wait... 1', 'wait... 2', 'wait… 2'],
    ['with trailing blanks and CRLF', 'a “b”  \r\nc1', 'a "b"\nc1', 'a "b"\nc2', 'a “b”  \r\nc2'],
  ])('is applied in the style of the file: %s', (_, text, oldText, newText, result) => {
    expect(applyTextEdit(text, oldText, newText)).toEqual(['look-alikes', result])
  })

  test('is ambiguous if two places differ only in look-alike characters', () => {
    expect(applyTextEdit('a–b a—b', 'a-b', 'x')).toMatchObject({
      kind: 'ambiguous',
      strategy: 'look-alikes',
      offsets: [0, 4],
    })
  })

  test('does not treat a double quote as a single quote', () => {
    expect(applyTextEdit('say “x”', "say 'x'", 'y')).toEqual(missingPlan)
  })

  test('does not start or end inside a character', () => {
    expect(applyTextEdit('wait…', 'wait.', 'x')).toEqual(missingPlan)
    expect(applyTextEdit('cafe\u0301', 'cafe', 'x')).toEqual(missingPlan)
    expect(applyTextEdit('a😀', 'a\ud83d', 'x')).toEqual(missingPlan)
    expect(applyTextEdit('caf\u00e9 “', 'cafe "', 'x')).toEqual(missingPlan)
  })
})

describe('a match that undoes literal escapes', () => {
  test.each([
    ['newlines', 'a1\nb1\nc', String.raw`a1\nb1`, String.raw`a1\nb2`, 'a1\nb2\nc'],
    ['tabs', 'if a:\n\tb()', String.raw`if a:\n\tb()`, String.raw`if a:\n\tc()`, 'if a:\n\tc()'],
    ['quotes', 'say("hi")', String.raw`say(\"hi\")`, String.raw`say(\"ho\")`, 'say("ho")'],
    [
      'only quotes, if the newline escape is intended',
      String.raw`say("a\nb")`,
      String.raw`say(\"a\nb\")`,
      String.raw`say(\"x\ny\")`,
      String.raw`say("x\ny")`,
    ],
    ['backslashes', String.raw`re(\d)`, String.raw`re(\\d)`, String.raw`re(\\w)`, String.raw`re(\w)`],
    ['in CRLF', 'a1\r\nb1', String.raw`a1\r\nb1`, String.raw`a1\r\nb2`, 'a1\r\nb2'],
  ])('is applied in the style of the file: %s', (_, text, oldText, newText, result) => {
    expect(applyTextEdit(text, oldText, newText)).toEqual(['escapes', result])
  })

  test.each([
    ['has escaped and unescaped quotes', 'say("hi")', String.raw`say(\"hi\")`, String.raw`say("a\"b")`],
    ['has an escape that the old text lacks', 'say("hi")', String.raw`say(\"hi\")`, String.raw`say(\"a\nb\")`],
    ['also has real newlines', 'a1\nb1', String.raw`a1\nb1`, 'a1\nprint("\\n")'],
  ])('is not found if the new text %s', (_, text, oldText, newText) => {
    expect(applyTextEdit(text, oldText, newText)).toEqual(missingPlan)
  })
})

describe('with near-duplicates', () => {
  const twoHandlers = `function onOpen(event) {
  log(event)
  count += 1
}

function onClose(event) {
  log(event)
  count += 1
}
`
  test.each([
    ['the body of two functions', twoHandlers, '  log(event)\n  count += 1\n', 'ambiguous'],
    ['the body of two functions with other indentation', twoHandlers, '\tlog(event)\n\tcount += 1\n', 'ambiguous'],
    ['the body of two functions with a trailing blank', twoHandlers, '  log(event) \n  count += 1\n', 'ambiguous'],
    ['a name with one wrong letter', twoHandlers, 'function onOpem(event) {', 'missing'],
    ['a line that is the start of another', 'let total = 10\n', '  let total = 1\n', 'missing'],
    ['a number that is the start of a longer number', 'port = 80\nport = 8080\n', 'port = 80', 'ambiguous'],
    ['a name in another case', 'const Name = 1\n', 'const name = 1', 'missing'],
    ['lines in another order', 'a1\nb1\n', 'b1\na1\n', 'missing'],
    ['lines without one from the middle', 'a1\nx1\nb1\n', 'a1\nb1\n', 'missing'],
    ['a line with other inner white space', 'a  = 1\n', 'a = 1', 'missing'],
    ['a similar line that does not match', 'foo(a, b)\nfoo(a,b)\n', 'foo(a , b)', 'missing'],
    ['any text in an empty file', '', 'a', 'missing'],
  ])('nothing is changed if the old text is %s', (_, text, oldText, kind) => {
    expect(runSteps(planEdit(text, { oldString: oldText, newString: 'changed' })).kind).toBe(kind)
  })

  test('an exact match is changed instead of similar places', () => {
    expect(applyTextEdit('  return x\nif y:\n    return x\n', '    return x', '    return y')).toEqual([
      'verbatim',
      '  return x\nif y:\n    return y\n',
    ])
  })

  test('replaceAll changes exact matches only', () => {
    const text = 'a1 \nb1\n-\na1\t\nb1\n'
    expect(runSteps(planEdit(text, { oldString: 'a1\nb1', newString: 'x', replaceAll: true })).kind).toBe('ambiguous')
  })
})
