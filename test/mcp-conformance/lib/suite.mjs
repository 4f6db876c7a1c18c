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

/**
 * Runs all scenarios of a revision and returns the outcome of each.
 * @param {Leg} leg
 * @param {string} revision
 * @param {string[]} args
 */
export async function runSuite(leg, revision, args) {
  const outputFolder = await mkdtemp(join(tmpdir(), 'mcp-conformance-'))
  try {
    const command = [join(suite, 'dist', 'index.js'), leg, '--requirements', revision, '-o', outputFolder, ...args]
    const printedText = await run(newerNode, command)
    const checkFiles = (await readdir(outputFolder, { recursive: true })).filter((path) => path.endsWith('checks.json'))
    const requiredNames = await readRequiredScenarios(leg, revision)
    return await Promise.all(
      requiredNames.map(async (scenario) => {
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
