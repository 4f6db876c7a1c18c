import { describe, expect, test } from 'vitest'
import type { CommandWord } from '../../contract/command.js'
import { toKnownWord } from '../words/shell-word.js'
import { parseCommandPattern } from './command-pattern.js'
import { commandMayMatch, isCommandCovered, type RestrictedCommand } from './match-command.js'

const wordsOf = (text: string) => text.split(' ').map(toKnownWord)
const covers = (content: string, words: readonly CommandWord[]) =>
  isCommandCovered(parseCommandPattern(content), { words })
const mayMatch = (content: string, argv: readonly CommandWord[], members: Partial<RestrictedCommand> = {}) =>
  commandMayMatch(parseCommandPattern(content), { argv, subcommandAt: 'none', ...members })

describe('a command rule', () => {
  test.each([
    ['npm run test', 'npm run test', true],
    ['npm run test', 'npm run test x', false],
    ['npm  run   test', 'npm run test', true],
    ['npm run test:*', 'npm run test', true],
    ['npm run test:*', 'npm run test -- a', true],
    ['npm run test:*', 'npm run tests', false],
    ['npm run test *', 'npm run test', true],
    ['npm run test *', 'npm run tests', false],
    ['git * main', 'git push origin main', true],
    ['git * main', 'git main', false],
    ['git * main', 'git push origin mainly', false],
    ['git * main:*', 'git push main --force', true],
    ['* --version', 'node --version', true],
    ['npm*', 'npmx', true],
    ['a*b*c', 'a b c', true],
    ['ab*bc', 'abc', false],
    ['*', 'anything at all', true],
  ])('%j matches %j: %s', (content, command, expected) => {
    expect(covers(content, wordsOf(command))).toBe(expected)
    expect(mayMatch(content, wordsOf(command))).toBe(expected ? 'yes' : 'no')
  })

  test('compares words, so a word with a blank is not two words', () => {
    expect(covers('npm test:*', [toKnownWord('npm test')])).toBe(false)
    expect(covers('npm test:*', ['npm', 'test x'].map(toKnownWord))).toBe(false)
    expect(covers('npm test', [toKnownWord('npm test')])).toBe(false)
    expect(mayMatch('rm x', [toKnownWord('rm x')])).toBe('no')
  })

  test('may quote words, in which a backslash protects a star', () => {
    expect(covers("git commit -m 'a b'", ['git', 'commit', '-m', 'a b'].map(toKnownWord))).toBe(true)
    expect(covers('git commit -m "a b":*', ['git', 'commit', '-m', 'a b', '-q'].map(toKnownWord))).toBe(true)
    expect(covers("git commit -m 'a b'", wordsOf('git commit -m a b'))).toBe(false)
    expect(covers('echo \\*', wordsOf('echo x'))).toBe(false)
    expect(covers('echo \\*', wordsOf('echo *'))).toBe(true)
    expect(covers("echo it's", wordsOf("echo it's"))).toBe(true)
  })
})

describe('a partly known command', () => {
  const command: readonly CommandWord[] = [...wordsOf('git push'), { text: '$BRANCH', knownLength: 0, spread: 'any' }]

  test('is covered by a rule that requires only the known part', () => {
    const coveringContents = ['git:*', 'git push:*', 'git push $BRANCH', 'git * $BRANCH', 'git*'].filter((content) =>
      covers(content, command),
    )
    expect(coveringContents).toEqual(['git:*', 'git push:*'])
  })

  test('is not covered if the last word of the prefix could continue', () => {
    const wordWithUnknownSuffix: CommandWord = { text: 'push$X', knownLength: 4, spread: 'any' }
    expect(covers('git push:*', [toKnownWord('git'), wordWithUnknownSuffix])).toBe(false)
  })

  test('may match every deny rule that its unknown words could satisfy', () => {
    const answers = ['git:*', 'git push origin:*', 'git push --force', 'git pull:*', 'rm:*', '* main'].map(
      (content) => [content, mayMatch(content, command)],
    )
    expect(Object.fromEntries(answers)).toEqual({
      'git:*': 'yes',
      'git push origin:*': 'maybe',
      'git push --force': 'maybe',
      'git pull:*': 'no',
      'rm:*': 'no',
      '* main': 'maybe',
    })
  })

  test('may match any rule if its program is unknown', () => {
    expect(mayMatch('rm:*', [{ text: '$X', knownLength: 0, spread: 'any' }, ...wordsOf('-rf y')])).toBe('maybe')
  })
})

