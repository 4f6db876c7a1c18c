import { describe, expect, test } from 'vitest'
import tricks from '../../test/fixtures/bash-safety/tricks.json' with { type: 'json' }
import { analyseCommand } from './analyse-command.js'
import { type GitSetting, parseGitConfig } from './git/parse-git-config.js'
import { createUnanalysedRepository, type RepositoryFacts } from './git/repository-facts.js'
import { parseCommandPattern } from './patterns/command-pattern.js'
import { commandMayMatch } from './patterns/match-command.js'

const options = { cwd: '/project', home: '/home/dev' }
const analyse = (command: string) => analyseCommand(command, options)
const textOf = (words: readonly { readonly text: string }[]) => words.map(({ text }) => text).join(' ')
const mayMatch = (rule: string, command: string) =>
  analyse(command).commands.map((simpleCommand) => commandMayMatch(parseCommandPattern(rule), simpleCommand))
const writtenCommandsOf = (command: string) =>
  analyse(command).commands.flatMap(({ asWritten }) => asWritten.map(({ words }) => textOf(words)))
const readsOf = (command: string) => analyse(command).resources.reads

describe('read-only analysis', () => {
  test.each(tricks)('refuses %j', (command) => {
    expect(analyse(command).isReadOnly).toBe(false)
  })

  test.each([
    'ls',
    'cat *',
    'cat "$file" | wc -l',
    'sort -- "$file"',
    'find src -name "$pattern"',
    'find . -name *.txt',
    "sed -n '/[^/]*$/p' f",
    "sed -e '1{' -e 'p' -e '}' f",
    "sed ':a;N;$!ba;s/\\n/ /g' f",
    "awk '$3 > 5 {print $1/2}' f",
    "awk '{s += $1} END {print s / NR}' f",
    "awk -F'|' '{print $1 \"|\" $2}' f",
    'for f in a b; do sort "$f"; done',
    'while read -r line; do echo "$line"; done < f',
    'while IFS= read -r line; do echo "$line"; done < f',
    '[ "$a" = "$b" ] && echo same',
    '[[ -f $x && $y == a* ]] || echo no',
    'x=1; echo $((x + 1))',
    `echo "\${x:-none}" "\${y##*/}" "\${z//a/b}" "\${#x}"`,
    'diff <(sort a) <(sort b)',
    'cat <<EOF\n$HOME\nEOF',
    'ls 2>&1 >/dev/null | head',
    'set -euo pipefail; ls',
    'xargs -0 -n1 head -n 1',
    'env FOO=1 timeout 5 nice ls',
  ])('accepts %j', (command) => {
    expect(analyse(command).isReadOnly).toBe(true)
  })

  test('allows only commands that stay in their folder to run concurrently', () => {
    expect(analyse('ls && pwd').isConcurrencySafe).toBe(true)
    expect(analyse('cd src && ls').isConcurrencySafe).toBe(false)
    expect(analyse('(cd src && ls)').isConcurrencySafe).toBe(true)
    expect(analyse('rm x').isConcurrencySafe).toBe(false)
  })

  test('accepts git only in a folder whose repository is known', () => {
    expect(analyse('cd /project && git status').isReadOnly).toBe(true)
    expect(analyse('cd src && git status').isReadOnly).toBe(false)
    expect(analyse('cd src && git status').repositories).toEqual(['/project/src', '/project'])
    expect(analyse('git status').repositories).toEqual(['/project'])
  })

  test('accepts git in another folder only if its repository has the settings of the start folder', () => {
    const createFacts = (settings: readonly GitSetting[]): RepositoryFacts => ({
      ...createUnanalysedRepository(''),
      problem: null,
      settings,
      hasIndexHook: false,
    })
    const isReadOnlyWith = (settings: readonly GitSetting[]) =>
      analyseCommand('git -C src log', {
        cwd: '/project',
        repositories: new Map([
          ['/project', createFacts([])],
          ['/project/src', createFacts(settings)],
        ]),
      }).isReadOnly
    expect(isReadOnlyWith([])).toBe(true)
    expect(isReadOnlyWith(parseGitConfig('[user]\nname = x').settings)).toBe(false)
  })
})

