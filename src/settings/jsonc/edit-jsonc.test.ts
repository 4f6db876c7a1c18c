import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { JsoncEditError, removeJsoncMember, setJsoncList, setJsoncValue } from './edit-jsonc.js'
import { parseJsonc, toValue } from './parse-jsonc.js'

const SETTINGS_TEXT = `// my settings
{
  "permissions": {
    "allow": [
      "Bash(ls)", // harmless
      // the tests
      "Bash(npm test)"
    ]
  },
  "future": { "kept": true } // unknown
}
`

function parseText(text: string): unknown {
  const { root, fault } = parseJsonc(text)
  if (root === undefined || fault !== undefined) throw new Error(`${fault?.message} in ${text}`)
  return toValue(root)
}

describe('a list', () => {
  test('is extended by a new item at its end', () => {
    expect(setJsoncList(SETTINGS_TEXT, ['permissions', 'allow'], ['Bash(ls)', 'Bash(npm test)', 'Read'])).toBe(
      SETTINGS_TEXT.replace('"Bash(npm test)"\n', '"Bash(npm test)",\n      "Read"\n'),
    )
  })

  test('is shortened by an item and its line, and the comments stay', () => {
    expect(setJsoncList(SETTINGS_TEXT, ['permissions', 'allow'], ['Bash(ls)'])).toBe(
      SETTINGS_TEXT.replace('"Bash(ls)",', '"Bash(ls)"').replace('      "Bash(npm test)"\n', ''),
    )
  })

  test.each([
    ['["a", "b", "c"]', ['a', 'c'], '["a", "c"]'],
    ['["a", "b"]', ['b'], '["b"]'],
    ['["a", "b"]', ['a'], '["a"]'],
    ['["a"]', [], '[]'],
    ['["a",]', ['a', 'b'], '["a", "b"]'],
    ['["a", "a"]', ['a'], '["a"]'],
    ['["a", "b"]', ['b', 'a'], '["b", "a"]'],
    ['[\r\n\t"a",\r\n]', ['a', 'b'], '[\r\n\t"a",\r\n\t"b",\r\n]'],
  ])('%j set to %j is written as %j', (textBefore, target, textAfter) => {
    expect(setJsoncList(textBefore, [], target)).toBe(textAfter)
  })

  test('is rewritten as a whole if it has thousands of items', () => {
    const manyRules = Array.from({ length: 5_000 }, (_, i) => `Bash(${i})`)
    const text = JSON.stringify({ list: manyRules, other: 1 })

    expect(parseText(setJsoncList(text, ['list'], ['x']))).toEqual({ list: ['x'], other: 1 })
  })

  test('is created together with its parents', () => {
    expect(setJsoncList('{}\n', ['permissions', 'deny'], ['Bash'])).toBe(
      '{\n  "permissions": {\n    "deny": [\n      "Bash"\n    ]\n  }\n}\n',
    )
  })

  test('uses the indentation of the file', () => {
    expect(setJsoncList('{\n\t"a": 1\n}', ['b'], ['x'])).toBe('{\n\t"a": 1,\n\t"b": [\n\t\t"x"\n\t]\n}')
  })
})

test('a replaced value keeps its place and the comment before it', () => {
  expect(setJsoncValue('{ "mode": /* now */ "plan" }', ['mode'], 'default')).toBe('{ "mode": /* now */ "default" }')
})

test.each([
  ['{ "a": ', ['a'], /expected a value/],
  ['[]', ['a'], /the file is not an object/],
  ['{ "a": 1 }', ['a', 'b'], /a is not an object/],
  ['{ "a": 1 }', ['a'], /a is not a list/],
])('setting a list in %j at %j fails', (text, path, message) => {
  const edit = () => setJsoncList(text, path, ['x'])

  expect(edit).toThrow(JsoncEditError)
  expect(edit).toThrow(message)
})

/** A list in various layouts, with comments that must be kept. */
const writtenList = fc
  .array(
    fc.record({
      item: fc.constantFrom('a', 'b', 'c', 'd', '//e', '"f]'),
      gap: fc.constantFrom('', ' ', '\n  ', '\r\n\t'),
    }),
  )
  .chain((items) =>
    fc.record({
      items: fc.constant(items),
      comments: fc.array(fc.constantFrom('', '/*k*/', '//k\n'), {
        minLength: items.length * 2 + 1,
        maxLength: items.length * 2 + 1,
      }),
      hasTrailingComma: fc.boolean(),
    }),
  )
  .map(({ items, comments, hasTrailingComma }) => {
    const parts = items.map(({ item, gap }, i) => {
      const comma = i < items.length - 1 || hasTrailingComma ? ',' : ''
      return `${gap}${JSON.stringify(item)}${comments[i * 2]}${comma}${comments[i * 2 + 1]}`
    })
    return `{ "list": [${comments.at(-1)}${parts.join('')}], /*k*/ "other": [1, {"x": 2}] }`
  })

test('any list can be changed to any other without losing comments or other values', () => {
  fc.assert(
    fc.property(writtenList, fc.array(fc.constantFrom('a', 'b', 'c', 'd', '//e', 'new')), (text, target) => {
      const editedText = setJsoncList(text, ['list'], target)

      expect(parseText(editedText)).toEqual({ list: target, other: [1, { x: 2 }] })
      expect(editedText.match(/k(?=\*\/|\r|\n)/g)?.length).toBe(text.match(/k(?=\*\/|\r|\n)/g)?.length)
      expect(setJsoncList(editedText, ['list'], target)).toBe(editedText)
    }),
    createPropertyOptions(1_000),
  )
})

describe('a member', () => {
  test('is removed with its lines, and the comments around it stay', () => {
    const servers = `{
  "mcpServers": {
    // ours
    "one": {
      "command": "x" // fast
    }, // the first
    "two": { "command": "y" }
  }
}
`
    expect(removeJsoncMember(servers, ['mcpServers', 'one'])).toBe(`{
  "mcpServers": {
    // ours
    // the first
    "two": { "command": "y" }
  }
}
`)
  })

  test.each([
    ['{"a": 1, "b": 2}', '{"b": 2}'],
    ['{"b": 2, "a": 1}', '{"b": 2}'],
    ['{ "a": 1 }', '{ }'],
    ['{"b": 2}', '{"b": 2}'],
  ])('named "a" is removed from %j, which leaves %j', (textBefore, textAfter) => {
    expect(parseText(removeJsoncMember(textBefore, ['a']))).toEqual(JSON.parse(textAfter))
  })

  test('cannot be removed from a value that is not an object', () => {
    expect(() => removeJsoncMember('{"mcpServers": []}', ['mcpServers', 'a'])).toThrow('mcpServers is not an object')
    expect(() => removeJsoncMember('{"mcpServers": ', ['mcpServers', 'a'])).toThrow(JsoncEditError)
  })

  test('can be removed from any object, and all other members stay', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 }),
        fc.nat(),
        fc.constantFrom('', '  ', '\t'),
        (value, keyNumber, indent) => {
          const keys = Object.keys(value)
          const key = keys[keyNumber % Math.max(1, keys.length)] ?? 'none'
          const text = JSON.stringify({ outer: value }, null, indent)

          const remainingMembers = Object.fromEntries(
            Object.entries(JSON.parse(JSON.stringify(value))).filter(([k]) => k !== key),
          )
          expect(parseText(removeJsoncMember(text, ['outer', key]))).toEqual({ outer: remainingMembers })
        },
      ),
      createPropertyOptions(),
    )
  })
})
