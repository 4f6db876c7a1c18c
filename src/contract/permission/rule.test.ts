import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { formatPermissionRule, PermissionRuleError, parsePermissionRule } from './rule.js'

describe('a rule is parsed into tool name and content', () => {
  test.each([
    ['Bash', { toolName: 'Bash' }],
    ['  Bash  ', { toolName: 'Bash' }],
    ['Bash(npm run test:*)', { toolName: 'Bash', content: 'npm run test:*' }],
    ['Bash(python -c "print(1)")', { toolName: 'Bash', content: 'python -c "print(1)"' }],
    ['Bash(echo \\))', { toolName: 'Bash', content: 'echo \\)' }],
    ['Read(//etc/**)', { toolName: 'Read', content: '//etc/**' }],
    ['WebFetch(domain:example.com)', { toolName: 'WebFetch', content: 'domain:example.com' }],
    ['mcp__github', { toolName: 'mcp__github' }],
    ['mcp__github__*', { toolName: 'mcp__github__*' }],
    ['mcp__my server__get issue', { toolName: 'mcp__my server__get issue' }],
    ['mcp__odd (one)', { toolName: 'mcp__odd (one)' }],
    ['mcp__odd(one)__x', { toolName: 'mcp__odd(one)__x' }],
    ['mcp__odd(one)__*', { toolName: 'mcp__odd(one)__*' }],
  ])('from %j', (ruleText, rule) => {
    expect(parsePermissionRule(ruleText)).toEqual({ text: ruleText.trim(), ...rule })
  })
})

describe('an invalid rule is rejected with a reason', () => {
  test.each([
    ['', 'is empty'],
    ['Bash(', 'closing parenthesis'],
    ['Bash(rm', 'closing parenthesis'],
    ['Bash()', 'write Bash to cover every call'],
    ['Bash( )', 'write Bash to cover every call'],
    ['(rm)', 'Tool or Tool(content)'],
    ['Ba sh', 'Tool or Tool(content)'],
    ['Bash(a) b', 'closing parenthesis'],
  ])('for example %j', (ruleText, message) => {
    expect(() => parsePermissionRule(ruleText)).toThrow(PermissionRuleError)
    expect(() => parsePermissionRule(ruleText)).toThrow(message)
  })
})

test('a formatted rule with any content is parsed back to the same rule', () => {
  const name = fc.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/)
  const content = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => text.trim() !== '')
  fc.assert(
    fc.property(name, fc.option(content, { nil: undefined }), (toolName, ruleContent) => {
      const rule = ruleContent === undefined ? { toolName } : { toolName, content: ruleContent }
      expect(parsePermissionRule(formatPermissionRule(rule))).toMatchObject(rule)
    }),
    createPropertyOptions(500),
  )
})

test('any text is either parsed or rejected with a PermissionRuleError', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (ruleText) => {
      try {
        expect(formatPermissionRule(parsePermissionRule(ruleText))).toBe(ruleText.trim())
      } catch (error) {
        expect(error).toBeInstanceOf(PermissionRuleError)
      }
    }),
    createPropertyOptions(500),
  )
})
