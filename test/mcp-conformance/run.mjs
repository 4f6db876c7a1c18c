// Runs the official MCP conformance suite: its server scenarios through the gateway, its client scenarios with Haft's
// own client, in every revision. A scenario passes only if at least one check passed and none failed.
//   node test/mcp-conformance/run.mjs [server|client]
import { bundleClient } from './lib/bundle-client.mjs'
import { startGateway } from './lib/gateway.mjs'
import { PROTOCOL_REVISIONS, runSuite } from './lib/suite.mjs'

const suiteNames = process.argv.length > 2 ? process.argv.slice(2) : ['server', 'client']
/** The arguments of the servers behind the gateway, one of each kind. */
const FIXTURE_ARGS_BY_NAME = { 'a server of all revisions': [], 'a server of older revisions only': ['--legacy'] }
/** In the newest revision the suite tests features that no older server can support. */
const NEWEST_REVISION = '2026-07-28'

let passedCount = 0
let failedCount = 0

/**
 * @param {string} title
 * @param {import('./lib/suite.mjs').Outcome[]} outcomes
 */
function report(title, outcomes) {
  const failures = outcomes.filter(({ isPassed }) => !isPassed)
  passedCount += outcomes.length - failures.length
  failedCount += failures.length
  console.log(`${title}: ${outcomes.length - failures.length} of ${outcomes.length}`)
  for (const { scenario, problems } of failures) console.log(`  ${scenario}\n    ${problems.join('\n    ')}`)
}

if (suiteNames.includes('server')) {
  for (const [serverKind, args] of Object.entries(FIXTURE_ARGS_BY_NAME)) {
    for (const revision of PROTOCOL_REVISIONS) {
      if (args.length > 0 && revision === NEWEST_REVISION) continue
      const gateway = await startGateway(args)
      try {
        report(
          `server ${revision}, through the gateway to ${serverKind}`,
          await runSuite('server', revision, ['--url', gateway.url]),
        )
      } finally {
        await gateway.stop()
      }
    }
  }
}
if (suiteNames.includes('client')) {
  const command = `${process.execPath} ${await bundleClient()}`
  for (const revision of PROTOCOL_REVISIONS) {
    report(`client ${revision}`, await runSuite('client', revision, ['--command', command]))
  }
}
console.log(`${passedCount} passed, ${failedCount} failed`)
process.exitCode = failedCount === 0 && passedCount > 0 ? 0 : 1
