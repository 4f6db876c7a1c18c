import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { evaluate } from '../../scripts/build/evaluate.mjs'

/** @typedef {{ setup: string, command: string, executes: boolean }} Row whether a git command runs a program that the repository configures */

const FIXTURE_FILE = fileURLToPath(new URL('../../src/ports/repository/git-context.fixture.json', import.meta.url))

/**
 * Creates a repository for every setup, checks the commands there, and returns the rows with a wrong decision.
 * @param {string} dataFolder
 * @param {(commands: readonly string[], cwd: string) => readonly { readOnly: boolean }[]} check
 */
export async function findWrongDecisions(dataFolder, check) {
  const { makeGitFixture, GIT_TEST_ENVIRONMENT: env } = await evaluate('src/testing/files/git-fixture.ts')
  const folder = mkdtempSync(join(tmpdir(), 'haft-bench-git-'))
  const rows = readRows(dataFolder)
  const wrongRows = []
  try {
    const pristineFolder = join(folder, 'pristine')
    mkdirSync(pristineFolder)
    makeGitFixture(pristineFolder)
    for (const setup of new Set(rows.map((row) => row.setup))) {
      const cwd = join(folder, 'repository')
      cpSync(pristineFolder, cwd, { recursive: true, preserveTimestamps: true })
      execFileSync('bash', ['-c', setup.replaceAll('/home/dev/proj', cwd)], { cwd, env })
      const setupRows = rows.filter((row) => row.setup === setup)
      const answers = check(
        setupRows.map(({ command }) => command),
        cwd,
      )
      wrongRows.push(...setupRows.filter(({ executes }, index) => executes === answers[index]?.readOnly))
      rmSync(cwd, { recursive: true })
    }
    return { wrong: wrongRows, count: rows.length }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * @param {string} dataFolder
 * @returns {readonly Row[]}
 */
function readRows(dataFolder) {
  const file = join(dataFolder, 'git_context.jsonl')
  if (existsSync(file)) {
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    return lines.map((line) => JSON.parse(line)).map((row) => ({ ...row, executes: row.executes_repo_program }))
  }
  const { commands, setups } = JSON.parse(readFileSync(FIXTURE_FILE, 'utf8'))
  return setups.flatMap((/** @type {{ setup: string, executes: string[] }} */ { setup, executes }) =>
    commands.map((/** @type {string} */ command) => ({ setup, command, executes: executes.includes(command) })),
  )
}