describe('a deny rule', () => {
  test.each([
    ['npm test:*', 'npm run-script test'],
    ['npm test:*', 'npm it'],
    ['npm run start:*', 'npm start'],
    ['npm install:*', 'npm install-test'],
    ['yarn build:*', 'yarn run build'],
    ['git remote remove:*', 'git remote rm x'],
    ['git blame:*', 'git annotate x'],
    ['make deploy:*', 'make ./deploy'],
    ['make deploy:*', 'make .DEFAULT_GOAL=deploy'],
    ['python3:*', 'python3.11 x.py'],
    ['awk:*', 'mawk x'],
    ['node deploy.js:*', 'node deploy'],
    ['python3 deploy.py:*', 'python -m deploy'],
  ])('%s may match %s, which does the same', (content, command) => {
    expect(mayMatch(content, wordsOf(command))).toBe('maybe')
  })

  test.each([
    ['tar -x:*', 'tar -tf a.tar'],
    ['git push --force:*', 'git push -u origin main'],
    ['git branch -D:*', 'git branch -d x'],
    ['sed -i:*', 'sed -n 1p x'],
    ['npm test:*', 'npm run build'],
    ['python3:*', 'pytest x.py'],
  ])('%s does not match %s', (content, command) => {
    expect(mayMatch(content, wordsOf(command))).toBe('no')
  })

  test.each([
    ['docker push:*', 'docker --debug push x'],
    ['docker push:*', 'docker -H unix:///x push x'],
    ['npm publish:*', 'npm -w pkg publish'],
    ['npm publish:*', 'npm -- publish'],
    ['apt-get install:*', 'apt-get -qq -o a=b install x'],
    ['aws s3 rm:*', 'aws --profile p s3 rm s3://x'],
    ['aws s3 rm:*', 'aws s3 --region eu rm s3://x'],
    ['kubectl delete:*', 'kubectl -n prod --context c delete pod x'],
    ['rm -rf:*', 'rm x -rf'],
    ['rm -rf:*', 'rm -r -f x'],
    ['rm -rf:*', 'rm -fr x'],
    ['git push --force:*', 'git push origin main --force'],
    ['cargo test:*', 'cargo +nightly test'],
    ['make deploy:*', 'make build X=1 deploy'],
  ])('%s may match %s, because other words may come between its words', (content, command) => {
    expect(mayMatch(content, wordsOf(command))).toBe('maybe')
  })

  test.each([
    ['rm -rf:*', 'rm --recursive --force x'],
    ['rm -rf:*', 'rm -f --rec x'],
    ['rm -rf:*', 'rm -fR x'],
    ['git push --force:*', 'git push -f'],
    ['git commit --no-verify:*', 'git commit -nm x'],
    ['git commit --no-verify:*', 'git commit --no-verif'],
    ['docker run --privileged:*', 'docker run --privileged=true a'],
    ['curl -X POST:*', 'curl -sXPOST u'],
    ['curl -X POST:*', 'curl --request POST u'],
    ['curl -X POST:*', 'curl u -X POST'],
    ['rm -rf:*', `rm -${'f'.repeat(70)}r x`],
    ['sed -i:*', 'sed -i.bak s/a/b/ x'],
    ['sed -i:*', 'sed --in-place s/a/b/ x'],
    ['curl -o:*', 'curl -so./x u'],
    ['tar -x:*', 'tar vxf a.tar'],
    ['tar -x:*', 'tar --extract -f a.tar'],
    ['tar xf:*', 'tar -xvf a.tar'],
    ['git push --force:*', "git push -qfo'ab' x"],
    ['git push --force:*', 'git push origin +HEAD:x'],
    ['git branch -D:*', 'git branch -d -f x'],
  ])('%s may match %s, because an option has several spellings', (content, command) => {
    expect(mayMatch(content, wordsOf(command))).toBe('maybe')
  })

  test('for a subcommand of git matches the program of that subcommand', () => {
    expect(mayMatch('git push:*', wordsOf('/usr/lib/git-core/git-push origin'))).toBe('yes')
    expect(mayMatch('git push:*', wordsOf('git-pull origin'))).toBe('no')
  })

  test.each([
    ['docker push:*', 'docker run push'],
    ['rm -rf:*', 'rm --force x'],
    ['curl -X POST:*', 'curl -XGET u'],
    ['npm publish:*', 'npm run publish'],
    ['git push:*', 'git stash push'],
    ['rm -rf:*', 'rm -r x'],
    ['git push', 'git push origin'],
  ])('%s does not match %s', (content, command) => {
    expect(mayMatch(content, wordsOf(command))).toBe('no')
  })

  test('matches the name of a program in any folder and in any letter case', () => {
    expect(mayMatch('rm:*', wordsOf('/bin/rm x'))).toBe('yes')
    expect(mayMatch('rm:*', wordsOf('RM x'))).toBe('yes')
    expect(mayMatch('/bin/rm:*', wordsOf('rm x'))).toBe('maybe')
  })

  test('may match any command if the program is not an ordinary one', () => {
    const possible = { runsAnything: true as const, paths: [], partPaths: [] }
    expect(mayMatch('git push:*', wordsOf('tool x'), { possible })).toBe('maybe')
    expect(
      mayMatch('git push:*', wordsOf('tool x'), { possible: { usesAnyFile: true, paths: [], partPaths: [] } }),
    ).toBe('no')
  })

  test.each([
    ['rm:*', ['tool', 'rm', 'x']],
    ['rm:*', ['./tool', '-g', '/bin/rm', 'x']],
    ['npm publish:*', ['./tool', 'npm', '-s', 'publish']],
    ['rm:*', ['tool', '--run=rm']],
    ['rm:*', ['tool', '-qxrm']],
    ['./deploy.sh:*', ['npm', 'test', 'scripts/deploy.sh']],
  ])('%s may match %j: a word that may be a program names it', (content, texts) => {
    const possible = { programsAt: texts.map((_, at) => at), paths: [], partPaths: [] }
    expect(mayMatch(content, texts.map(toKnownWord), { possible })).toBe('maybe')
    expect(mayMatch('wget:*', texts.map(toKnownWord), { possible })).toBe('no')
  })

  test('does not match the arguments of an ordinary command that does not run them', () => {
    const possible = { programsAt: [], paths: [], partPaths: [] }
    expect(mayMatch('rm:*', wordsOf('npm install rm'), { possible })).toBe('no')
  })
})
