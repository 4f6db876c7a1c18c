import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { propertyRuns } from '../../testing/property-runs.js'
import { compileMatcher, MatcherError } from './compile-matcher.js'

const NAME_CHARACTERS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-']
const toolName = fc.string({ unit: fc.constantFrom(...NAME_CHARACTERS), minLength: 1, maxLength: 64 })

describe('a matcher', () => {
  test.each([
    { text: '', name: 'Bash', fits: true },
    { text: '*', name: 'mcp__github__search', fits: true },
    { text: 'Bash', name: 'Bash', fits: true },
    { text: 'Bash', name: 'BashOutput', fits: false },
    { text: 'Bash', name: 'bash', fits: false },
    { text: 'Edit|Write', name: 'Write', fits: true },
    { text: 'Edit|Write', name: 'MultiEdit', fits: false },
    { text: 'Edit|Write', name: 'Edit|Write', fits: false },
    { text: 'Write | Edit', name: 'Write', fits: true },
    { text: ' Write |\tEdit ', name: 'Edit', fits: true },
    { text: 'Write | Edit', name: 'Read', fits: false },
    { text: ' * ', name: 'Read', fits: true },
    { text: 'Write | mcp__.*', name: 'Write', fits: true },
    { text: 'Write | mcp__.*', name: 'mcp__a__b', fits: true },
    { text: 'Write | mcp__.*', name: 'Edit', fits: false },
    { text: 'mcp__my server__.*', name: 'mcp__my server__read', fits: true },
    { text: 'mcp__my-server__read', name: 'mcp__my-server__read', fits: true },
    { text: 'Notebook.*', name: 'NotebookEdit', fits: true },
    { text: 'Notebook.*', name: 'MyNotebookEdit', fits: false },
    { text: 'mcp__.*__write.*', name: 'mcp__files__write_all', fits: true },
    { text: 'Edit|Write.*', name: 'WriteAll', fits: true },
    { text: 'Edit|Write.*', name: 'EditAll', fits: false },
    { text: '^(?!Bash$).*', name: 'Read', fits: true },
    { text: '^(?!Bash$).*', name: 'Bash', fits: false },
  ])('"$text" on $name is $fits', ({ text, name, fits }) => {
    const matcher = compileMatcher(text)

    expect(matcher.matches(name)).toBe(fits)
  })

  test('of exact names fits those names and no other', () => {
    fc.assert(
      fc.property(fc.array(toolName, { minLength: 1, maxLength: 5 }), toolName, (names, other) => {
        const matcher = compileMatcher(names.join('|'))

        expect(names.every((name) => matcher.matches(name))).toBe(true)
        expect(matcher.matches(other)).toBe(names.includes(other))
      }),
      propertyRuns(),
    )
  })

  test('that is an expression answers the same the second time', () => {
    fc.assert(
      fc.property(toolName, toolName, (start, name) => {
        const matcher = compileMatcher(`${start}.*`)

        expect([matcher.matches(name), matcher.matches(name)]).toEqual([name.startsWith(start), name.startsWith(start)])
      }),
      propertyRuns(50),
    )
  })

  test('whatever its text is either refused as one or answers with a boolean', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), toolName, (text, name) => {
        try {
          expect(typeof compileMatcher(text).matches(name)).toBe('boolean')
        } catch (error) {
          expect(error).toBeInstanceOf(MatcherError)
        }
      }),
      propertyRuns(100),
    )
  })

  test.each(['(', 'a)(b', '[z-a]', '+'])('refuses %j', (text) => {
    expect(() => compileMatcher(text)).toThrow(MatcherError)
  })

  test('refuses an expression of more than 1000 characters', () => {
    expect(() => compileMatcher('.'.repeat(1_001))).toThrow(MatcherError)
    expect(compileMatcher('.'.repeat(1_000)).matches('Bash')).toBe(false)
  })
})

describe('an expression that backtracks without end', () => {
  test.each(['(a+)+', '(a|a)*', 'a*a*a*a*a*a*a*a*a*a*b', '(\\w|[a-z])*x'])(
    '%s is given up and then fits all',
    (text) => {
      const matcher = compileMatcher(text)

      const onHostileName = matcher.matches(`${'a'.repeat(63)}-`)

      expect(onHostileName).toBe(true)
      expect(matcher.problem).toContain('takes too long to test')
      expect(matcher.matches('Bash')).toBe(true)
    },
  )

  test('has no problem to tell while it does well', () => {
    const matcher = compileMatcher('(a+)+')

    expect([matcher.matches('aaa'), matcher.matches('b'), matcher.problem]).toEqual([true, false, undefined])
  })
})
