import { describe, expect, test } from 'vitest'
import { findCoreUse } from './audited-core.js'
import { readPlainScript } from './plain-script.js'

const isCore = (text: string) => readPlainScript(text)?.every(({ words }) => findCoreUse(words) !== undefined) === true

describe('the audited core of read-only commands contains', () => {
  test.each([
    'ls -la',
    'cat README.md | head -20',
    "grep -rn 'TODO$' src --include=*.ts 2>/dev/null | sort | uniq -c",
    'git status --short && git log --oneline -5',
    'git diff',
    'git diff --stat -U5 -- src',
    "git status -uno && git --no-pager log --format='%h %an' -3",
    'grep -rn -e TODO -A2 --color=never src',
    "find . -type f ! -name '*.md' -maxdepth 2",
    "printf '%s: %5d\\n' a 3",
    'test ! -d src || stat -c %s README.md',
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
      'sort -m a b',
      'file -C',
      'cd -',
      './ls',
      '/bin/ls',
      'ls "a!b"',
      'tail -f x',
      'du --files0-from=x',
    ],
    ...[
      'printf abc%n PATH',
      'printf -vPATH x',
      'printf -- %s',
      'find -- . -delete',
      'find . -- -delete',
      'find . -newer x',
    ],
    ...[
      'cat -- x',
      'cat -',
      'tac a -',
      'ls --col=auto',
      'ls --color auto',
      'head --lines 3 a',
      'grep -e -f x',
      'grep -f x y',
    ],
    ...[
      'cat a=*',
      'cat --x=*',
      'diff -r a b',
      'diff a',
      'file x',
      'fold x',
      'seq 9999999',
      'sleep 9999',
      'df /',
      'id root',
    ],
    ...[
      'git log --pretty=%G?',
      'git log --format=%(describe)',
      'git blame x',
      'git log -- :(attr:x)',
      'git diff -U 5',
      'git ls-tree HEAD:x',
    ],
    ...[
      'git status -M',
      'git remote show x',
      'git branch --list x',
      'git log --follow',
      'git --exec-path=x status',
      'git status -- -x',
    ],
    ...[
      'cd',
      'cd -- x',
      'cd a b',
      'command -V ls',
      'command -v ./x',
      'test a -nt b',
      '[ a',
      'type ./x',
      'ls\u00a0',
      'tr a b c',
    ],
    ...['ls -RL', 'du -L', 'find . -follow', 'grep -R x .', 'tree -l', 'hostname -f'],
    ...['md5sum -c x', 'echo x\ry', 'test -v a[x]', 'command ls', 'hostname -F x', 'printf -v x y', "ls 'a"],
  ])('%j', (text) => {
    expect(isCore(text)).toBe(false)
  })
})

test('long lines of quotes and wildcards are refused without exponential backtracking', () => {
  // With exponential backtracking, the test would exceed the time limit of the test runner.
  for (const unit of ["'a'", 'a*', 'a?b', '"x"', 'a=', 'a ', 'a|']) expect(isCore(`${unit.repeat(600)}!`)).toBe(false)
})
