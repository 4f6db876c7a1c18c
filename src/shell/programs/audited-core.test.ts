import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { quoteForShell } from '../../shared/quote.js'
import { isCoreCommand, readPlainScript } from './audited-core.js'

const isCore = (text: string) => readPlainScript(text)?.every(isCoreCommand) === true

describe('the audited core of read-only commands contains', () => {
  test.each([
    'ls -la',
    'cat README.md | head -20',
    "grep -rn 'TODO$' src --include=*.ts 2>/dev/null | sort | uniq -c",
    'git status --short && git log --oneline -5',
    'git diff',
    'git diff --stat -U5 -M50 -- src',
    'git log --oneline -n 5 main -- src',
    "find . -name '*.ts' -type f | wc -l",
    'cd src && ls',
    '[ -f package.json ] && cat package.json; pwd;',
    'sort -k2 -t, -n data.csv',
    'date +%Y-%m-%d',
    'command -v node',
    'sleep 0.5 && ls',
  ])('%j', (text) => {
    expect(isCore(text)).toBe(true)
  })
})

describe('the audited core of read-only commands does not contain', () => {
  test.each([
    ...['sort -o out in', 'sort -no out in', 'sort --output=out in', 'sort --compress-program=x in', 'uniq in out'],
    ...['find . -delete', 'find . -exec ls', 'find . -fprint x', 'rg x y', 'tree -o x', 'date -s x'],
    ...['git show', 'git log -p', 'git log --stat', 'git log -S x', 'git log -L1,2:a.txt', 'git log --follow a.txt'],
    ...['git diff a b', 'git diff HEAD', 'git diff -M HEAD', 'git diff -U HEAD', 'git diff --cached', 'git status -v'],
    ...['git -c a=b log', 'git diff --output=x', 'git branch x', 'git log --format=%G?', 'git grep -Ox y', 'git tag x'],
    ...[
      'awk 1',
      'sed -n 1p x',
      'jq . x',
      'xargs ls',
      'env ls',
      'bash -c ls',
      'python3 x',
      'node x',
      'less x',
      'printenv',
      'sleep x',
    ],
    ...[
      'ls > x',
      'ls $X',
      'ls `x`',
      'ls $(x)',
      'ls "$X"',
      'ls {a,b}',
      'ls ~',
      'ls *',
      'cat src/k*',
      'cat key?',
      'A=b ls',
      'for i in a',
      '(ls)',
    ],
    ...[
      "ls $'x'",
      'ls x\\ y',
      'ls <x',
      'ls & ls',
      'ls |& ls',
      'ls # x',
      'cat <<x',
      '! ls',
      'ls; ;',
      'ls &&',
      '|ls',
      '',
    ],
    ...[
      'hostname x',
      'wc --files0-from=x',
      'ls | tac',
      'tac -',
      'tac /dev/stdin',
      'sort -m a b',
      'file -C',
      'cd -',
      './ls',
      '/bin/ls',
      'ls "a!b"',
      'tail -f x',
      'du --files0-from=x',
    ],
    ...['ls -RL', 'du -L', 'find . -follow', 'grep -R x .', 'tree -l', 'hostname -f'],
    ...['md5sum -c x', 'echo x\ry', 'test -v a[x]', 'command ls', 'hostname -F x', 'printf -v x y', "ls 'a"],
  ])('%j', (text) => {
    expect(isCore(text)).toBe(false)
  })
})

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
    return commands === undefined ? [] : [{ text, words: commands.map((words) => words.slice(1).join('\x01')).sort() }]
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

test('long lines of quotes and wildcards are judged in under 200 ms', () => {
  const start = performance.now()
  for (const unit of ["'a'", 'a*', 'a?b', '"x"', 'a=', 'a ', 'a|']) expect(isCore(`${unit.repeat(600)}!`)).toBe(false)
  expect(performance.now() - start).toBeLessThan(200)
})