describe('file effects:', () => {
  test.each([
    ['cat a src/b', ['a', 'src/b']],
    ['cd src && cat a', ['src', '/project/src/a']],
    ['cd src; cat a', ['src', 'a', '/project/src/a']],
    ['cat ~/a "~/b"', ['/home/dev/a', './~/b']],
    ['grep -r x src', ['src/']],
    ['grep -r x', ['./']],
    ['cat src/*.js', ['src/']],
    ['cat < a', ['a']],
    ['f=a; cat "$f"', ['a']],
    ['for f in a b; do cat "x/$f"; done', ['x/a', 'x/b']],
    ['find src -exec cat {} +', ['src/']],
    ['cat "$PWD/a"', ['/project/a']],
    ['sed -n "r other" a', ['other', 'a']],
    ['cd src && cat ../a', ['src', '/project/src/../a']],
    ['cd src && cd .. && cat a', ['src', '/project/src/..', 'a']],
    ['cat {a,b/{c,d}}.js', ['a.js', 'b/c.js', 'b/d.js']],
    ['for f in src/*.js; do cat "$f"; done', ['src', 'src/']],
    ['for d in */; do ls "$d/x"; done', ['.', './']],
    ['echo ../x/*', ['../x']],
    ["printf '%s' ~/x/*", ['/home/dev/x']],
    ['for f in ../x/*; do echo "$f"; done', ['../x']],
    ['a=(../x/* y); echo $a', ['../x']],
    ['basename -a ../x/*', ['../x']],
    ['git -C docs log', ['/project/docs']],
    ['cd -P docs', ['docs']],
    ['grep *', ['./']],
    ['for f in src/*; do wc -l < "$f"; done', ['src', 'src/']],
    ["find src -name '*.js' -print0 | xargs -0 cat", ['src/']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a bash variable
    ['for i in $(seq 1 3); do sed -n "${i}p" a; done', ['a']],
  ])('%j reads %j', (command, reads) => {
    expect(readsOf(command)).toEqual(reads)
    expect(analyse(command).resources.isUnknown).toBe(false)
  })

  test.each([
    'cat "$x"',
    'cat $(ls)',
    'git ls-files | xargs cat',
    'find . | xargs -n1 cat',
    'find . | while read -r f; do cat "$f"; done',
    'cd "$x"; cat a',
    'cat ~root/a',
    'cat {1..900}',
    'cat {a,b}{',
    'cat src/.?/a',
    'for f in src/*; do cat $f; done',
    'for f in src/*; do cat "$f/../x"; done',
    'for f in src/*; do cat "$f"x; done',
    'for f in src/../*; do cat "$f"; f=/etc/passwd; done',
    'find src | xargs -0 cat',
    'find src -print0 | xargs cat',
    'find src -print0 | xargs -0 -I{} cat {}',
    'f=~/a; cat "$f"',
    'cd -P src && cat a',
  ])('%j reads unknown files', (command) => {
    expect(analyse(command).resources.isUnknown).toBe(true)
  })

  test('the reads include alternative names that a program tries, and folders whose links it follows', () => {
    expect(analyse('zcat docs/backup').commands[0]?.reads).toContain('docs/backup.gz')
    expect(analyse('zless +2 docs/backup').commands[0]?.reads).toContain('docs/backup.gz')
    expect(analyse('diff --to-file=docs a').commands[0]?.found?.map(({ folder }) => folder)).toContain('docs')
    expect(analyse('fmt -t /etc/passwd').commands[0]?.reads).toEqual(['/etc/passwd'])
    expect(analyse('diff docs .').commands[0]?.found?.map(({ folder }) => folder)).toEqual(['docs', '.'])
  })

  test('the writes include redirections and operands', () => {
    const [copy] = analyse('cp a src/').commands
    expect(copy?.writes).toEqual(['src', 'src/a'])
    expect(analyse('ls > out 2>> log').commands[0]?.redirects).toEqual(['out', 'log'])
    expect(analyse('(ls) > out').commands.flatMap(({ redirects }) => redirects)).toEqual(['out'])
    expect(analyse('rm -rf build/').commands[0]?.writes).toEqual(['build'])
    expect(analyse('git config core.hooksPath x').commands[0]?.writes).toEqual(['.git/config'])
    expect(analyse('git config core.hooksPath').commands[0]?.writes).toEqual([])
  })

  test('the effects of a command that changes files are trusted only for a single literal command', () => {
    const areEffectsTrusted = (command: string) =>
      analyse(command).commands.every(({ areEffectsKnown }) => areEffectsKnown)
    expect(areEffectsTrusted('mkdir -p src/new')).toBe(true)
    expect(areEffectsTrusted('cp a b')).toBe(true)
    expect(areEffectsTrusted('ls && mkdir x')).toBe(false)
    expect(areEffectsTrusted('"mkdir" x')).toBe(false)
    expect(areEffectsTrusted('rm x')).toBe(false)
    expect(areEffectsTrusted('mkdir "$x"')).toBe(false)
  })
})

describe('rule texts:', () => {
  test.each([
    ['/bin/rm -rf x', 'rm -rf x'],
    ["r''m -rf x", 'rm -rf x'],
    ['FOO=1 timeout 5 nice rm x', 'rm x'],
    ['sudo -u root rm x', 'rm x'],
    ['env -i A=b rm x', 'rm x'],
    ['env - rm x', 'rm x'],
    ['find . -exec rm {} \\;', 'rm'],
    ['git -p push', 'git push'],
    ['git --exec-path=. push', 'git push'],
    ['numactl rm x', 'rm x'],
    ['echo x | xargs -n1 rm', 'rm'],
    ['bash -c "ls; rm x"', 'rm x'],
    ['bash -ic "rm x"', 'rm x'],
    ['eval rm', 'rm'],
    ['sh <<E\nrm x\nE', 'rm x'],
    ['echo "$(rm x)"', 'rm x'],
    ['cat <(rm x)', 'rm x'],
    ['git -C . push', 'git push'],
    ['git --no-pager -c a=b push', 'git push'],
    ['RM x', 'rm x'],
    ['f() { rm x; }', 'rm x'],
    ['coproc rm x', 'rm x'],
    ['trap "rm x" EXIT', 'rm x'],
    ['busybox rm x', 'rm x'],
  ])('%j is matched by a deny rule for %j', (command, text) => {
    expect(mayMatch(`${text}:*`, command)).toContain('yes')
  })

  test.each([
    ['npm test', ['npm test']],
    ['FOO=1 npm test', ['FOO=1 npm test', 'npm test']],
    ['PATH=. npm test', ['PATH=. npm test']],
    ['npm test > out', ['npm test']],
    ['npm test > "$x"', []],
    ['npm "$(pwd)"', ['pwd']],
    [`npm "\${x@P}"`, []],
    ['./npm test', ['./npm test']],
  ])('for %j, allow rules are compared only with %j', (command, texts) => {
    expect(writtenCommandsOf(command)).toEqual(texts)
  })

  test('allow rules match the inner command of a transparent wrapper and the wrapper itself', () => {
    expect(writtenCommandsOf('timeout 60 npm test')).toEqual(['timeout 60 npm test', 'npm test', 'timeout 60 npm test'])
    expect(writtenCommandsOf('sudo npm test')).toEqual(['sudo npm test', 'sudo npm test'])
  })

  test('no rule with content allows a redirection that opens a connection', () => {
    expect(writtenCommandsOf('cat < /dev/tcp/127.0.0.1/9')).toEqual([])
    expect(writtenCommandsOf('cat < file')).toEqual(['cat'])
  })

  test('a word that is known only at run time has no known text', () => {
    expect(analyse('npm run $x').commands[0]?.argv.map(({ knownLength }) => knownLength)).toEqual([3, 3, 0])
  })
})

test.each([
  "bash +x -c 'rm x'",
  'bash <(echo rm x)',
  "flock f -c 'rm x'",
  "python3 -W ignore -c 'rm'",
  "perl -ne 'system q(rm x)' f",
  `awk 'BEGIN { system("rm x") }'`,
  "sed '1e rm x' f",
  "tar -I 'rm x' -tf a",
  "man -P 'rm x' ls",
  "less '+!rm x' f",
  'git p',
  'git submodule foreach git push',
  'git bisect run git push',
  "git rebase --onto a -x 'git push' b",
  `sh -c "echo \\$'\\\\'; rm x #'"`,
])('more commands may run than %j names', (command) => {
  expect(analyse(command).isUnresolved).toBe(true)
})

test.each(['git commit -m x', 'git fetch', 'python3 script.py', "awk '{ print > 1 }' f"])(
  '%j names every command that runs',
  (command) => {
    expect(analyse(command).isUnresolved).toBe(false)
  },
)

describe('a command that exceeds a limit', () => {
  test.each([
    ['a long line', `ls ${'a '.repeat(50_000)}`],
    ['many commands', 'ls;'.repeat(30_000)],
    ['deeply nested substitutions', `${'$('.repeat(200)}ls${')'.repeat(200)}`],
    ['unclosed substitutions', '$('.repeat(40_000)],
    ['unclosed braces', `echo ${'{a,'.repeat(30_000)}`],
    ['nested wrappers', `${'env '.repeat(500)}ls`],
    ['long arithmetic', `echo $((${'1+'.repeat(5_000)}1))`],
  ])('is not read-only and may run unknown commands: %s', (_name, command) => {
    expect(analyse(command)).toMatchObject({ isReadOnly: false, isUnresolved: true })
  })
})

describe('sed -i:', () => {
  test.each([
    'sed -i s/a/b/ src/x',
    'sed -n -i s/a/b/ src/x',
    "sed --in-pl -e 's/a/b/' src/x",
    'sed -i s/a/b/ -- src/x',
  ])('%j writes the file that it reads', (command) => {
    expect(analyse(command)).toMatchObject({
      isReadOnly: false,
      resources: { reads: ['src/x'], writes: ['src/x'], isUnknown: false },
    })
  })

  test.each(['sed -i s/a/b/ /dev/null', 'sed -i s/a/b/', 'sed -i.bak s/a/b/ x', 'sed -i s/a/b/ *', 'sed -ni p $x'])(
    '%j is not read-only',
    (command) => {
      expect(analyse(command).isReadOnly).toBe(false)
    },
  )
})
