import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * @typedef {'server' | 'client'} Leg which side the suite tests
 * @typedef {{ scenario: string, isPassed: boolean, problems: string[] }} Outcome
 * @typedef {{ id: string, status: string, errorMessage?: string }} Check
 */

export const conformanceFolder = dirname(dirname(fileURLToPath(import.meta.url)))
export const PROTOCOL_REVISIONS = ['2025-11-25', '2026-07-28']

/** The path of the Node version that the suite and the inspector need. */
const newerNode = join(conformanceFolder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')
const suite = join(conformanceFolder, 'node_modules', '@modelcontextprotocol', 'conformance')

/** The suite gives up a scenario after this time. */
const TIMEOUT_ARGS = ['--timeout', '180000']
/** How often a scenario that failed is run again. */
const MAX_REPETITIONS = 2

/**
 * Runs all scenarios of a revision and returns the outcome of each. Some scenarios have short time limits of their own,
 * which a loaded machine exceeds, so a scenario that failed among the others is run again alone.
 * @param {Leg} leg
 * @param {string} revision
 * @param {string[]} args
 */
export async function runSuite(leg, revision, args) {
  const requiredNames = await readRequiredScenarios(leg, revision)
  const outcomes = await runScenarios(leg, requiredNames, ['--requirements', revision, ...args])
  for (const [index, { scenario }] of outcomes.entries()) {
    for (let count = 0; count < MAX_REPETITIONS && outcomes[index]?.isPassed === false; count++) {
      console.log(
        `${leg} ${revision}: ${scenario} failed and is run again alone: ${outcomes[index]?.problems.join('; ')}`,
      )
      const selection = ['--scenario', scenario, '--spec-version', revision]
      const [outcome] = await runScenarios(leg, [scenario], [...selection, ...args])
      if (outcome !== undefined) outcomes[index] = outcome
    }
  }
  return outcomes
}

/**
 * @param {Leg} leg
 * @param {string[]} scenarios
 * @param {string[]} args
 */
async function runScenarios(leg, scenarios, args) {
  const outputFolder = await mkdtemp(join(tmpdir(), 'mcp-conformance-'))
  try {
    const command = [join(suite, 'dist', 'index.js'), leg, '-o', outputFolder, ...TIMEOUT_ARGS, ...args]
    const printedText = await run(newerNode, command)
    const checkFiles = (await readdir(outputFolder, { recursive: true })).filter((path) => path.endsWith('checks.json'))
    return await Promise.all(
      scenarios.map(async (scenario) => {
        const prefix = `${leg === 'server' ? 'server-' : ''}${scenario}-`
        const path = checkFiles.find((file) => file.startsWith(prefix) && TIMESTAMP.test(file.slice(prefix.length)))
        if (path === undefined) return describeMissingOutcome(scenario, printedText)
        return createOutcome(scenario, JSON.parse(await readFile(join(outputFolder, path), 'utf8')))
      }),
    )
  } finally {
    await rm(outputFolder, { recursive: true, force: true })
  }
}

/** Matches the text after the name of a scenario in a file name, because the name of one scenario may be a prefix of another. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT/

/**
 * The scenarios that a revision requires. The others are extensions or unfinished.
 * @param {Leg} leg
 * @param {string} revision
 */
async function readRequiredScenarios(leg, revision) {
  const lines = (await readFile(join(suite, 'requirements', `${revision}.yaml`), 'utf8')).split('\n')
  const start = lines.indexOf(`${leg}:`) + 1
  const length = lines.slice(start).findIndex((line) => !line.startsWith('  - '))
  return lines.slice(start, start + length).map((line) => line.slice('  - '.length).trim())
}

/**
 * A scenario passes if at least one check passed and none failed. The suite itself also passes scenarios without checks.
 * @param {string} scenario
 * @param {Check[]} checks
 * @returns {Outcome}
 */
function createOutcome(scenario, checks) {
  const failedChecks = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
  // Checks of the message format do not test what the scenario is about.
  const passedChecks = checks.filter(({ id, status }) => status === 'SUCCESS' && !id.startsWith('wire-schema'))
  const problems = failedChecks.map(({ id, errorMessage }) => `${id}: ${errorMessage}`)
  if (failedChecks.length === 0 && passedChecks.length === 0) problems.push('nothing was checked')
  return { scenario, isPassed: problems.length === 0, problems }
}

/**
 * @param {string} scenario
 * @param {string} printedText
 * @returns {Outcome}
 */
function describeMissingOutcome(scenario, printedText) {
  return { scenario, isPassed: false, problems: [`the scenario did not run: ${printedText.slice(-500)}`] }
}

/**
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<string>}
 */
function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: conformanceFolder, stdio: ['ignore', 'pipe', 'pipe'] })
    let printedText = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        printedText = (printedText + chunk).slice(-100_000)
      })
    }
    child.once('error', reject)
    child.once('close', () => resolve(printedText))
  })
}
