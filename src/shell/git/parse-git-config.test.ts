import { spawnSync } from 'node:child_process'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { testWithProgram } from '../../testing/test-with-program.js'
import { parseGitConfig } from './parse-git-config.js'

const CONFIG_TEXTS = [
  '',
  '[core]\n\tbare = false\n\tfsmonitor = ./evil.sh\n',
  '[diff "x"]\n\ttextconv = ./evil.sh # why\n',
  '[diff "A \\"quoted\\" \\\\ name"] command = a',
  '[Diff.MiXed]\nTextConv=b',
  '[core]\n\tpager\n',
  '[core]\n\tpager ; a comment\n',
  '[core]\n\tpager = "a; b" # c\n',
  '[core]\n\tpager = one \\\n  two\n',
  '[core]\n\tpager = "tab\\there\\nline"\n',
  '[core]\n\tpager = a "b  c"  d   \n',
  '[alias]\r\n\tst = !sh -c "echo"\r\n',
  '\uFEFF[core]\nbare = true\n',
  '; comment\n# comment\n[a]b=c\n[a "b.c.d"]\ne = f\n',
  '[core]\n\tpager = "open\n',
  '[core]\n\tpager = bad \\x\n',
  '[core\n\tpager = a\n',
  '[core]\n\t1pager = a\n',
  '[core]\n\tpager = a\n]\n',
  '[core]\n\tpager : a\n',
  '[core "open]\n\tpager = a\n',
  '[]\n\tpager = a\n',
]

/** Returns the settings as git lists them; null if git rejects the file. */
function readByGit(text: string): readonly string[] | null {
  const { status, stdout } = spawnSync('git', ['config', '--list', '-z', '-f', '-'], { input: text, encoding: 'utf8' })
  return status === 0 ? stdout.split('\0').slice(0, -1) : null
}

function readWithParser(text: string): readonly string[] | null {
  const { settings, isMalformed } = parseGitConfig(text)
  if (isMalformed) return null
  return settings.map(({ section, subsection, name, value }) => {
    const key = [section, subsection, name].filter((part) => part !== '').join('.')
    return value === null ? key : `${key}\n${value}`
  })
}

describe.each(CONFIG_TEXTS)('%j', (text) => {
  testWithProgram('git')('is parsed as git parses it', () => {
    expect(readWithParser(text)).toEqual(readByGit(text))
  })
})

testWithProgram('git')('every text that is not reported as malformed is parsed as git parses it', () => {
  const piece = fc.constantFrom(
    '[core]',
    '[a "b"]',
    '[A.b]',
    '\n',
    '\n\t',
    ' ',
    '"',
    '\\',
    '\\\n',
    '#',
    ';',
    '=',
    'key',
    ' = ',
    'v a',
    '\\n',
    '\r\n',
    ']',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('')
      const parsedSettings = readWithParser(text)
      if (parsedSettings !== null) expect(parsedSettings).toEqual(readByGit(text))
    }),
    createPropertyOptions(150),
  )
})

test.each(['[core]\n\tpager = a\0b\n', 'pager = a\n'])('%j is reported as malformed', (text) => {
  expect(parseGitConfig(text).isMalformed).toBe(true)
})
