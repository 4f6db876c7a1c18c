import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { GIT_TEST_ENVIRONMENT, makeGitFixture } from '../../testing/files/git-fixture.js'
import { testWithProgram } from '../../testing/test-with-program.js'
import type { CommandUsage } from '../programs/command-spec.js'
import { createGitSubcommands } from './git-subcommands.js'

/**
 * Subcommands that support `--output`, with the operands that they need. The long tests add subcommands that share most of
 * their options with `log`.
 */
const OPERANDS_BY_SUBCOMMAND: Readonly<Record<string, string>> = {
  log: 'HEAD',
  shortlog: 'HEAD',
  blame: 'README.md',
  ...(process.env.HAFT_LONG_TESTS && {
    diff: '',
    'diff-tree': 'HEAD',
    'diff-files': '',
    'range-diff': 'HEAD HEAD HEAD',
    'rev-list': 'HEAD',
    'stash show': '',
  }),
}

/**
 * If git parsed the value of an option differently from the table, a following `--output` could be mistaken for a value or for
 * an operand after `--`. So `--output` is tried in that position with each option.
 */
testWithProgram('git')('git takes a value for an option exactly if the table says so', () => {
  const folder = mkdtempSync(join(tmpdir(), 'haft-git-options-'))
  try {
    const repository = join(folder, 'repository')
    mkdirSync(repository)
    makeGitFixture(repository)
    const lines = Object.keys(OPERANDS_BY_SUBCOMMAND).flatMap(listAttemptsWith)
    const script = `out=../out\ntry() { git "$@" </dev/null >/dev/null 2>&1; if [ -e $out ]; then echo "$*"; rm $out; fi; }\n`
    const output = execFileSync('bash', ['-c', `${script}${lines.join('\n')}`], {
      cwd: repository,
      env: GIT_TEST_ENVIRONMENT,
      encoding: 'utf8',
    })
    const expected = Object.entries(OPERANDS_BY_SUBCOMMAND).map(([name, revisions]) =>
      [name, '--output=../out', revisions].join(' ').trim(),
    )

    expect(output.trim().split('\n')).toEqual(expected)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/**
 * Returns shell lines that first prove that `--output` writes a file, then pass it after each option: after `--` or as the
 * option's value.
 */
function listAttemptsWith(name: string): readonly string[] {
  const { options = {} } = usageOf(name)
  const split = (names: string | undefined) => (names ?? '').split(' ').filter((name) => name !== '' && name !== '-#')
  const optionsWithoutValue = [...split(options.flags), ...split(options.attached)].filter((option) => option !== '-h')
  const optionsWithValue = [...split(options.values), ...split(options.roles?.reads)]
  return [
    `try ${name} --output=$out ${OPERANDS_BY_SUBCOMMAND[name]}`,
    ...optionsWithoutValue.map((option) => `try ${name} ${option} -- --output=$out`),
    ...optionsWithValue.map((option) => `try ${name} ${option} --output=$out ${OPERANDS_BY_SUBCOMMAND[name]}`),
  ]
}

function usageOf(name: string): CommandUsage {
  const [first = '', second] = name.split(' ')
  const usage = createGitSubcommands()[first]
  return (second === undefined ? usage : usage?.subcommands?.[second]) ?? {}
}
