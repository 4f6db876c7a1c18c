import { describe, expect, test } from 'vitest'
import { analyseCommand } from '../analyse-command.js'

const isReadOnly = (command: string) => analyseCommand(command, { cwd: '/home/dev/project' }).isReadOnly

describe('a loop variable has a known value only in the body of the loop:', () => {
  test.each([
    "p=rm bash -c '(for p in cat; do :; done); env $p README.md'",
    "p=rm bash -c 'if false; then for p in cat; do :; done; fi; env $p README.md'",
    "p=rm bash -c 'false && for p in cat; do :; done; env $p README.md'",
    "p=rm bash -c 'case a in b) for p in cat; do :; done;; esac; env $p README.md'",
    "p=rm bash -c 'for p in cat; do :; done & env $p README.md'",
    "p=rm bash -c 'for p in cat; do :; done | cat; env $p README.md'",
    "p=rm bash -c 'x=$(for p in cat; do :; done); env $p README.md'",
    "p=rm bash -c 'while false; do for p in cat; do :; done; done; env $p README.md'",
    "p=rm bash -c 'for p in cat; do :; done < nofile; env $p README.md'",
    "env p=rm bash -c '(for p in cat; do :; done); env $p README.md'",
    '(for p in cat; do :; done); env $p README.md',
    "i=b bash -c '(for i in 1 2; do :; done); echo $((i))'",
    'p=cat < nofile; env $p README.md',
  ])('%s is not read-only', (command) => {
    expect(isReadOnly(command)).toBe(false)
  })

  test.each(['for p in cat; do env $p README.md; done', "bash -c 'for f in a b; do cat $f; done'", 'p=cat; env $p a'])(
    '%s is read-only',
    (command) => {
      expect(isReadOnly(command)).toBe(true)
    },
  )
})

describe('a count with other redirections than one input may print the name of a file:', () => {
  test.each([
    "git shortlog $(wc -l 2>&1 <'x --output=PWNED y')",
    "git shortlog $(wc -l <'x --output=PWNED y' 2>&1)",
    "git shortlog $(ls | wc -l 2>&1 <'x --output=PWNED y')",
    'git shortlog $(wc -l <&3)',
    "git shortlog $(wc -l &>/dev/stdout <'x --output=PWNED y')",
    'n=$(wc -l 2>&1 <nofile); echo $((n))',
  ])('%s is not read-only', (command) => {
    expect(isReadOnly(command)).toBe(false)
  })

  test.each(['n=$(wc -l < a); echo $((n))', 'n=$(wc -c <<< abc); echo $((n))', 'n=$(ls | wc -l); echo $((n))'])(
    '%s is read-only',
    (command) => {
      expect(isReadOnly(command)).toBe(true)
    },
  )
})

/** Returns the files that each command may read; null for a command whose files are unknown. */
const readsOf = (command: string) =>
  analyseCommand(command, { cwd: '/home/dev/project' }).commands.map((simpleCommand) =>
    simpleCommand.areEffectsKnown ? simpleCommand.reads : null,
  )

test.each(['<&3', '0<&3', '0>&3', '< list', '<<< list', '0<> list'])(
  'the files that xargs passes on are unknown if its input is redirected by %s',
  (redirection) => {
    expect(readsOf('find config -type f -print0 | xargs -0 cat 2>&1')).not.toContain(null)
    expect(readsOf(`find config -type f -print0 | xargs -0 cat ${redirection}`)).toContain(null)
  },
)
