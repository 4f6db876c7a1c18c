import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { expandVariables, MissingVariableError } from './resolve-entry.js'

const variables = { TOKEN: 'secret', EMPTY: '', DOLLAR: `$& \${TOKEN}` }

test.each([
  [`Bearer \${TOKEN}`, 'Bearer secret'],
  [`\${TOKEN}\${TOKEN}`, 'secretsecret'],
  [`\${NONE:-https://example.com/a:b}`, 'https://example.com/a:b'],
  [`\${NONE:-}`, ''],
  [`\${EMPTY:-x}`, 'x'],
  [`\${EMPTY}`, ''],
  [`\${TOKEN:-x}`, 'secret'],
  [`\${DOLLAR}`, `$& \${TOKEN}`],
  [`$TOKEN \${} \${1A} \${TOKEN \${A-B}`, `$TOKEN \${} \${1A} \${TOKEN \${A-B}`],
])('the configuration value %s is expanded to %s', (text, expandedText) => {
  expect(expandVariables(text, variables)).toBe(expandedText)
})

test('an unset variable is named in the error, even if objects inherit its name', () => {
  expect(() => expandVariables(`\${A:-}\${GITHUB_TOKEN}`, variables)).toThrow(
    `the variable GITHUB_TOKEN is not set; set it, or write \${GITHUB_TOKEN:-default}`,
  )
  expect(() => expandVariables(`\${constructor}`, variables)).toThrow(MissingVariableError)
})

test('text without a variable stays unchanged', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!text.includes(`\${`))
      expect(expandVariables(text, variables)).toBe(text)
    }),
    createPropertyOptions(),
  )
})
