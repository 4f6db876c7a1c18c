import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { quoteForShell } from '../../shared/quote.js'
import { readPlainScript } from './plain-script.js'

test('plain scripts are split into the same words as by bash', () => {
  const pieces = ['a', 'b-c', ' ', ' ', "'x y'", '"q r"', '-n', '.', '/', ':', '=', '~', '^', '*', '?', '2', ' >', '&1']
  const otherPieces = [
    ' | w ',
    ' && w ',
    '; w ',
    '\nw ',
    '\\',
    '$',
    '{',
    '}',
    '!',
    '#',
    '2>&1',
    '2>/dev/null',
    "'",
    '"',
  ]
  let seed = 7
  const random = (limit: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % limit
  }
  const alphabet = [...pieces, ...pieces, ...otherPieces]
  const generatedCommands = Array.from(
    { length: 20_000 },
    () => `w ${Array.from({ length: 1 + random(8) }, () => alphabet[random(alphabet.length)]).join('')}`,
  )
  const scripts = generatedCommands.flatMap((text) => {
    const commands = readPlainScript(text)
    return commands === undefined
      ? []
      : [{ text, words: commands.map(({ words }) => words.slice(1).join('\x01')).sort() }]
  })
  const program = [
    'set -f; exec 9>&1; HOME=/home',
    'w() { IFS=$\'\\x01\'; printf %s "\x02$*" >&9; }',
    ...scripts.map(({ text }) => `eval ${quoteForShell(text)} </dev/null >/dev/null; printf '\\x03' >&9`),
  ].join('\n')
  const { stdout } = spawnSync('bash', ['--norc'], { input: program, encoding: 'utf8', cwd: '/' })
  const observedOutputs = stdout.split('\x03').slice(0, -1)

  expect(scripts.length).toBeGreaterThan(2_000)
  expect(observedOutputs).toHaveLength(scripts.length)
  for (const [index, { text, words }] of scripts.entries()) {
    const receivedWords = (observedOutputs[index] ?? '').split('\x02').slice(1)
    expect(receivedWords.sort(), text).toEqual(words)
  }
})
