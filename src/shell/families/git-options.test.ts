import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { GIT_TEST_ENVIRONMENT, makeGitFixture } from '../../testing/git-fixture.js'
import { testWithProgram } from '../../testing/test-with-program.js'
import type { CommandUsage } from '../programs/command-spec.js'
import { gitSubcommands } from './git-subcommands.js'

/** Subcommands that know `--output`, with the revisions that they need; those of a long run share most options with log. */
const WRITERS: Readonly<Record<string, string>> = {
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
 * An option that takes its value otherwise than the table says hides what follows: behind `--`, or as a value, an
 * option that writes would be taken for harmless. So each is tried with `--output` in that place.
 */
testWithProgram('git')('git takes the values of options as the table says', () => {
  const folder = mkdtempSync(join(tmpdir(), 'haft-git-options-'))
  try {
    const repository = join(folder, 'repository')
    mkdirSync(repository)
    makeGitFixture(repository)
    const lines = Object.keys(WRITERS).flatMap(attempts)
    const script = `out=../out\ntry() { git "$@" </dev/null >/dev/null 2>&1; if [ -e $out ]; then echo "$*"; rm $out; fi; }\n`
    const output = execFileSync('bash', ['-c', `${script}${lines.join('\n')}`], {
      cwd: repository,
      env: GIT_TEST_ENVIRONMENT,
      encoding: 'utf8',
    })
    const expected = Object.entries(WRITERS).map(([name, revisions]) =>
      [name, '--output=../out', revisions].join(' ').trim(),
    )

    expect(output.trim().split('\n')).toEqual(expected)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/** First the proof that it would write; then every option, before `--` or before what must be its value. */
function attempts(name: string): readonly string[] {
  const { options = {} } = usageOf(name)
  const split = (names: string | undefined) => (names ?? '').split(' ').filter((each) => each !== '' && each !== '-#')
  const alone = [...split(options.flags), ...split(options.attached)].filter((option) => option !== '-h')
  const withValue = [...split(options.values), ...split(options.roles?.reads)]
  return [
    `try ${name} --output=$out ${WRITERS[name]}`,
    ...alone.map((option) => `try ${name} ${option} -- --output=$out`),
    ...withValue.map((option) => `try ${name} ${option} --output=$out ${WRITERS[name]}`),
  ]
}

function usageOf(name: string): CommandUsage {
  const [first = '', second] = name.split(' ')
  const usage = gitSubcommands[first]
  return (second === undefined ? usage : usage?.subcommands?.[second]) ?? {}
}
