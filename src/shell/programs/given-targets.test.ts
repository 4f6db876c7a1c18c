import { describe, expect, test } from 'vitest'
import { analyseCommand } from '../analyse-command.js'

function analyse(command: string) {
  return analyseCommand(command, { cwd: '/home/dev/proj', home: '/home/dev' })
}

function writesUnknownFile(command: string): boolean {
  return analyse(command).commands.some((simpleCommand) => simpleCommand.writesUnknownFile === true)
}

test.each([
  'curl -so "$f" u',
  'curl -o"$f" u',
  'curl --output="$f" u',
  'curl --outp "$f" u',
  'wget -qO "$f" u',
  'wget -P "$d" u',
  'rsync -a src/ "$d"',
  'scp host:x "$f"',
  'xargs rsync x < names',
  'gcc a.c -o "$f"',
  'gcc -o"$f" a.c',
  'tar xf a.tar -C "$d"',
  'tar -C "$d" -xf a.tar',
  'tar czf "$f" src',
  'unzip -q a.zip -d "$d"',
  'git log --output="$f"',
  'git diff --output "$f"',
  'git archive -o "$f" HEAD',
  'docker save -o "$f" image',
  'sort a -o"$f"',
  'go build -o "$f"',
  'env -C "$d" touch x',
  'ls | xargs sed -i s/a/b/',
])('%s writes a file whose name is known only at run time', (command) => {
  expect(writesUnknownFile(command)).toBe(true)
})

test.each([
  'curl -sSL -o out.json "$url"',
  'curl -XPOST -H"Authorization: $x" "$url"',
  'wget -qO- "$url"',
  'tar xzf "$f"',
  'gcc -O2 -DBAR=1 -o out "$f"',
  'rsync -a "$d" host:/x',
  'go test -count=1 "$x"',
  'for f in a b; do curl -o "$f" u; done',
])('%s writes no file whose name is known only at run time', (command) => {
  expect(writesUnknownFile(command)).toBe(false)
})

describe('the programs that a command runs', () => {
  test.each([
    'zip -T -TT ./x a.zip a',
    'zip -T --unzip-command=./x a.zip a',
    'gcc -wrapper ./x a.c',
    'gcc -Bdir a.c',
    'gcc -fplugin=./x.so a.c',
    'tar xf a.tar --to-command=./x',
    'rsync -e ./x a b',
    'go test -exec ./x',
    'git --exec-path=/x status',
    'git archive --exec=./x --remote=h HEAD',
  ])('are unknown if it runs the value of an option: %s', (command) => {
    expect(analyse(command).isUnresolved).toBe(true)
  })

  test.each(['zip -r a.zip src', 'gcc -O2 -DBAR=1 a.c', 'go test ./...', 'rsync -a a b', 'python3 a.py -c x'])(
    'are known if it runs no value of an option: %s',
    (command) => {
      expect(analyse(command).isUnresolved).toBe(false)
    },
  )
})

test('files that a pipe names and a program changes are known to be below the searched folder', () => {
  for (const command of [
    'find src -type f | xargs sed -i s/a/b/',
    'find src -type f -print0 | xargs -0 sed -i s/a/b/',
    'find src -type f | xargs rm',
  ]) {
    expect(analyse(command).commands.flatMap(({ writes }) => writes)).toEqual(['src/'])
  }
})

test('a moved file is listed as read, because its content gets another name', () => {
  expect(analyse('mv secret.txt q').commands[0]?.reads).toEqual(['secret.txt/'])
})

test.each([
  'git cat-file --batch < names',
  'git cat-file --batch-command',
  "git log -p -- 'sec*'",
  "git diff ':(glob)**'",
  'git show HEAD :/',
  'git grep x',
])('%s may print any file of the folder', (command) => {
  expect(analyse(command).commands[0]?.reads).toContain('./')
})

test.each(["git restore ':(glob)**'", "git checkout -- 'conf*'", 'git checkout-index -af', 'git rm ":!x"'])(
  '%s may change files that it does not name',
  (command) => {
    expect(analyse(command).commands[0]?.possible?.usesAnyFile).toBe(true)
  },
)

test.each([
  'npm pkg set scripts.test=./x; npm test',
  'git checkout HEAD~1 -- package.json && npm test',
  'git restore package.json && npm test',
  'patch -p1 < a.patch && make',
])('it is unknown what the last command of %s runs', (command) => {
  expect(analyse(command).isUnresolved).toBe(true)
  expect(analyse('git checkout main && npm test').isUnresolved).toBe(false)
})
