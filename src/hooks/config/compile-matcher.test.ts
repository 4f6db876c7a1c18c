import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { compileMatcher, MatcherError } from './compile-matcher.js'

const NAME_CHARACTERS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-']
const toolName = fc.string({ unit: fc.constantFrom(...NAME_CHARACTERS), minLength: 1, maxLength: 64 })

describe('the matcher of a hook', () => {
  test.each([
    { text: '', name: 'Bash', isMatch: true },
    { text: '*', name: 'mcp__github__search', isMatch: true },
    { text: 'Bash', name: 'Bash', isMatch: true },
    { text: 'Bash', name: 'BashOutput', isMatch: false },
    { text: 'Bash', name: 'bash', isMatch: false },
    { text: 'Edit|Write', name: 'Write', isMatch: true },
    { text: 'Edit|Write', name: 'MultiEdit', isMatch: false },
    { text: 'Edit|Write', name: 'Edit|Write', isMatch: false },
    { text: 'Write | Edit', name: 'Write', isMatch: true },
    { text: ' Write |\tEdit ', name: 'Edit', isMatch: true },
    { text: 'Write | Edit', name: 'Read', isMatch: false },
    { text: ' * ', name: 'Read', isMatch: true },
    { text: 'Write | mcp__.*', name: 'Write', isMatch: true },
    { text: 'Write | mcp__.*', name: 'mcp__a__b', isMatch: true },
    { text: 'Write | mcp__.*', name: 'Edit', isMatch: false },
    { text: 'mcp__my server__.*', name: 'mcp__my server__read', isMatch: true },
    { text: 'mcp__my-server__read', name: 'mcp__my-server__read', isMatch: true },
    { text: 'Notebook.*', name: 'NotebookEdit', isMatch: true },
    { text: 'Notebook.*', name: 'MyNotebookEdit', isMatch: false },
    { text: 'mcp__.*__write.*', name: 'mcp__files__write_all', isMatch: true },
    { text: 'Edit|Write.*', name: 'WriteAll', isMatch: true },
    { text: 'Edit|Write.*', name: 'EditAll', isMatch: false },
    { text: '^(?!Bash$).*', name: 'Read', isMatch: true },
    { text: '^(?!Bash$).*', name: 'Bash', isMatch: false },
  ])('with the text "$text" tested on the name $name returns $isMatch', ({ text, name, isMatch }) => {
    const matcher = compileMatcher(text)

    expect(matcher.matches(name)).toBe(isMatch)
  })

  test('of exact names matches those names and no others', () => {
    fc.assert(
      fc.property(fc.array(toolName, { minLength: 1, maxLength: 5 }), toolName, (names, otherName) => {
        const matcher = compileMatcher(names.join('|'))

        expect(names.every((name) => matcher.matches(name))).toBe(true)
        expect(matcher.matches(otherName)).toBe(names.includes(otherName))
      }),
      createPropertyOptions(),
    )
  })

  test('that is an expression returns the same result the second time', () => {
    fc.assert(
      fc.property(toolName, toolName, (start, name) => {
        const matcher = compileMatcher(`${start}.*`)

        expect([matcher.matches(name), matcher.matches(name)]).toEqual([name.startsWith(start), name.startsWith(start)])
      }),
      createPropertyOptions(50),
    )
  })

  test('with any text is either rejected or returns a boolean', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), toolName, (text, name) => {
        try {
          expect(typeof compileMatcher(text).matches(name)).toBe('boolean')
        } catch (error) {
          expect(error).toBeInstanceOf(MatcherError)
        }
      }),
      createPropertyOptions(100),
    )
  })

  test.each(['(', 'a)(b', '[z-a]', '+'])('with the invalid text %j is rejected', (text) => {
    expect(() => compileMatcher(text)).toThrow(MatcherError)
  })

  test('that is an expression of more than 1000 characters is rejected', () => {
    expect(() => compileMatcher('.'.repeat(1_001))).toThrow(MatcherError)
    expect(compileMatcher('.'.repeat(1_000)).matches('Bash')).toBe(false)
  })
})

describe('an expression with catastrophic backtracking', () => {
  test.each(['(a+)+', '(a|a)*', 'a*a*a*a*a*a*a*a*a*a*b', '(\\w|[a-z])*x'])(
    '(%s) is interrupted and from then on matches every name',
    (text) => {
      const matcher = compileMatcher(text)

      const isHostileNameMatched = matcher.matches(`${'a'.repeat(63)}-`)

      expect(isHostileNameMatched).toBe(true)
      expect(matcher.problem).toContain('takes too long to test')
      expect(matcher.matches('Bash')).toBe(true)
    },
  )

  test('reports no problem until it takes too long', () => {
    const matcher = compileMatcher('(a+)+')

    expect([matcher.matches('aaa'), matcher.matches('b'), matcher.problem]).toEqual([true, false, undefined])
  })
})
